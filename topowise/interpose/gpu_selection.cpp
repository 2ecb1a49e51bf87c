// SPDX-License-Identifier: BSD-3-Clause
// This uses few functions and prototypes of its own, not the table of device/: that one throws and formats, which must
// not happen in somebody else's program. The context that is made current is the device's primary one, which the CUDA
// runtime takes over: cudaGetDevice() then names this device.
#include <topowise/interpose/gpu_selection.hpp>

#include <dlfcn.h>
#include <strings.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <topowise/device/library_names.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_variables.hpp>

namespace topowise::interpose {
namespace {

/// The functions of one vendor by the names that it gives them.
struct Symbols {
  const char* initialize;
  const char* count;
  const char* bus_id;
  const char* uuid;
  const char* error_name;
  const char* current;
};
constexpr Symbols kCuda{"cuInit",         "cuDeviceGetCount", "cuDeviceGetPCIBusId", "cuDeviceGetUuid_v2",
                        "cuGetErrorName", "cuCtxGetDevice"};
constexpr Symbols kHip{"hipInit", "hipGetDeviceCount", "hipDeviceGetPCIBusId", "hipDeviceGetUuid",
                       nullptr,   "hipGetDevice"};

struct Uuid {
  unsigned char bytes[16];
};

template <class Function>
Function* function(void* library, const char* name) {
  return name != nullptr ? reinterpret_cast<Function*>(::dlsym(library, name)) : nullptr;
}

void* open_library(const device::LibraryNames& names, int how = RTLD_NOW) {
  const char* other = std::getenv(names.variable);
  if (other != nullptr && *other != '\0') return ::dlopen(other, how);
  for (const char* name : names.usual) {
    void* library = name != nullptr ? ::dlopen(name, how) : nullptr;
    if (library != nullptr) return library;
  }
  return nullptr;
}

bool is_position(const char* name) {
  return *name != '\0' && std::strspn(name, "0123456789") == std::strlen(name);
}

/// "GPU-01234567-89ab-cdef-0123-456789abcdef"; MIG instances have the same with another beginning.
bool has_uuid(const Uuid& uuid, const char* name) {
  const char* digits = std::strchr(name, '-');
  char text[2 * sizeof(Uuid) + 1];
  for (std::size_t i = 0; i < sizeof(Uuid); ++i) std::snprintf(text + 2 * i, 3, "%02x", uuid.bytes[i]);
  for (const char* mine = text; digits != nullptr && *digits != '\0'; ++digits) {
    if (*digits == '-') continue;
    const char pair[2] = {*digits, '\0'};
    const char own[2] = {*mine, '\0'};
    if (*mine == '\0' || ::strcasecmp(pair, own) != 0) return false;
    ++mine;
  }
  return digits != nullptr;
}

/// The ordinal of the named device, or -1.
int find_device(void* library, const Symbols& symbols, const char* name) {
  int devices = 0;
  auto* count = function<int(int*)>(library, symbols.count);
  if (count == nullptr || count(&devices) != 0) return -1;
  if (is_position(name)) return std::atoi(name) < devices ? std::atoi(name) : -1;
  auto* bus_id = function<int(char*, int, int)>(library, symbols.bus_id);
  auto* uuid = function<int(Uuid*, int)>(library, symbols.uuid);
  for (int device = 0; device < devices; ++device) {
    char its_bus_id[32] = "";
    Uuid its_uuid{};
    if (bus_id != nullptr && bus_id(its_bus_id, sizeof(its_bus_id), device) == 0 && ::strcasecmp(its_bus_id, name) == 0)
      return device;
    if (uuid != nullptr && uuid(&its_uuid, device) == 0 && has_uuid(its_uuid, name)) return device;
  }
  return -1;
}

/// Makes a device current; returns the driver's result.
int make_current(void* library, bool cuda, int device) {
  if (!cuda) {
    auto* set = function<int(int)>(library, "hipSetDevice");
    return set != nullptr ? set(device) : -1;
  }
  auto* retain = function<int(void**, int)>(library, "cuDevicePrimaryCtxRetain");
  auto* set = function<int(void*)>(library, "cuCtxSetCurrent");
  void* context = nullptr;
  const int result = retain != nullptr && set != nullptr ? retain(&context, device) : -1;
  return result == 0 ? set(context) : result;
}

/// The number of this rank by its launcher, by which the mapping counts; below 0 if memory is short.
int launched_rank() {
  try {
    return static_cast<int>(job::this_process().rank);
  } catch (...) {
    return -1;
  }
}

void say(const char* name, void* library, const Symbols& symbols, const char* call, int result) {
  const char* reason = "unknown error";
  auto* error_name = function<int(int, const char**)>(library, symbols.error_name);
  if (error_name != nullptr) error_name(result, &reason);
  print_stderr(-1, "GPU %s is not made current: %s: %s (%d); the program chooses for itself", name, call, reason,
               result);
}

}  // namespace

void select_gpu() noexcept {
  static std::atomic<bool> done{false};
  const char* name = std::getenv(kGpuVariable);
  if (name == nullptr || *name == '\0' || done.exchange(true)) return;
  void* library = open_library(device::kCudaLibrary);
  const bool cuda = library != nullptr;
  if (!cuda) library = open_library(device::kHipLibrary);
  if (library == nullptr) {
    if (speaks_for_machine(-1))
      print_stderr(-1, "GPU %s is not made current: no GPU driver is there; the program chooses for itself", name);
    return;
  }
  const Symbols& symbols = cuda ? kCuda : kHip;
  auto* initialize = function<int(unsigned)>(library, symbols.initialize);
  if (const int result = initialize != nullptr ? initialize(0) : -1; result != 0)
    return say(name, library, symbols, symbols.initialize, result);
  const int device = find_device(library, symbols, name);
  if (device < 0) {
    print_stderr(-1, "GPU %s is not made current: this process does not see it; the program chooses for itself", name);
    return;
  }
  if (const int result = make_current(library, cuda, device); result != 0)
    say(name, library, symbols, cuda ? "cuDevicePrimaryCtxRetain" : "hipSetDevice", result);
}

void verify_gpu() noexcept {
  static std::atomic<bool> done{false};
  const char* name = std::getenv(kVerifiedGpuVariable);
  if (name == nullptr || *name == '\0' || done.exchange(true)) return;
  constexpr int kLoaded = RTLD_NOW | RTLD_NOLOAD;
  void* library = open_library(device::kCudaLibrary, kLoaded);
  const bool cuda = library != nullptr;
  if (!cuda) library = open_library(device::kHipLibrary, kLoaded);
  if (library == nullptr) return;
  const Symbols& symbols = cuda ? kCuda : kHip;
  int device = -1;
  auto* current = function<int(int*)>(library, symbols.current);
  if (current == nullptr || current(&device) != 0) return;
  const int mapped = find_device(library, symbols, name);
  if (device == mapped) return;
  char chosen[32] = "";
  auto* bus_id = function<int(char*, int, int)>(library, symbols.bus_id);
  if (bus_id == nullptr || bus_id(chosen, sizeof(chosen), device) != 0)
    std::snprintf(chosen, sizeof(chosen), "number %d", device);
  print_stderr(launched_rank(),
               "verify: at the end of MPI the current GPU is %s, not %s of the mapping: the program has chosen it, and "
               "another --gpu-bind may suit the program",
               chosen, name);
}

}  // namespace topowise::interpose
