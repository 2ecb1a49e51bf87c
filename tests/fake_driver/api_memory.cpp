// SPDX-License-Identifier: BSD-3-Clause
// Allocation, copies, pointers.
#include <cstring>

#include "process.hpp"

using namespace topowise::fake;

namespace {

// Pointer attributes, by the driver's numbers.
constexpr int kContext = 1;
constexpr int kMemoryType = 2;
constexpr int kDevicePointer = 3;
constexpr int kHostPointer = 4;
constexpr int kBufferId = 7;
constexpr int kIsManaged = 8;
constexpr int kDeviceOrdinal = 9;
constexpr int kRangeStart = 11;
constexpr int kRangeSize = 12;

constexpr unsigned kHostMemory = 1;
constexpr unsigned kDeviceMemory = 2;

/// The facts about a pointer; `type` 0: it is unknown.
struct Pointer {
  unsigned type = 0;
  int device = -2;  // the driver writes this for an unknown pointer
  std::uint64_t base = 0, size = 0, buffer = 0;
  Context* context = nullptr;
};

Pointer look_up(Process& self, std::uint64_t address) {
  if (const std::optional<Allocation> found = self.memory().find(address)) {
    Pointer pointer{kDeviceMemory, -2, found->base, found->size, found->buffer, nullptr};
    for (int i = 0; i < static_cast<int>(self.devices().size()); ++i) {
      if (self.gpu_of(i) != found->gpu) continue;
      pointer.device = i;
      pointer.context = self.context(i);
    }
    return pointer;
  }
  if (const auto range = self.registered(address)) {
    // Registered memory has a buffer number as well, which only has to differ from those of device memory.
    return {kHostMemory, 0, range->first, range->second, range->first | (std::uint64_t{1} << 63), self.context(0)};
  }
  return {};
}

template <class T>
void write(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

int attribute_of(const Pointer& pointer, int attribute, std::uint64_t address, void* to) {
  switch (attribute) {
    case kContext:
      write(to, pointer.context);
      break;
    case kMemoryType:
      write(to, pointer.type);
      break;
    case kDevicePointer:
      write(to, pointer.type != 0 ? address : 0);
      break;
    case kHostPointer:
      write(to, pointer.type == kHostMemory ? address : 0);
      break;
    case kBufferId:
      write(to, pointer.buffer);
      break;
    case kIsManaged:
      write(to, 0U);
      break;
    case kDeviceOrdinal:
      write(to, pointer.device);
      break;
    case kRangeStart:
      write(to, pointer.base);
      break;
    case kRangeSize:
      write(to, pointer.size);
      break;
    default:
      return result::kInvalidValue;
  }
  return result::kSuccess;
}

/// A stretch of memory that a copy reads or writes.
struct Side {
  char* inside = nullptr;  ///< null: not a live allocation
  int gpu = -1;            ///< -1: host memory
};

Side side(Process& self, DevicePointer address, std::size_t size) {
  Side result{self.memory().reach(address, size)};
  if (const std::optional<Allocation> found = self.memory().find(address)) result.gpu = found->gpu;
  return result;
}

/// A paced copy; null unless the copy goes from GPU to GPU and pacing is on.
PacedCopy* begin_pace(Process& self, const Side& to, const Side& from, std::size_t size, Nanoseconds start) {
  if (self.pace() == nullptr || to.gpu < 0 || from.gpu < 0 || to.gpu == from.gpu) return nullptr;
  const std::vector<Gpu>& gpus = self.node().gpus;
  return self.pace()->begin(gpus[static_cast<std::size_t>(from.gpu)].place,
                            gpus[static_cast<std::size_t>(to.gpu)].place, size, start);
}

/// Runs in the stream. The copy is put on the wires first: other copies feel it while this machine moves the bytes.
Nanoseconds do_copy(Process& self, const Side& to, const Side& from, std::size_t size, Nanoseconds start) {
  PacedCopy* paced = begin_pace(self, to, from, size, start);
  std::memmove(to.inside, from.inside, size);
  return paced != nullptr ? self.pace()->finish(*paced) : now();
}

int start_copy(Process& self, DevicePointer to, DevicePointer from, std::size_t size, void* stream_handle) {
  if (size == 0) return result::kSuccess;
  const std::shared_ptr<Stream> stream = self.stream(stream_handle);
  if (!stream) return result::kInvalidHandle;
  const Side to_side = side(self, to, size);
  const Side from_side = side(self, from, size);
  if (to_side.inside == nullptr || from_side.inside == nullptr) return result::kInvalidValue;
  self.push(stream, [&self, to_side, from_side, size](Nanoseconds start) {
    return do_copy(self, to_side, from_side, size, start);
  });
  return result::kSuccess;
}

/// The form of the call that returns when the copy is complete.
int copy_now(const char* name, DevicePointer to, DevicePointer from, std::size_t size) {
  return call_in_context(name, [&](Process& self, Context& context) {
    const int code = start_copy(self, to, from, size, nullptr);
    if (code == result::kSuccess) context.default_stream->ticket().wait();
    return code;
  });
}

int copy_later(const char* name, DevicePointer to, DevicePointer from, std::size_t size, void* stream) {
  return call_in_context(name, [&](Process& self, Context&) { return start_copy(self, to, from, size, stream); });
}

int start_fill(Process& self, DevicePointer to, unsigned char value, std::size_t size, void* stream_handle) {
  const std::shared_ptr<Stream> stream = self.stream(stream_handle);
  if (!stream) return result::kInvalidHandle;
  char* inside = self.memory().is_device_range(to) ? self.memory().reach(to, size) : nullptr;
  if (inside == nullptr) return result::kInvalidValue;
  self.push(stream, [inside, value, size](Nanoseconds) {
    std::memset(inside, value, size);
    return now();
  });
  return result::kSuccess;
}

DevicePointer address_of(const void* pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

}  // namespace

extern "C" {

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return call_in_context("cuMemGetInfo", [&](Process& self, Context& context) {
    *free = self.memory().free_size(self.gpu_of(context.device));
    *total = self.memory().gpu_size();
    return result::kSuccess;
  });
}

int cuMemAlloc_v2(DevicePointer* address, std::size_t size) {
  return call_in_context("cuMemAlloc", [&](Process& self, Context& context) {
    return self.memory().allocate(self.gpu_of(context.device), size, *address);
  });
}

int cuMemFree_v2(DevicePointer address) {
  return call_in_context("cuMemFree", [&](Process& self, Context& context) {
    if (address == 0) return result::kSuccess;
    self.synchronize(context.device);
    return self.memory().release(address);
  });
}

int cuMemHostRegister_v2(void* begin, std::size_t size, unsigned /*flags*/) {
  return call("cuMemHostRegister", [&](Process& self) { return self.register_host(static_cast<char*>(begin), size); });
}

int cuMemHostUnregister(void* begin) {
  return call("cuMemHostUnregister", [&](Process& self) { return self.unregister_host(static_cast<char*>(begin)); });
}

int cuMemGetAddressRange_v2(DevicePointer* base, std::size_t* size, DevicePointer address) {
  return call("cuMemGetAddressRange", [&](Process& self) {
    const std::optional<Allocation> found = self.memory().find(address);
    if (!found) return result::kNotFound;
    if (base != nullptr) *base = found->base;
    if (size != nullptr) *size = found->size;
    return result::kSuccess;
  });
}

int cuPointerGetAttribute(void* to, int attribute, DevicePointer address) {
  return call("cuPointerGetAttribute", [&](Process& self) {
    const Pointer pointer = look_up(self, address);
    return pointer.type == 0 ? result::kInvalidValue : attribute_of(pointer, attribute, address, to);
  });
}

int cuPointerGetAttributes(unsigned count, const int* attributes, void** to, DevicePointer address) {
  return call("cuPointerGetAttributes", [&](Process& self) {
    const Pointer pointer = look_up(self, address);
    for (unsigned i = 0; i < count; ++i) {
      if (const int code = attribute_of(pointer, attributes[i], address, to[i])) return code;
    }
    return result::kSuccess;
  });
}

int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t size) {
  return copy_now("cuMemcpyHtoD", to, address_of(from), size);
}

int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t size) {
  return copy_now("cuMemcpyDtoH", address_of(to), from, size);
}

int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t size) {
  return copy_now("cuMemcpyDtoD", to, from, size);
}

int cuMemcpy(DevicePointer to, DevicePointer from, std::size_t size) {
  return copy_now("cuMemcpy", to, from, size);
}

int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t size, void* stream) {
  return copy_later("cuMemcpyHtoDAsync", to, address_of(from), size, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t size, void* stream) {
  return copy_later("cuMemcpyDtoHAsync", address_of(to), from, size, stream);
}

int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t size, void* stream) {
  return copy_later("cuMemcpyDtoDAsync", to, from, size, stream);
}

int cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t size, void* stream) {
  return copy_later("cuMemcpyAsync", to, from, size, stream);
}

int cuMemcpyPeerAsync(DevicePointer to, void* to_context, DevicePointer from, void* from_context, std::size_t size,
                      void* stream) {
  return call_in_context("cuMemcpyPeerAsync", [&](Process& self, Context&) {
    if (self.context(to_context) == nullptr || self.context(from_context) == nullptr) return result::kInvalidContext;
    return start_copy(self, to, from, size, stream);
  });
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t size) {
  return call_in_context("cuMemsetD8", [&](Process& self, Context& context) {
    const int code = start_fill(self, to, value, size, nullptr);
    if (code == result::kSuccess) context.default_stream->ticket().wait();
    return code;
  });
}

int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t size, void* stream) {
  return call_in_context("cuMemsetD8Async",
                         [&](Process& self, Context&) { return start_fill(self, to, value, size, stream); });
}

}  // extern "C"
