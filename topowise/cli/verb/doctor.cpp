// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/device/folds.hpp>
#include <topowise/device/mps.hpp>
#include <topowise/device/nvml.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/job/memory_sharing.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/job/process.hpp>
#include <topowise/topology_source/live/job_share.hpp>

namespace topowise::cli {
namespace {

// What this machine has of the things that topowise can use.

/// One thing that topowise can use, found on this machine or not.
struct InventoryItem {
  std::string group;  ///< "MPI", "GPU", "libraries", "system"
  std::string name;
  bool found = false;
  std::string detail;  ///< where it is, or why it is not usable
  std::string cost;    ///< what its lack costs
  std::string remedy;  ///< how to get it
};

// What this machine offers for GPUs: management libraries, drivers, and how the GPUs reach each other.

using device::Driver;

constexpr const char* kGroup = "GPU";
constexpr const char* kNoDriver = "no GPU driver";

InventoryItem nvml_item(std::optional<nvml::Report>& report) {
  InventoryItem item{
      kGroup,
      "NVIDIA NVML",
      false,
      {},
      "topology 'live' goes by the driver alone: no count of NVLinks, no PCIe width; busy GPUs are not known",
      "it comes with the NVIDIA driver; TOPOWISE_NVML_LIBRARY names another"};
  try {
    report = nvml::ask();
    item.found = !report->gpus.empty();
    item.detail = fmt::format("{}, driver {}, {} GPUs", report->library, report->driver, report->gpus.size());
    if (!report->problems.empty())
      item.detail +=
          fmt::format("; {}{}", report->problems.front(),
                      report->problems.size() > 1 ? fmt::format(" and {} more", report->problems.size() - 1) : "");
  } catch (const Error& error) {
    item.detail = error.what();
  }
  return item;
}

/// Opens one driver; the first that has GPUs answers the questions about pairs.
InventoryItem driver_item(const device::Backend& backend, const char* name, const char* cost, const char* remedy,
                          std::optional<Driver>& driver) {
  InventoryItem item{kGroup, name, false, {}, cost, remedy};
  try {
    Driver opened = device::open_driver(backend);
    item.found = true;
    item.detail = fmt::format("{}, version {}, {} GPUs for this process, the first is {}", opened.library(),
                              opened.version(), opened.devices().size(), opened.devices().front().name);
    if (!driver) driver = std::move(opened);
  } catch (const Error& error) {
    item.detail = error.what();
  }
  return item;
}

InventoryItem kernels_item(const std::optional<Driver>& driver) {
  const std::string lack = driver ? device::lack_of_kernels(*driver) : device::lack_of_kernels();
  return {kGroup,
          "GPU kernels",
          lack.empty(),
          lack.empty() ? "in this build: PTX for NVIDIA GPUs, source for ROCm's compiler for AMD GPUs" : lack,
          "'run --allreduce' and 'bench allreduce' reduce on the host only (staged-host)",
          "cmake -DTOPOWISE_KERNELS=ON, and build topowise again; on AMD GPUs, install ROCm's hiprtc (libhiprtc.so)"};
}

/// True for a part of a GPU. The driver states it only in the device's name ("NVIDIA A100-SXM4-40GB MIG 1g.5gb").
bool is_part_of_gpu(const device::Device& device) {
  return device.name.find(" MIG") != std::string::npos;
}

InventoryItem peer_item(const std::optional<Driver>& driver) {
  InventoryItem item{kGroup,
                     "peer access",
                     false,
                     kNoDriver,
                     "copies between GPUs go through host memory",
                     "see 'nvidia-smi topo -p2p r'; IOMMU and ACS forbid it"};
  if (!driver) return item;
  const int count = static_cast<int>(driver->devices().size());
  if (count < 2) {
    item.detail =
        fmt::format("{} GPU for this process{}", count,
                    is_part_of_gpu(driver->devices().front()) ? ", a part of one (MIG): others have no way to it" : "");
    return item;
  }
  int possible = 0;
  try {
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) possible += a != b && driver->can_access_peer(a, b) ? 1 : 0;
    }
  } catch (const Error& error) {
    item.detail = error.what();
    return item;
  }
  item.found = possible == count * (count - 1);
  item.detail = fmt::format("{} GPUs, {} of {} pairs", count, possible, count * (count - 1));
  return item;
}

/// Tries sharing between two processes that are started for it, before this process uses a driver.
InventoryItem ipc_item() {
  const std::optional<std::string> refusal = job::sharing_refusal();
  return {kGroup,
          "IPC of GPU memory",
          !refusal,
          refusal.value_or("one process opens what another one exports"),
          "ranks cannot copy from each other's GPU memory; MPI goes through the host",
          "run in one IPC and PID namespace (docker --ipc=host --pid=host), with all GPUs visible to all ranks"};
}

/// Whether a control program has made its end here. In /tmp anybody may have put a file of this name.
bool has_control(const std::string& folder, bool named) {
  struct stat facts {};
  if (::stat((folder + "/control").c_str(), &facts) != 0 || !(S_ISSOCK(facts.st_mode) || S_ISFIFO(facts.st_mode)))
    return false;
  return named || facts.st_uid == 0 || facts.st_uid == ::geteuid();
}

InventoryItem mps_item(const std::optional<Driver>& driver) {
  InventoryItem item{kGroup,
                     "MPS",
                     false,
                     {},
                     "several ranks on one GPU take turns instead of running together",
                     "nvidia-cuda-mps-control -d"};
  const char* named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const bool is_named = named != nullptr && *named != '\0';
  const std::string folder = is_named ? named : "/tmp/nvidia-mps";
  const bool listens = has_control(folder, is_named);
  const bool client = driver && device::is_mps_client(*driver, 0);
  item.found = listens || client;
  item.detail = fmt::format("{}{} in {}", client ? "this process is its client; " : "",
                            listens ? "its control program listens" : "no control program", folder);
  return item;
}

InventoryItem partition_item(const std::optional<nvml::Report>& report) {
  InventoryItem item{kGroup,
                     "whole GPUs (no MIG)",
                     false,
                     "NVML does not answer",
                     "partitions have no peer access: copies between them go through host memory",
                     "nvidia-smi -mig 0, by the administrator"};
  if (!report) return item;
  std::vector<std::string> parts;
  for (const nvml::Gpu& gpu : report->gpus) {
    if (gpu.mig.value_or(false)) parts.push_back(fmt::format("GPU{} in {}", gpu.index, gpu.mig_ids.size()));
  }
  item.found = parts.empty() && !report->gpus.empty();
  item.detail = parts.empty() ? fmt::format("{} GPUs", report->gpus.size())
                              : fmt::format("partitioned: {}", fmt::join(parts, ", "));
  return item;
}

/// What states which GPUs the job of this process has; nothing outside of a job.
std::optional<InventoryItem> share_item() {
  const JobShare share = job_share(this_witness(), ShareOf::job);
  std::vector<std::string> stated;
  for (const JobShare::List& list : share.lists)
    stated.push_back(fmt::format("{} by {}", fmt::join(list.gpus, ","), list.source));
  if (share.count) stated.push_back(fmt::format("{} of them by {}", share.count->gpus, share.count->source));
  if (stated.empty()) return std::nullopt;
  return InventoryItem{kGroup, "GPUs of this job", true, fmt::format("{}", fmt::join(stated, "; ")), {}, {}};
}

/// Asks every library and driver; the error of a GPU that does not answer is in the item's detail.
std::vector<InventoryItem> take_gpu_inventory() {
  const InventoryItem ipc = ipc_item();
  std::optional<nvml::Report> report;
  std::optional<Driver> driver;
  std::vector<InventoryItem> items{nvml_item(report)};
  for (const device::Backend* backend : device::backends()) {
    const bool hip = std::string_view(backend->names.backend) == "hip";
    items.push_back(hip ? driver_item(*backend, "AMD HIP runtime", "device buffers of AMD GPUs count as host memory",
                                      "install ROCm; TOPOWISE_HIP_LIBRARY names another", driver)
                        : driver_item(*backend, "NVIDIA CUDA driver",
                                      "device buffers of NVIDIA GPUs count as host memory",
                                      "it comes with the NVIDIA driver; TOPOWISE_CUDA_LIBRARY names another", driver));
  }
  items.push_back(kernels_item(driver));
  items.push_back(peer_item(driver));
  items.push_back(ipc);
  items.push_back(mps_item(driver));
  items.push_back(partition_item(report));
  if (const std::optional<InventoryItem> share = share_item()) items.push_back(*share);
  return items;
}

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

std::string json(const std::vector<InventoryItem>& items) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.doctor/1").key("items").array();
  for (const InventoryItem& item : items) {
    writer.object(JsonWriter::Layout::row).key("group").value(item.group).key("name").value(item.name);
    writer.key("found").value(item.found).key("detail").value(item.detail);
    writer.key("cost").value(item.cost).key("remedy").value(item.remedy).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::vector<InventoryItem> items = take_inventory();
  if (arguments.has("--json")) {
    terminal.print(json(items));
    return ExitStatus::done;
  }
  std::string group;
  for (const InventoryItem& item : items) {
    if (item.group != group) terminal.print("{}{}\n", group.empty() ? "" : "\n", terminal.bold(item.group));
    group = item.group;
    terminal.print("  {} {:<26} {}\n", item.found ? "yes" : "no ", item.name, item.detail);
    if (!item.found) terminal.print("        costs: {}\n        get it: {}\n", item.cost, item.remedy);
  }
  return ExitStatus::done;
}

}  // namespace

Verb doctor_verb() {
  Verb verb{.name = "doctor",
            .summary = "what this machine has, what is missing, what that costs, and how to get it",
            .description = {},
            .examples = {"topowise doctor"}};
  verb.options = {json_option()};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
