// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/allreduce_settings.hpp>

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <topowise/interpose/base/library_beside.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/allreduce_variables.hpp>

namespace topowise::interpose::allreduce {
namespace {

/// The functions of a list like "allreduce,bcast"; without one, MPI_Allreduce alone.
std::uint8_t functions_in(const char* list) noexcept {
  if (list == nullptr || *list == '\0') return static_cast<std::uint8_t>(Answered::allreduce);
  unsigned functions = 0;
  for (const std::string_view text(list); const AnsweredName& known : kAnswered) {
    const std::string_view name(known.option);
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool whole = (at == 0 || text[at - 1] == ',') && (end == text.size() || text[end] == ',');
      if (whole) functions |= static_cast<unsigned>(known.function);
    }
  }
  return static_cast<std::uint8_t>(functions);
}

Settings read() noexcept {
  Settings found;
  const char* algorithm = std::getenv(kAllreduceVariable);
  if (algorithm != nullptr && *algorithm != '\0' && std::strcmp(algorithm, "off") != 0) found.algorithm = algorithm;
  if (found.algorithm != nullptr) found.functions = functions_in(std::getenv(kCollectivesVariable));
  const char* report = std::getenv(kAllreduceReportVariable);
  found.report = report != nullptr && std::strcmp(report, "1") == 0;
  const char* init = std::getenv(kAllreduceInitVariable);
  found.meet_at_start = init != nullptr && std::strcmp(init, "start") == 0;
  return found;
}

std::atomic<const plugin_interface::Functions*> opened{nullptr};

const plugin_interface::Functions* open_reducer() noexcept {
  void* library = open_beside(plugin_interface::kLibrary);
  const auto enter =
      library == nullptr
          ? nullptr
          : reinterpret_cast<plugin_interface::EntryPoint>(::dlsym(library, plugin_interface::kFunction));
  const plugin_interface::Functions* functions = enter == nullptr ? nullptr : enter(plugin_interface::kVersion);
  opened.store(functions, std::memory_order_release);
  // The processes of a machine share the library.
  if (functions != nullptr || !speaks_for_machine(static_cast<int>(job::this_process().rank))) return functions;
  if (library == nullptr)
    print_stderr(-1, "collectives on GPUs stay the MPI library's: %s", ::dlerror());
  else
    print_stderr(-1, "collectives on GPUs stay the MPI library's: %s is of another version of topowise",
                 plugin_interface::kLibrary);
  return functions;
}

}  // namespace

const Settings& settings() noexcept {
  static const Settings found = read();
  return found;
}

const plugin_interface::Functions* reducer() noexcept {
  static const plugin_interface::Functions* const functions = open_reducer();
  return functions;
}

const plugin_interface::Functions* opened_reducer() noexcept {
  return opened.load(std::memory_order_acquire);
}

}  // namespace topowise::interpose::allreduce
