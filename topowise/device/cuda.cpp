// SPDX-License-Identifier: BSD-3-Clause
// This uses the driver API and not the runtime: the driver API comes with the kernel module, so it is there wherever a
// GPU works, and its version never disagrees with the program's. Prototypes are our own, after NVIDIA's public
// reference of the driver API; symbols with _v2 are those that its header maps the plain names to. A CUdevice is taken
// to be the ordinal: cuDeviceGet has never given anything else.
#include <topowise/device/cuda.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <topowise/device/functions.hpp>
#include <topowise/device/pointer_kind.hpp>

namespace topowise::device {
namespace {

// Primary contexts that this process holds, for a back-end whose calls want contexts where ours name devices.

/// Each device's context is retained once, for whichever thread asks first.
class PrimaryContexts {
 public:
  using Retain = std::function<int(Handle*, int)>;
  explicit PrimaryContexts(Retain retain) : retain_(std::move(retain)) {}

  int get(int device, Handle* context) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(device);
    if (found != held_.end()) {
      *context = found->second;
      return kSuccess;
    }
    const int result = retain_(context, device);
    if (result == kSuccess) held_[device] = *context;
    return result;
  }
  /// Forgets a device; true if it was held.
  bool forget(int device) {
    const std::lock_guard lock(mutex_);
    return held_.erase(device) > 0;
  }

 private:
  Retain retain_;
  std::mutex mutex_;
  std::map<int, Handle> held_;
};

int attribute_number(Attribute attribute) {
  switch (attribute) {
    case Attribute::compute_capability_major:
      return 75;
    case Attribute::compute_capability_minor:
      return 76;
    case Attribute::multiprocessors:
      return 16;
    case Attribute::compute_mode:
      return 20;
    case Attribute::mps:
      return 133;
  }
  return 0;
}

/// cuGetErrorName and cuGetErrorString; a number that the driver does not know is still named.
std::function<const char*(int)> error_text(const SharedLibrary& library, const char* symbol) {
  auto* function = library.function<int(int, const char**)>(symbol);
  return [function](int code) -> const char* {
    const char* text = nullptr;
    return function != nullptr && function(code, &text) == kSuccess && text != nullptr ? text : "unknown error";
  };
}

std::string_view error_hint(int code) {
  static constexpr std::array<Hint, 12> kHints{{
      {2, 2, "'nvidia-smi' shows who holds the memory"},
      {46, 46, "another process has the GPU for itself: 'nvidia-smi -q -d COMPUTE'"},
      {100, 100, "'nvidia-smi -L' lists the GPUs; CUDA_VISIBLE_DEVICES may hide them"},
      {209, 209, "the GPU is older than the kernels, which want compute capability 3.5"},
      {214, 214, "the GPU's memory is broken: 'nvidia-smi -q -d ECC'"},
      {222, 222, "the driver is older than the kernels; 'nvidia-smi' shows its version"},
      {304, 304, kSharingHint},
      {800, 800, "this process may not use the GPU: look at the rights of /dev/nvidia*"},
      {803, 803, "the kernel module and libcuda are of different versions: restart or reinstall the driver"},
      {804, 804, "libcuda is newer than the kernel module can serve: update the driver"},
      {805, 810, "look at the log in CUDA_MPS_LOG_DIRECTORY"},
      {999, 999, "'dmesg' shows whether the GPU fell off the bus"},
  }};
  return hint_in(kHints, code);
}

void bind_devices(Functions& table, const SharedLibrary& library) {
  bind(table.version, library, {"cuDriverGetVersion"});
  bind(table.device_count, library, {"cuDeviceGetCount"});
  bind(table.device_name, library, {"cuDeviceGetName"});
  bind(table.device_uuid, library, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"});  // _v2 tells MIG instances apart
  bind(table.pci_bus_id, library, {"cuDeviceGetPCIBusId"});
  bind(table.total_memory, library, {"cuDeviceTotalMem_v2"});
  bind(table.can_access_peer, library, {"cuDeviceCanAccessPeer"});
  bind_initialize(table, library, "cuInit");
  table.attribute.name = "cuDeviceGetAttribute";
  if (auto* function = library.function<int(int*, int, int)>("cuDeviceGetAttribute")) {
    table.attribute.function = [function](int* value, Attribute attribute, int device) {
      return function(value, attribute_number(attribute), device);
    };
  }
}

/// Only GPUs that NVLink joins have all atomic operations of each other's memory (NVIDIA's "topologyQuery" sample).
void bind_peer_link(Functions& table, const SharedLibrary& library) {
  constexpr int kPerformanceRank = 1;
  constexpr int kNativeAtomics = 3;
  table.peer_link.name = "cuDeviceGetP2PAttribute";
  auto* function = library.function<int(int*, int, int, int)>(table.peer_link.name);
  if (function == nullptr) return;
  table.peer_link.function = [function](PeerLink* link, int from, int to) {
    int atomics = 0;
    const int result = function(&atomics, kNativeAtomics, from, to);
    link->bonded = atomics != 0;
    return result == kSuccess ? function(&link->rank, kPerformanceRank, from, to) : result;
  };
}

/// Null if the library cannot retain a primary context.
std::shared_ptr<PrimaryContexts> contexts_of(const SharedLibrary& library) {
  Call<Handle*, int> retain;
  bind(retain, library, {"cuDevicePrimaryCtxRetain"});
  return retain.function ? std::make_shared<PrimaryContexts>(retain.function) : nullptr;
}

void bind_contexts(Functions& table, const SharedLibrary& library, const std::shared_ptr<PrimaryContexts>& contexts) {
  Call<int> release;
  Call<Handle> set_current;
  Call<Handle, unsigned> enable;
  bind(release, library, {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"});
  bind(set_current, library, {"cuCtxSetCurrent"});
  bind(enable, library, {"cuCtxEnablePeerAccess"});
  bind(table.selected, library, {"cuCtxGetDevice"});
  bind(table.context, library, {"cuCtxGetCurrent"});
  bind(table.set_context, library, {"cuCtxSetCurrent"});
  bind(table.synchronize, library, {"cuCtxSynchronize"});
  table.select.name = "cuDevicePrimaryCtxRetain";
  table.release.name = release.name;
  table.enable_peer_access.name = enable.name;
  if (!contexts || !release.function || !set_current.function || !enable.function) return;

  table.select.function = [contexts, set = set_current.function](int device) {
    Handle context = nullptr;
    const int result = contexts->get(device, &context);
    return result == kSuccess ? set(context) : result;
  };
  table.release.function = [contexts, give = release.function](int device) {
    return contexts->forget(device) ? give(device) : kSuccess;
  };
  table.enable_peer_access.function = [contexts, function = enable.function](int peer) {
    Handle context = nullptr;
    const int result = contexts->get(peer, &context);
    return result == kSuccess ? function(context, 0) : result;
  };
}

void bind_peer_copy(Functions& table, const SharedLibrary& library, const std::shared_ptr<PrimaryContexts>& contexts) {
  table.copy_peer.name = "cuMemcpyPeerAsync";
  auto* copy = library.function<int(Address, Handle, Address, Handle, std::size_t, Handle)>(table.copy_peer.name);
  if (copy == nullptr || !contexts) return;
  table.copy_peer.function = [copy, contexts](Address to, int to_device, Address from, int from_device,
                                              std::size_t size, Handle stream) {
    Handle to_context = nullptr;
    Handle from_context = nullptr;
    int result = contexts->get(to_device, &to_context);
    if (result == kSuccess) result = contexts->get(from_device, &from_context);
    return result == kSuccess ? copy(to, to_context, from, from_context, size, stream) : result;
  };
}

void bind_memory(Functions& table, const SharedLibrary& library) {
  bind(table.memory_info, library, {"cuMemGetInfo_v2"});
  bind(table.allocate, library, {"cuMemAlloc_v2"});
  bind(table.free, library, {"cuMemFree_v2"});
  bind(table.unregister_host, library, {"cuMemHostUnregister"});
  bind(table.copy_to_device, library, {"cuMemcpyHtoDAsync_v2"});
  bind(table.copy_to_host, library, {"cuMemcpyDtoHAsync_v2"});
  bind(table.copy, library, {"cuMemcpyAsync"});
  bind(table.fill, library, {"cuMemsetD8Async"});
  bind_register_host(table, library, "cuMemHostRegister_v2");
  table.pointer_attributes.name = "cuPointerGetAttributes";
  if (auto* function = library.function<PointerQuery>(table.pointer_attributes.name)) {
    table.pointer_attributes.function = [function](PointerAttributes* result, const void* pointer) {
      return query_pointer(function, cuda_memory_kind, pointer, *result);
    };
  }
}

void bind_order(Functions& table, const SharedLibrary& library) {
  bind(table.create_stream, library, {"cuStreamCreate"});
  bind(table.destroy_stream, library, {"cuStreamDestroy_v2"});
  bind(table.synchronize_stream, library, {"cuStreamSynchronize"});
  bind(table.query_stream, library, {"cuStreamQuery"});
  bind(table.wait_event, library, {"cuStreamWaitEvent"});
  bind(table.create_event, library, {"cuEventCreate"});
  bind(table.destroy_event, library, {"cuEventDestroy_v2"});
  bind(table.record_event, library, {"cuEventRecord"});
  bind(table.synchronize_event, library, {"cuEventSynchronize"});
  bind(table.query_event, library, {"cuEventQuery"});
  bind(table.elapsed, library, {"cuEventElapsedTime_v2", "cuEventElapsedTime"});
}

void bind_sharing(Functions& table, const SharedLibrary& library) {
  bind(table.export_memory, library, {"cuIpcGetMemHandle"});
  bind(table.close_memory, library, {"cuIpcCloseMemHandle"});
  bind(table.export_event, library, {"cuIpcGetEventHandle"});
  bind(table.import_event, library, {"cuIpcOpenEventHandle"});
  bind_import_memory(table, library, {"cuIpcOpenMemHandle_v2", "cuIpcOpenMemHandle"});
}

void bind_kernels(Functions& table, const SharedLibrary& library) {
  bind(table.load_module, library, {"cuModuleLoadData"});
  bind(table.unload_module, library, {"cuModuleUnload"});
  bind(table.find_kernel, library, {"cuModuleGetFunction"});
  bind_launch(table, library, "cuLaunchKernel");
}

Functions fill(const SharedLibrary& library) {
  Functions table;
  table.error_name = error_text(library, "cuGetErrorName");
  table.error_description = error_text(library, "cuGetErrorString");
  table.error_hint = error_hint;
  bind_devices(table, library);
  bind_peer_link(table, library);
  const std::shared_ptr<PrimaryContexts> contexts = contexts_of(library);
  bind_contexts(table, library, contexts);
  bind_peer_copy(table, library, contexts);
  bind_memory(table, library);
  bind_order(table, library);
  bind_sharing(table, library);
  bind_kernels(table, library);
  return table;
}

}  // namespace

const Backend& cuda_backend() {
  static const Backend backend{kCudaLibrary, "NVIDIA GPUs, by the CUDA driver", fill};
  return backend;
}

}  // namespace topowise::device
