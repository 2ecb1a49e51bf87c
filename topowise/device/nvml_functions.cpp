// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/nvml_functions.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/device/library_names.hpp>

namespace topowise::nvml {

Functions functions_of(const SharedLibrary& library) {
  const auto find = [&]<class Function>(Function*& slot, const char* name) { slot = library.function<Function>(name); };
  Functions f{};
  find(f.init, "nvmlInit_v2");
  find(f.shutdown, "nvmlShutdown");
  find(f.error_text, "nvmlErrorString");
  find(f.count, "nvmlDeviceGetCount_v2");
  find(f.device, "nvmlDeviceGetHandleByIndex_v2");
  find(f.pci, "nvmlDeviceGetPciInfo_v3");
  find(f.driver_version, "nvmlSystemGetDriverVersion");
  find(f.uuid, "nvmlDeviceGetUUID");
  find(f.name, "nvmlDeviceGetName");
  find(f.ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(f.p2p, "nvmlDeviceGetP2PStatus");
  find(f.link_state, "nvmlDeviceGetNvLinkState");
  find(f.link_version, "nvmlDeviceGetNvLinkVersion");
  find(f.link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(f.link_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  find(f.pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(f.pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  find(f.cpus, "nvmlDeviceGetCpuAffinity");
  find(f.memory_nodes, "nvmlDeviceGetMemoryAffinity");
  find(f.mig_mode, "nvmlDeviceGetMigMode");
  find(f.mig_most, "nvmlDeviceGetMaxMigDeviceCount");
  find(f.mig_device, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(f.memory, "nvmlDeviceGetMemoryInfo");
  find(f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  return f;
}

SharedLibrary open_library() {
  std::string reason;
  if (std::optional<SharedLibrary> library = SharedLibrary::open(device::names_to_try(device::kNvmlLibrary), reason))
    return std::move(*library);
  throw not_available(fmt::format("NVML cannot be loaded: {}", reason),
                      device::is_named_by_user(device::kNvmlLibrary)
                          ? "TOPOWISE_NVML_LIBRARY=FILE names NVIDIA's management library"
                          : "it comes with the NVIDIA driver; in a container run with --gpus all");
}

}  // namespace topowise::nvml
