// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/preload.hpp>

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise::job {
namespace {

constexpr std::string_view kLibrary = kPreloadedPlugin;
constexpr std::string_view kSeparators = " :";  ///< the separators of LD_PRELOAD, which cannot be escaped

std::string file_of(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, command);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return command;
}

/// Reads a structure of an ELF file, as this machine writes them.
template <class Structure>
bool read_at(std::ifstream& file, std::uint64_t offset, Structure& structure) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&structure), sizeof structure));
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
  std::string list(library);
  std::string_view rest = inherited;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(kSeparators), rest.size());
    if (const std::string_view entry = rest.substr(0, end); !entry.empty() && entry != library)
      list += ":" + std::string(entry);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

bool takes_preloaded_library(const std::string& command) {
  std::error_code failure;
  const std::string path = file_of(command);
  if (!std::filesystem::is_regular_file(path, failure)) return true;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return true;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part)) return true;
    if (part.p_type == PT_INTERP) return true;
  }
  return false;
}

void set_variable(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

void preload_interpose_library() {
  const char* inherited = std::getenv("LD_PRELOAD");
  set_variable("LD_PRELOAD", preload_list(inherited == nullptr ? "" : inherited, find_interpose_library()));
}

}  // namespace topowise::job
