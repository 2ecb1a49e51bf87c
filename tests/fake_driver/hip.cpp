// SPDX-License-Identifier: BSD-3-Clause
// The same virtual node under the names of HIP. It differs from the CUDA driver in three ways: the first call
// initialises it, devices are selected by number, from 0 in each thread, and need no context, and errors have other
// names.
#include <topowise/device/functions.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "environment.hpp"
#include "memory.hpp"

using topowise::device::IpcHandle;
using topowise::fake::DevicePointer;

const char* topowise::fake::node_variable() {
  constexpr const char* kOwn = "TOPOWISE_FAKE_HIP_NODE";
  return text_variable(kOwn).empty() ? "TOPOWISE_FAKE_NODE" : kOwn;
}

bool topowise::fake::is_ready_by_itself() {
  return true;
}

// These functions are in api_*.cpp.
extern "C" {
int cuInit(unsigned);
int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);
int cuDeviceGetCount(int*);
int cuDeviceGetName(char*, int, int);
int cuDeviceGetUuid_v2(unsigned char*, int);
int cuDeviceGetPCIBusId(char*, int, int);
int cuDeviceTotalMem_v2(std::size_t*, int);
int cuDeviceCanAccessPeer(int*, int, int);
int cuDeviceGetP2PAttribute(int*, int, int, int);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxGetDevice(int*);
int cuCtxSynchronize();
int cuCtxEnablePeerAccess(void*, unsigned);
int cuMemGetInfo_v2(std::size_t*, std::size_t*);
int cuMemAlloc_v2(DevicePointer*, std::size_t);
int cuMemFree_v2(DevicePointer);
int cuMemHostRegister_v2(void*, std::size_t, unsigned);
int cuMemHostUnregister(void*);
int cuPointerGetAttributes(unsigned, const int*, void**, DevicePointer);
int cuMemcpyHtoDAsync_v2(DevicePointer, const void*, std::size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, DevicePointer, std::size_t, void*);
int cuMemcpyDtoDAsync_v2(DevicePointer, DevicePointer, std::size_t, void*);
int cuMemcpyHtoD_v2(DevicePointer, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, DevicePointer, std::size_t);
int cuMemsetD8Async(DevicePointer, unsigned char, std::size_t, void*);
int cuStreamCreate(void**, unsigned);
int cuStreamDestroy_v2(void*);
int cuStreamSynchronize(void*);
int cuStreamQuery(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuEventCreate(void**, unsigned);
int cuEventDestroy_v2(void*);
int cuEventRecord(void*, void*);
int cuEventQuery(void*);
int cuEventSynchronize(void*);
int cuEventElapsedTime(float*, void*, void*);
int cuIpcGetMemHandle(IpcHandle*, DevicePointer);
int cuIpcOpenMemHandle_v2(DevicePointer*, IpcHandle, unsigned);
int cuIpcCloseMemHandle(DevicePointer);
int cuIpcGetEventHandle(IpcHandle*, void*);
int cuIpcOpenEventHandle(void**, IpcHandle);
}

namespace {

/// "CUDA_ERROR_OUT_OF_MEMORY" -> "hipErrorOutOfMemory"
std::string hip_name(const std::string& name) {
  std::string result = "hip";
  bool begin = true;
  for (const char c : name.substr(name.find('_') + 1)) {
    if (c != '_') result += static_cast<char>(begin ? c : std::tolower(static_cast<unsigned char>(c)));
    begin = c == '_';
  }
  return result;
}

constexpr int kVersion = 50200000;  // ROCm 5.2: memory types as they were before ROCm 6

}  // namespace

extern "C" {

int hipInit(unsigned flags) {
  return cuInit(flags);
}

const char* hipGetErrorName(int code) {
  static std::mutex mutex;
  static std::map<int, std::string> names;  // a map keeps its texts in place
  const char* cuda_name = "CUDA_ERROR_UNKNOWN";
  cuGetErrorName(code, &cuda_name);
  const std::lock_guard lock(mutex);
  return names.try_emplace(code, hip_name(cuda_name != nullptr ? cuda_name : "CUDA_ERROR_UNKNOWN"))
      .first->second.c_str();
}

const char* hipGetErrorString(int code) {
  const char* text = nullptr;
  return cuGetErrorString(code, &text) == 0 ? text : "unknown error";
}

int hipDriverGetVersion(int* version) {
  *version = kVersion;
  return 0;
}

int hipRuntimeGetVersion(int* version) {
  *version = kVersion;
  return 0;
}

int hipGetDeviceCount(int* count) {
  return cuDeviceGetCount(count);
}

int hipDeviceGetName(char* name, int size, int device) {
  return cuDeviceGetName(name, size, device);
}

int hipDeviceGetUuid(unsigned char* uuid, int device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

int hipDeviceGetPCIBusId(char* text, int size, int device) {
  return cuDeviceGetPCIBusId(text, size, device);
}

int hipDeviceTotalMem(std::size_t* size, int device) {
  return cuDeviceTotalMem_v2(size, device);
}

int hipDeviceGetAttribute(int* value, int /*attribute*/, int device) {
  *value = 0;
  std::size_t size = 0;
  return cuDeviceTotalMem_v2(&size, device);  // says only whether there is such a device
}

int hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return cuDeviceCanAccessPeer(can, device, peer);
}

/// HIP counts the attributes from 0.
int hipDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
  return cuDeviceGetP2PAttribute(value, attribute + 1, device, peer);
}

int hipExtGetLinkTypeAndHopCount(int device, int peer, std::uint32_t* type, std::uint32_t* hops) {
  constexpr int kNativeAtomics = 3;
  int bond = 0;
  const int code = cuDeviceGetP2PAttribute(&bond, kNativeAtomics, device, peer);
  *type = bond != 0 ? 4 : 2;  // xGMI, PCI Express
  *hops = bond != 0 ? 1 : 2;
  return code;
}

int hipSetDevice(int device) {
  void* context = nullptr;
  const int code = cuDevicePrimaryCtxRetain(&context, device);
  return code == 0 ? cuCtxSetCurrent(context) : code;
}

int hipGetDevice(int* device) {
  return cuCtxGetDevice(device);
}

int hipDeviceSynchronize() {
  return cuCtxSynchronize();
}

int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  void* context = nullptr;
  const int code = cuDevicePrimaryCtxRetain(&context, peer);
  return code == 0 ? cuCtxEnablePeerAccess(context, flags) : code;
}

int hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return cuMemGetInfo_v2(free, total);
}

int hipMalloc(DevicePointer* address, std::size_t size) {
  return cuMemAlloc_v2(address, size);
}

int hipFree(DevicePointer address) {
  return cuMemFree_v2(address);
}

int hipHostRegister(void* begin, std::size_t size, unsigned flags) {
  return cuMemHostRegister_v2(begin, size, flags);
}

int hipHostUnregister(void* begin) {
  return cuMemHostUnregister(begin);
}

/// Memory types as HIP numbered them until ROCm 5: 0 host, 1 device.
int hipDrvPointerGetAttributes(unsigned count, const int* attributes, void** to, DevicePointer address) {
  const int code = cuPointerGetAttributes(count, attributes, to, address);
  constexpr int kMemoryType = 2;
  for (unsigned i = 0; i < count && code == 0; ++i) {
    auto* type = static_cast<unsigned*>(to[i]);
    if (attributes[i] == kMemoryType && *type > 0) --*type;
  }
  return code;
}

int hipPointerGetAttribute(void* to, int attribute, DevicePointer address) {
  return hipDrvPointerGetAttributes(1, &attribute, &to, address);
}

int hipMemcpyHtoDAsync(DevicePointer to, const void* from, std::size_t size, void* stream) {
  return cuMemcpyHtoDAsync_v2(to, from, size, stream);
}

int hipMemcpyDtoHAsync(void* to, DevicePointer from, std::size_t size, void* stream) {
  return cuMemcpyDtoHAsync_v2(to, from, size, stream);
}

int hipMemcpyHtoD(DevicePointer to, const void* from, std::size_t size) {
  return cuMemcpyHtoD_v2(to, from, size);
}

int hipMemcpyDtoH(void* to, DevicePointer from, std::size_t size) {
  return cuMemcpyDtoH_v2(to, from, size);
}

int hipMemcpyDtoDAsync(DevicePointer to, DevicePointer from, std::size_t size, void* stream) {
  return cuMemcpyDtoDAsync_v2(to, from, size, stream);
}

int hipMemcpyPeerAsync(DevicePointer to, int /*to_device*/, DevicePointer from, int /*from_device*/, std::size_t size,
                       void* stream) {
  return cuMemcpyDtoDAsync_v2(to, from, size, stream);
}

int hipMemsetD8Async(DevicePointer to, unsigned char value, std::size_t size, void* stream) {
  return cuMemsetD8Async(to, value, size, stream);
}

int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  return cuStreamCreate(stream, flags);
}

int hipStreamDestroy(void* stream) {
  return cuStreamDestroy_v2(stream);
}

int hipStreamSynchronize(void* stream) {
  return cuStreamSynchronize(stream);
}

int hipStreamQuery(void* stream) {
  return cuStreamQuery(stream);
}

int hipStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return cuStreamWaitEvent(stream, event, flags);
}

int hipEventCreateWithFlags(void** event, unsigned flags) {
  return cuEventCreate(event, flags);
}

int hipEventDestroy(void* event) {
  return cuEventDestroy_v2(event);
}

int hipEventRecord(void* event, void* stream) {
  return cuEventRecord(event, stream);
}

int hipEventQuery(void* event) {
  return cuEventQuery(event);
}

int hipEventSynchronize(void* event) {
  return cuEventSynchronize(event);
}

int hipEventElapsedTime(float* milliseconds, void* start, void* end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

int hipIpcGetMemHandle(IpcHandle* handle, DevicePointer address) {
  return cuIpcGetMemHandle(handle, address);
}

int hipIpcOpenMemHandle(DevicePointer* address, IpcHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

int hipIpcCloseMemHandle(DevicePointer address) {
  return cuIpcCloseMemHandle(address);
}

int hipIpcGetEventHandle(IpcHandle* handle, void* event) {
  return cuIpcGetEventHandle(handle, event);
}

int hipIpcOpenEventHandle(void** event, IpcHandle handle) {
  return cuIpcOpenEventHandle(event, handle);
}

}  // extern "C"
