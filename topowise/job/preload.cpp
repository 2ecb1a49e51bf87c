// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/preload.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <topowise/base/error.hpp>

namespace topowise::job {
namespace {

constexpr std::string_view kLibrary = kPreloadedPlugin;
constexpr std::string_view kSeparators = " :";  ///< the separators of LD_PRELOAD, which cannot be escaped

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string find_interpose_library() {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (const char* given = std::getenv("TOPOWISE_INTERPOSE"); given != nullptr && *given != '\0') {
    if (fs::is_regular_file(given, failure)) return fs::absolute(given, failure).string();
    throw not_available(fmt::format("TOPOWISE_INTERPOSE='{}' is no file", given));
  }
  const fs::path here = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const char* folder : {"../" TOPOWISE_LIBDIR, "../lib", "../lib64", "."}) {
    const fs::path candidate = here / folder / kLibrary;
    if (fs::is_regular_file(candidate, failure)) return fs::weakly_canonical(candidate, failure).string();
  }
  throw not_available(fmt::format("the recording library {} is not beside {}", kLibrary, here.string()),
                      "TOPOWISE_INTERPOSE=/path/to/" + std::string(kLibrary));
}

std::string preload_list(std::string_view inherited, std::string_view library) {
  if (library.find_first_of(kSeparators) != std::string_view::npos)
    throw not_available(fmt::format("LD_PRELOAD cannot hold the path '{}': a blank or a colon ends an entry", library),
                        "TOPOWISE_INTERPOSE=/path/of/a/link/to/" + std::string(kLibrary));
  const std::string others = list_without(inherited, library);
  return std::string(library) + (others.empty() ? "" : ":") + others;
}

std::string list_without(std::string_view inherited, std::string_view library) {
  std::string list;
  std::string_view rest = inherited;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(kSeparators), rest.size());
    if (const std::string_view entry = rest.substr(0, end); !entry.empty() && entry != library)
      list += (list.empty() ? "" : ":") + std::string(entry);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

std::string without_order_check(const std::string& inherited) {
  constexpr std::string_view kOption = "verify_asan_link_order";
  if (inherited.find(kOption) != std::string::npos) return inherited;
  return fmt::format("{}{}{}=0", inherited, inherited.empty() ? "" : ":", kOption);
}

void set_variable(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

void preload_interpose_library() {
  set_variable("LD_PRELOAD", preload_list(value_of("LD_PRELOAD"), find_interpose_library()));
  // Always, because the program may be a script that starts a program with AddressSanitizer.
  set_variable("ASAN_OPTIONS", without_order_check(value_of("ASAN_OPTIONS")));
}

void drop_interpose_library() {
  const std::string others = list_without(value_of("LD_PRELOAD"), find_interpose_library());
  if (others.empty())
    ::unsetenv("LD_PRELOAD");
  else
    set_variable("LD_PRELOAD", others);
}

}  // namespace topowise::job
