// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/pointer_kind.hpp>

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <span>

#include <topowise/device/library_names.hpp>

namespace topowise::device {
namespace {

// Pointer attributes of both vendors.
constexpr int kMemoryType = 2;
constexpr int kBufferId = 7;
constexpr int kIsManaged = 8;
constexpr int kDeviceOrdinal = 9;
constexpr int kRangeStart = 11;
constexpr int kRangeSize = 12;
constexpr int kInvalidValue = 1;

using AttributeQuery = int(void*, int, Address);
using BusIdQuery = int(char*, int, int);
using CurrentQuery = int(int*);

/// A driver that the program has loaded.
struct Loaded {
  PointerQuery* query = nullptr;
  AttributeQuery* one = nullptr;
  BusIdQuery* bus_id = nullptr;
  CurrentQuery* current = nullptr;
  MemoryKindOf* kind_of = nullptr;
};

/// dlopen that only finds what is there already. The count that it adds keeps the library in the program.
void* already_loaded(const LibraryNames& names) noexcept {
  const char* other = std::getenv(names.variable);
  if (other != nullptr && *other != '\0') return ::dlopen(other, RTLD_LAZY | RTLD_NOLOAD);
  for (const char* name : names.usual) {
    if (name == nullptr) continue;
    if (void* handle = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return handle;
  }
  return nullptr;
}

Loaded find_cuda() noexcept {
  void* library = already_loaded(kCudaLibrary);
  if (library == nullptr) return {};
  return {reinterpret_cast<PointerQuery*>(::dlsym(library, "cuPointerGetAttributes")),
          reinterpret_cast<AttributeQuery*>(::dlsym(library, "cuPointerGetAttribute")),
          reinterpret_cast<BusIdQuery*>(::dlsym(library, "cuDeviceGetPCIBusId")),
          reinterpret_cast<CurrentQuery*>(::dlsym(library, "cuCtxGetDevice")), cuda_memory_kind};
}

Loaded find_hip() noexcept {
  void* library = already_loaded(kHipLibrary);
  if (library == nullptr) return {};
  return {reinterpret_cast<PointerQuery*>(::dlsym(library, "hipDrvPointerGetAttributes")),
          reinterpret_cast<AttributeQuery*>(::dlsym(library, "hipPointerGetAttribute")),
          reinterpret_cast<BusIdQuery*>(::dlsym(library, "hipDeviceGetPCIBusId")),
          reinterpret_cast<CurrentQuery*>(::dlsym(library, "hipGetDevice")),
          hip_memory_kind(reinterpret_cast<HipVersion*>(::dlsym(library, "hipRuntimeGetVersion")))};
}

/// Libraries that the program has loaded so far, without a look at any of them.
unsigned long long loads_so_far() noexcept {
  unsigned long long loads = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;  // the count is the same in every entry
      },
      &loads);
  return loads;
}

std::atomic<PointerQuery*> found_query{nullptr};
std::atomic<MemoryKindOf*> found_kind_of{nullptr};
std::atomic<AttributeQuery*> found_one{nullptr};
std::atomic<BusIdQuery*> found_bus_id{nullptr};
std::atomic<CurrentQuery*> found_current{nullptr};
std::atomic<unsigned long long> loads_when_not_found{0};

PointerQuery* find_query() noexcept {
  if (PointerQuery* query = found_query.load(std::memory_order_acquire)) return query;
  const unsigned long long loads = loads_so_far();
  if (loads == loads_when_not_found.load(std::memory_order_relaxed)) return nullptr;
  Loaded loaded = find_cuda();
  if (loaded.query == nullptr) loaded = find_hip();
  if (loaded.query == nullptr) {
    loads_when_not_found.store(loads, std::memory_order_relaxed);
    return nullptr;
  }
  found_kind_of.store(loaded.kind_of, std::memory_order_relaxed);
  found_one.store(loaded.one, std::memory_order_relaxed);
  found_bus_id.store(loaded.bus_id, std::memory_order_relaxed);
  found_current.store(loaded.current, std::memory_order_relaxed);
  found_query.store(loaded.query, std::memory_order_release);
  return loaded.query;
}

// Kinds by the vendor's number of a memory type; a number beyond the end is host memory.
constexpr std::array kCudaKinds{MemoryKind::host, MemoryKind::pinned, MemoryKind::device, MemoryKind::device,  // array
                                MemoryKind::managed};
constexpr std::array kHip5Kinds{MemoryKind::pinned, MemoryKind::device, MemoryKind::device,  // array
                                MemoryKind::managed, MemoryKind::managed};
constexpr std::array kHip6Kinds{MemoryKind::host,   MemoryKind::pinned, MemoryKind::device, MemoryKind::managed,
                                MemoryKind::host,   MemoryKind::host,   MemoryKind::host,   MemoryKind::host,
                                MemoryKind::host,   MemoryKind::host,   MemoryKind::device,  // array
                                MemoryKind::managed};

MemoryKind kind_in(std::span<const MemoryKind> kinds, unsigned type, bool managed) noexcept {
  if (managed) return MemoryKind::managed;
  return type < kinds.size() ? kinds[type] : MemoryKind::host;
}

}  // namespace

MemoryKind cuda_memory_kind(unsigned type, bool managed) noexcept {
  return kind_in(kCudaKinds, type, managed);
}

MemoryKind hip5_memory_kind(unsigned type, bool managed) noexcept {
  return kind_in(kHip5Kinds, type, managed);
}

MemoryKind hip6_memory_kind(unsigned type, bool managed) noexcept {
  return kind_in(kHip6Kinds, type, managed);
}

MemoryKindOf* hip_memory_kind(HipVersion* version) noexcept {
  constexpr int kRocm6 = 60000000;
  int number = 0;
  if (version != nullptr) version(&number);
  return number < kRocm6 ? hip5_memory_kind : hip6_memory_kind;
}

int query_pointer(PointerQuery* query, MemoryKindOf* kind_of, const void* pointer, PointerAttributes& result) noexcept {
  constexpr unsigned kNoType = ~0U;
  unsigned type = kNoType;
  std::uint32_t managed = 0;
  PointerAttributes found;
  constexpr std::array<int, 6> kNumbers{kMemoryType, kIsManaged, kDeviceOrdinal, kRangeStart, kRangeSize, kBufferId};
  std::array<void*, 6> values{&type, &managed, &found.device, &found.base, &found.size, &found.buffer};
  const int code =
      query(static_cast<unsigned>(kNumbers.size()), kNumbers.data(), values.data(), reinterpret_cast<Address>(pointer));
  result = PointerAttributes{};
  if (code == kInvalidValue) return kSuccess;  // how drivers say "not mine"
  if (code != kSuccess) return code;
  // cuPointerGetAttributes is a success for a pointer that it does not know, and then writes zeros.
  if (found.size == 0 || type == kNoType) return kSuccess;
  found.kind = kind_of(type, (managed & 0xff) != 0);  // IS_MANAGED writes one byte or four, by version
  if (found.kind == MemoryKind::host) return kSuccess;
  if (found.kind == MemoryKind::pinned) found.device = -1;
  result = found;
  return kSuccess;
}

bool driver_in_program() noexcept {
  return find_query() != nullptr;
}

int ask_pointer(const void* pointer, PointerAttributes& result) noexcept {
  PointerQuery* query = find_query();
  result = PointerAttributes{};
  return query == nullptr ? kSuccess
                          : query_pointer(query, found_kind_of.load(std::memory_order_relaxed), pointer, result);
}

PointerAttributes pointer_attributes(const void* pointer) noexcept {
  PointerAttributes result;
  ask_pointer(pointer, result);
  return result;
}

std::uint64_t buffer_number(const void* pointer) noexcept {
  std::uint64_t number = 0;
  AttributeQuery* one = find_query() != nullptr ? found_one.load(std::memory_order_relaxed) : nullptr;
  if (one == nullptr || one(&number, kBufferId, reinterpret_cast<Address>(pointer)) != kSuccess) return 0;
  return number;
}

void write_bus_id(int device, char* text, int size) noexcept {
  BusIdQuery* bus_id = find_query() != nullptr ? found_bus_id.load(std::memory_order_relaxed) : nullptr;
  if (bus_id == nullptr || bus_id(text, size, device) != kSuccess) text[0] = '\0';
}

int current_gpu() noexcept {
  CurrentQuery* current = find_query() != nullptr ? found_current.load(std::memory_order_relaxed) : nullptr;
  int gpu = -1;
  return current != nullptr && current(&gpu) == kSuccess ? gpu : -1;
}

}  // namespace topowise::device
