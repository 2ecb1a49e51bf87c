// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/inventory/inventory.hpp>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/inventory/gpu_inventory.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/job/process.hpp>

namespace topowise::cli {
namespace {

struct LibraryRow {
  const char* group;
  const char* name;
  std::vector<std::string> files;
  const char* cost;
  const char* remedy;
};

std::vector<LibraryRow> libraries() {
  return {
      {"MPI", "Open MPI", {"libmpi.so.40"}, "none if your programs use another MPI", "apt-get install openmpi-bin"},
      {"MPI",
       "MPICH, Intel or Cray MPI",
       {"libmpi.so.12", "libmpich.so.12"},
       "none if your programs use another MPI",
       "apt-get install mpich"},
      {"MPI", "MPI 5 standard ABI", {"libmpi_abi.so.1"}, "none if your programs use another MPI", "MPICH 5 brings it"},
      {"libraries",
       "hwloc",
       {"libhwloc.so.15"},
       "topology 'live' has only what sysfs has",
       "apt-get install libhwloc15"},
      {"libraries",
       "Scotch",
       {"libscotch-7.0.so", "libscotch-6.1.so", "libscotch.so"},
       "the mapper 'scotch' is not available; all others are",
       "apt-get install libscotch-7.0"},
      {"libraries",
       "PT-Scotch",
       {"libptscotch-7.0.so", "libptscotch.so"},
       "'map --distributed' is not available",
       "apt-get install libptscotch-7.0"},
  };
}

/// The file that a loaded library came from.
std::string path_of(const SharedLibrary& library) {
  void* handle = ::dlopen(library.name().c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return library.name();
  link_map* map = nullptr;
  std::string path = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : library.name();
  ::dlclose(handle);
  return path;
}

InventoryItem look_for(const LibraryRow& row) {
  InventoryItem item{row.group, row.name, false, {}, row.cost, row.remedy};
  std::string reason;
  if (const std::optional<SharedLibrary> library = SharedLibrary::open(row.files, reason)) {
    item.found = true;
    item.detail = path_of(*library);
  } else {
    item.detail = reason;
  }
  return item;
}

InventoryItem recorder() {
  InventoryItem item{
      "libraries", "recording library", false, {}, "'run --profile' cannot record", "TOPOWISE_INTERPOSE=FILE names it"};
  try {
    item.detail = job::find_interpose_library();
    item.found = true;
  } catch (const Error& error) {
    item.detail = error.what();
  }
  return item;
}

/// The recording library as a plugin of NCCL and RCCL. It is loaded and asked what it exports, as NCCL does.
InventoryItem nccl_plugin() {
  InventoryItem item{"libraries",
                     "NCCL profiler plugin",
                     false,
                     {},
                     "'run --profile' knows less of NCCL's collectives: not by which algorithm",
                     fmt::format("{}=FILE names the recording library", job::kNcclPlugin)};
  try {
    const std::string file = job::find_interpose_library();
    std::string reason;
    const std::optional<SharedLibrary> library = SharedLibrary::open(std::array{file}, reason);
    std::vector<std::string> versions;
    for (int version = 1; version <= 7; ++version)
      if (library && library->symbol(fmt::format("ncclProfiler_v{}", version).c_str()) != nullptr)
        versions.push_back(fmt::format("{}", version));
    item.found = !versions.empty();
    item.detail = !library           ? reason
                  : versions.empty() ? fmt::format("{} is none", file)
                                     : fmt::format("{}, interface versions {}", file, fmt::join(versions, ", "));
    const std::optional<std::string> set = job::environment(job::kNcclPlugin);
    if (set && *set != job::kPreloadedPlugin)
      item.detail += fmt::format("; {}='{}' stays", job::kNcclPlugin, printable(*set));
  } catch (const Error& error) {
    item.detail = error.what();
  }
  return item;
}

/// The paths of those programs that are in PATH.
std::string programs_in_path(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> found;
  for (const char* name : names) {
    for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
      const std::string file = fmt::format("{}/{}", folder, name);
      if (folder.empty() || ::access(file.c_str(), X_OK) != 0) continue;
      found.push_back(file);
      break;
    }
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

InventoryItem launcher() {
  const std::string found = programs_in_path({"mpirun", "mpiexec", "srun", "flux"});
  return {"MPI",
          "launcher",
          !found.empty(),
          found.empty() ? "no mpirun, mpiexec or srun in PATH" : found,
          "no parallel job can be started",
          "apt-get install openmpi-bin"};
}

InventoryItem amd_programs() {
  const std::string found = programs_in_path({"amd-smi", "rocm-smi"});
  return {"GPU",
          "AMD's programs",
          !found.empty(),
          found.empty() ? "neither amd-smi nor rocm-smi in PATH" : found,
          "topology 'live' of AMD GPUs goes by the HIP runtime alone: xGMI links are seen and not counted",
          "install ROCm"};
}

/// Ranks of one node read each other's memory directly if the kernel lets them.
InventoryItem cross_memory() {
  InventoryItem item{"system",
                     "cross-memory attach",
                     true,
                     {},
                     "large messages inside a node are copied twice",
                     "sysctl kernel.yama.ptrace_scope=0"};
  const std::string file = "/proc/sys/kernel/yama/ptrace_scope";
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) {
    item.detail = "not restricted";
    return item;
  }
  const std::string scope(trim(read_file(file)));
  item.found = scope == "0";
  item.detail = "kernel.yama.ptrace_scope = " + scope;
  return item;
}

}  // namespace

std::vector<InventoryItem> take_inventory() {
  std::vector<InventoryItem> items{launcher()};
  for (const LibraryRow& row : libraries()) items.push_back(look_for(row));
  items.push_back(amd_programs());
  for (InventoryItem& item : take_gpu_inventory()) items.push_back(std::move(item));
  items.push_back(recorder());
  items.push_back(nccl_plugin());
  items.push_back(cross_memory());
  std::ranges::stable_sort(items, {}, [](const InventoryItem& item) {
    constexpr std::array<std::string_view, 4> kGroups{"MPI", "GPU", "libraries", "system"};
    return std::ranges::find(kGroups, item.group) - kGroups.begin();
  });
  return items;
}

}  // namespace topowise::cli
