// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/inventory/gpu_inventory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/device/folds.hpp>
#include <topowise/device/mps.hpp>
#include <topowise/device/nvml.hpp>
#include <topowise/device/table.hpp>
#include <topowise/job/memory_sharing.hpp>
#include <topowise/topology_source/live/job_share.hpp>

namespace topowise::cli {
namespace {

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

}  // namespace

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

}  // namespace topowise::cli
