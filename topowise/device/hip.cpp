// SPDX-License-Identifier: BSD-3-Clause
// HIP follows the CUDA driver API call by call; what differs is that a device is selected by its number and contexts
// hardly exist, and that memory types were renumbered with ROCm 6. Prototypes are our own, after AMD's public
// reference.
#include <topowise/device/hip.hpp>

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/device/functions.hpp>
#include <topowise/device/pointer_kind.hpp>

namespace topowise::device {
namespace {

// AMD's compiler of kernels, hiprtc, which comes with every ROCm: in the library of HIP itself up to ROCm 6, and in a
// library beside it.

/// Where the file of a HIP library is, and what is behind ".so" in its name: "/opt/rocm/lib/" and ".7".
struct Place {
  std::string folder, version;
};
Place place_of(const SharedLibrary& hip) {
  Dl_info found{};
  std::string path = hip.name();
  if (::dladdr(hip.symbol("hipInit"), &found) != 0 && found.dli_fname != nullptr) path = found.dli_fname;
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::size_t suffix = path.find(".so", name);
  std::string version = suffix == std::string::npos ? "" : path.substr(suffix + 3);
  version.resize(std::min(version.size(), version.find('.', 1)));
  return {path.substr(0, name), version};
}

std::optional<SharedLibrary> open_compiler(const SharedLibrary& hip, std::string& reason) {
  if (hip.symbol("hiprtcCompileProgram") != nullptr) return hip;
  const Place place = place_of(hip);
  const std::array<std::string, 4> names{fmt::format("{}libhiprtc.so{}", place.folder, place.version),
                                         fmt::format("{}libhiprtc.so", place.folder),
                                         fmt::format("libhiprtc.so{}", place.version), std::string("libhiprtc.so")};
  return SharedLibrary::open(names, reason);
}

/// What the GPU's code must be made for: "gfx90a:sramecc+:xnack-". It is in the driver's description of a device.
/// The description was laid out anew with ROCm 6, so the text is looked for behind the device's name.
std::string target_of(const SharedLibrary& hip, int device) {
  constexpr std::size_t kName = 256;
  constexpr std::size_t kDescription = 16384;  // more than any version of HIP writes
  std::vector<char> description(kDescription);
  auto* describe = hip.function<int(void*, int)>("hipGetDevicePropertiesR0600");
  if (describe == nullptr) describe = hip.function<int(void*, int)>("hipGetDeviceProperties");
  if (describe == nullptr || describe(description.data(), device) != kSuccess) return {};
  const std::string_view text(description.data(), description.size());
  const std::size_t begin = text.find("gfx", kName);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find('\0', begin) - begin));
}

class HipCompiler {
 public:
  explicit HipCompiler(const SharedLibrary& hip) : hip_(hip) {}

  const std::string& lack() {
    const std::lock_guard lock(mutex_);
    open();
    return lack_;
  }

  std::string compile(const std::string& source, int device) {
    if (const std::string& why = lack(); !why.empty()) throw not_available(why);
    const std::string target = target_of(hip_, device);
    if (target.empty()) throw not_available(fmt::format("HIP does not tell for which code GPU {} is", device));
    const std::string architecture = "--offload-arch=" + target;
    // Vectors of bytes, which GPUs do not compute with, would be put together in the memory of a thread.
    const std::array<const char*, 4> options{architecture.c_str(), "-std=c++20", "-O3", "-fno-slp-vectorize"};
    void* program = nullptr;
    check(create_(&program, source.c_str(), "topowise_folds.hip", 0, nullptr, nullptr), "hiprtcCreateProgram", {});
    const std::unique_ptr<void, Destroyer> owned(program, Destroyer{destroy_});
    const int result = compile_(program, static_cast<int>(options.size()), options.data());
    check(result, "hiprtcCompileProgram", text_of(program, log_size_, log_));
    std::string code = text_of(program, code_size_, code_);
    if (code.empty()) throw not_available("hiprtc gives no code");
    return code;
  }

 private:
  using Size = int(void*, std::size_t*);
  using Text = int(void*, char*);
  struct Destroyer {
    int (*destroy)(void**);
    void operator()(void* program) const { destroy(&program); }
  };

  /// Called under the lock.
  void open() {
    if (looked_) return;
    looked_ = true;
    std::string reason;
    library_ = open_compiler(hip_, reason);
    if (!library_) {
      lack_ = fmt::format("ROCm's compiler of GPU kernels cannot be opened: {}", reason);
      return;
    }
    create_ = library_->function<Create>("hiprtcCreateProgram");
    compile_ = library_->function<Compile>("hiprtcCompileProgram");
    destroy_ = library_->function<int(void**)>("hiprtcDestroyProgram");
    log_size_ = library_->function<Size>("hiprtcGetProgramLogSize");
    log_ = library_->function<Text>("hiprtcGetProgramLog");
    code_size_ = library_->function<Size>("hiprtcGetCodeSize");
    code_ = library_->function<Text>("hiprtcGetCode");
    if (create_ == nullptr || compile_ == nullptr || destroy_ == nullptr || log_size_ == nullptr || log_ == nullptr ||
        code_size_ == nullptr || code_ == nullptr)
      lack_ = fmt::format("'{}' lacks functions of ROCm's compiler of GPU kernels", library_->name());
  }

  static std::string text_of(void* program, Size* size_of, Text* get) {
    std::size_t size = 0;
    if (size_of(program, &size) != kSuccess) return {};
    std::string text(size, '\0');
    return get(program, text.data()) == kSuccess ? text : std::string();
  }

  /// Throws with the first line in which the compiler names an error.
  static void check(int result, const char* call, const std::string& log) {
    if (result == kSuccess) return;
    const std::size_t error = std::min(log.find("error"), log.find("Error"));
    std::string line;
    if (error != std::string::npos) {
      const std::size_t begin = log.rfind('\n', error) + 1;
      line = ": " + log.substr(begin, log.find_first_of(std::string_view("\n\0", 2), error) - begin);
    }
    throw not_available(fmt::format("{} failed: error {}{}", call, result, line));
  }

  using Create = int(void**, const char*, const char*, int, const char**, const char**);
  using Compile = int(void*, int, const char* const*);
  SharedLibrary hip_;
  std::mutex mutex_;
  bool looked_ = false;
  std::string lack_;
  std::optional<SharedLibrary> library_;
  Create* create_ = nullptr;
  Compile* compile_ = nullptr;
  int (*destroy_)(void**) = nullptr;
  Size* log_size_ = nullptr;
  Size* code_size_ = nullptr;
  Text* log_ = nullptr;
  Text* code_ = nullptr;
};

/// The compiler is looked for at the first question.
void bind_compiler(Functions& table, const SharedLibrary& hip) {
  const auto compiler = std::make_shared<HipCompiler>(hip);
  table.lack_of_compiler = [compiler] { return compiler->lack(); };
  table.compile = [compiler](const std::string& source, int device) { return compiler->compile(source, device); };
}

/// hipDeviceAttribute_t counts in alphabetical order.
int attribute_number(Attribute attribute) {
  switch (attribute) {
    case Attribute::compute_capability_major:
      return 23;
    case Attribute::compute_capability_minor:
      return 61;
    case Attribute::multiprocessors:
      return 63;
    case Attribute::compute_mode:
      return 6;
    case Attribute::mps:
      break;
  }
  return -1;
}

std::function<const char*(int)> error_text(const SharedLibrary& library, const char* symbol) {
  auto* function = library.function<const char*(int)>(symbol);
  return [function](int code) { return function != nullptr ? function(code) : "unknown error"; };
}

std::string_view error_hint(int code) {
  static constexpr std::array<Hint, 7> kHints{{
      {2, 2, "'rocm-smi --showpids' shows who holds the memory"},
      {35, 35, "the runtime is newer than the kernel module: update the amdgpu driver"},
      {100, 100, "'rocminfo' lists the GPUs; HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES may hide them"},
      {209, 209, "the kernels are not built for this GPU: 'rocminfo' shows its gfx number"},
      {214, 214, "the GPU's memory is broken: 'rocm-smi --showrasinfo all'"},
      {304, 304, kSharingHint},
      {999, 999, "look into 'dmesg' for messages of amdgpu"},
  }};
  return hint_in(kHints, code);
}

void bind_devices(Functions& table, const SharedLibrary& library) {
  bind(table.version, library, {"hipDriverGetVersion"});
  bind(table.device_count, library, {"hipGetDeviceCount"});
  bind(table.device_name, library, {"hipDeviceGetName"});
  bind(table.device_uuid, library, {"hipDeviceGetUuid"});
  bind(table.pci_bus_id, library, {"hipDeviceGetPCIBusId"});
  bind(table.total_memory, library, {"hipDeviceTotalMem"});
  bind(table.can_access_peer, library, {"hipDeviceCanAccessPeer"});
  bind_initialize(table, library, "hipInit");
  table.attribute.name = "hipDeviceGetAttribute";
  if (auto* function = library.function<int(int*, int, int)>("hipDeviceGetAttribute")) {
    table.attribute.function = [function](int* value, Attribute attribute, int device) {
      const int number = attribute_number(attribute);
      if (number >= 0) return function(value, number, device);
      *value = 0;  // there is no MPS
      return kSuccess;
    };
  }
}

void bind_peer_link(Functions& table, const SharedLibrary& library) {
  constexpr int kPerformanceRank = 0;
  constexpr std::uint32_t kXgmi = 4;  // HSA_AMD_LINK_INFO_TYPE_XGMI
  table.peer_link.name = "hipExtGetLinkTypeAndHopCount";
  auto* type_of = library.function<int(int, int, std::uint32_t*, std::uint32_t*)>(table.peer_link.name);
  auto* attribute = library.function<int(int*, int, int, int)>("hipDeviceGetP2PAttribute");
  if (type_of == nullptr) return;
  table.peer_link.function = [type_of, attribute](PeerLink* link, int from, int to) {
    std::uint32_t type = 0;
    std::uint32_t hops = 0;  // 1 for all GPUs of one fabric, whether joined directly or not
    const int result = type_of(from, to, &type, &hops);
    link->bonded = type == kXgmi;
    if (attribute == nullptr || attribute(&link->rank, kPerformanceRank, from, to) != kSuccess) link->rank = -1;
    return result;
  };
}

void bind_selection(Functions& table, const SharedLibrary& library) {
  bind(table.select, library, {"hipSetDevice"});
  bind(table.selected, library, {"hipGetDevice"});
  bind(table.synchronize, library, {"hipDeviceSynchronize"});
  // HIP has a current device where CUDA has a current context: its number, counted from 1, passes for a handle.
  table.context = {"hipGetDevice", [get = table.selected.function](Handle* context) {
                     int device = 0;
                     const int result = get(&device);
                     *context = reinterpret_cast<Handle>(static_cast<std::intptr_t>(device) + 1);  // NOLINT
                     return result;
                   }};
  table.set_context = {"hipSetDevice", [set = table.select.function](Handle context) {
                         return set(static_cast<int>(reinterpret_cast<std::intptr_t>(context)) - 1);
                       }};
  table.release = {"hipSetDevice", [](int) { return kSuccess; }};  // nothing was retained
  table.enable_peer_access.name = "hipDeviceEnablePeerAccess";
  if (auto* function = library.function<int(int, unsigned)>("hipDeviceEnablePeerAccess")) {
    table.enable_peer_access.function = [function](int peer) { return function(peer, 0); };
  }
}

void bind_pointers(Functions& table, const SharedLibrary& library) {
  table.pointer_attributes.name = "hipDrvPointerGetAttributes";
  MemoryKindOf* kind_of = hip_memory_kind(library.function<HipVersion>("hipRuntimeGetVersion"));
  if (auto* function = library.function<PointerQuery>(table.pointer_attributes.name)) {
    table.pointer_attributes.function = [function, kind_of](PointerAttributes* result, const void* pointer) {
      return query_pointer(function, kind_of, pointer, *result);
    };
  }
}

void bind_memory(Functions& table, const SharedLibrary& library) {
  bind(table.memory_info, library, {"hipMemGetInfo"});
  bind(table.allocate, library, {"hipMalloc"});
  bind(table.free, library, {"hipFree"});
  bind(table.unregister_host, library, {"hipHostUnregister"});
  bind(table.copy_to_host, library, {"hipMemcpyDtoHAsync"});
  bind(table.copy, library, {"hipMemcpyDtoDAsync"});
  bind(table.copy_to_device, library, {"hipMemcpyHtoDAsync"});
  bind(table.copy_peer, library, {"hipMemcpyPeerAsync"});
  bind(table.fill, library, {"hipMemsetD8Async"});
  bind_register_host(table, library, "hipHostRegister");
}

void bind_order(Functions& table, const SharedLibrary& library) {
  bind(table.create_stream, library, {"hipStreamCreateWithFlags"});
  bind(table.destroy_stream, library, {"hipStreamDestroy"});
  bind(table.synchronize_stream, library, {"hipStreamSynchronize"});
  bind(table.query_stream, library, {"hipStreamQuery"});
  bind(table.wait_event, library, {"hipStreamWaitEvent"});
  bind(table.create_event, library, {"hipEventCreateWithFlags"});
  bind(table.destroy_event, library, {"hipEventDestroy"});
  bind(table.record_event, library, {"hipEventRecord"});
  bind(table.synchronize_event, library, {"hipEventSynchronize"});
  bind(table.query_event, library, {"hipEventQuery"});
  bind(table.elapsed, library, {"hipEventElapsedTime"});
}

void bind_sharing(Functions& table, const SharedLibrary& library) {
  bind(table.export_memory, library, {"hipIpcGetMemHandle"});
  bind(table.close_memory, library, {"hipIpcCloseMemHandle"});
  bind(table.export_event, library, {"hipIpcGetEventHandle"});
  bind(table.import_event, library, {"hipIpcOpenEventHandle"});
  bind_import_memory(table, library, {"hipIpcOpenMemHandle"});
}

void bind_kernels(Functions& table, const SharedLibrary& library) {
  bind(table.load_module, library, {"hipModuleLoadData"});
  bind(table.unload_module, library, {"hipModuleUnload"});
  bind(table.find_kernel, library, {"hipModuleGetFunction"});
  bind_launch(table, library, "hipModuleLaunchKernel");
}

Functions fill(const SharedLibrary& library) {
  Functions table;
  table.error_name = error_text(library, "hipGetErrorName");
  table.error_description = error_text(library, "hipGetErrorString");
  table.error_hint = error_hint;
  bind_devices(table, library);
  bind_peer_link(table, library);
  bind_selection(table, library);
  bind_pointers(table, library);
  bind_memory(table, library);
  bind_order(table, library);
  bind_sharing(table, library);
  bind_kernels(table, library);
  bind_compiler(table, library);
  return table;
}

}  // namespace

const Backend& hip_backend() {
  static const Backend backend{kHipLibrary, "AMD GPUs, by HIP (experimental: never seen an AMD GPU)", fill};
  return backend;
}

}  // namespace topowise::device
