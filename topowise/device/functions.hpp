// SPDX-License-Identifier: BSD-3-Clause
// The neutral table: what topowise asks of a GPU's driver, under names that belong to no vendor. A back-end fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace topowise::device {

/// An address in device memory. Never dereferenced by the host.
using Address = std::uint64_t;
/// Streams, events, modules and kernels are the driver's own pointers.
using Handle = void*;

/// A handle that goes to another process. Both vendors' handles have this size and are passed by value.
struct IpcHandle {
  unsigned char bytes[64];
};
struct Uuid {
  unsigned char bytes[16];
};

/// Where a pointer points. `allocation` is empty (size 0) for memory that the driver does not know.
enum class MemoryKind : unsigned char {
  host,     ///< ordinary, unknown to the driver
  pinned,   ///< of the host, registered with or allocated by the driver
  device,   ///< of one GPU
  managed,  ///< moves between the host and GPUs by itself
};
struct PointerAttributes {
  MemoryKind kind = MemoryKind::host;
  int device = -1;           ///< ordinal; -1 for host memory
  Address base = 0;          ///< of the whole allocation
  std::uint64_t size = 0;    ///< of the whole allocation
  std::uint64_t buffer = 0;  ///< number of the allocation; never used twice in a process, so it tells reused addresses
};

/// Properties by neutral names.
enum class Attribute : unsigned char {
  compute_capability_major,
  compute_capability_minor,
  multiprocessors,
  compute_mode,  ///< 0 default, 2 prohibited, 3 one process only
  mps,           ///< 1 in a process that is a client of MPS
};

/// How two GPUs are joined, as far as a driver states it.
struct PeerLink {
  bool bonded = false;  ///< by the vendor's own wires (NVLink, xGMI), directly or through switches
  int rank = -1;        ///< in the driver's order of all pairs, 0 for the fastest; -1 if it does not say
};

/// Results of the drivers that mean something to us; both vendors use the same numbers.
inline constexpr int kSuccess = 0;
inline constexpr int kNotReady = 600;
inline constexpr int kPeerAccessAlreadyEnabled = 704;

/// One function of the driver, with the name that the driver gives it. Empty where the library does not have it.
template <class... Arguments>
struct Call {
  const char* name = "";
  std::function<int(Arguments...)> function;
};

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

/// All calls give the driver's result number, 0 for success. Those without a device act on the device that the calling
/// thread has selected.
struct Functions {
  Call<> initialize;
  std::function<const char*(int)> error_name;         ///< "CUDA_ERROR_NO_DEVICE"
  std::function<const char*(int)> error_description;  ///< a sentence
  std::function<std::string_view(int)> error_hint;    ///< what to do about it; empty where nobody knows
  Call<int*> version;

  Call<int*> device_count;
  Call<char*, int, int> device_name;  ///< text, its size, device
  Call<Uuid*, int> device_uuid;
  Call<char*, int, int> pci_bus_id;  ///< text, its size, device
  Call<std::size_t*, int> total_memory;
  Call<int*, Attribute, int> attribute;
  Call<int*, int, int> can_access_peer;  ///< from, to
  Call<PeerLink*, int, int> peer_link;   ///< from, to

  Call<int> select;  ///< makes the primary context current to the calling thread
  Call<int*> selected;
  Call<Handle*> context;     ///< what is current to the calling thread; null for nothing
  Call<Handle> set_context;  ///< makes it current again
  Call<int> release;         ///< gives the primary context back that select() took
  Call<> synchronize;
  Call<int> enable_peer_access;  ///< gives the selected device access to another one

  Call<std::size_t*, std::size_t*> memory_info;  ///< free, total
  Call<Address*, std::size_t> allocate;
  Call<Address> free;
  Call<void*, std::size_t> register_host;
  Call<void*> unregister_host;
  Call<PointerAttributes*, const void*> pointer_attributes;

  Call<Address, const void*, std::size_t, Handle> copy_to_device;
  Call<void*, Address, std::size_t, Handle> copy_to_host;
  Call<Address, Address, std::size_t, Handle> copy;
  Call<Address, int, Address, int, std::size_t, Handle> copy_peer;  ///< to, its device, from, its device
  Call<Address, unsigned char, std::size_t, Handle> fill;

  Call<Handle*, unsigned> create_stream;
  Call<Handle> destroy_stream;
  Call<Handle> synchronize_stream;
  Call<Handle> query_stream;
  Call<Handle, Handle, unsigned> wait_event;  ///< stream, event

  Call<Handle*, unsigned> create_event;
  Call<Handle> destroy_event;
  Call<Handle, Handle> record_event;  ///< event, stream
  Call<Handle> synchronize_event;
  Call<Handle> query_event;
  Call<float*, Handle, Handle> elapsed;  ///< milliseconds

  Call<IpcHandle*, Address> export_memory;
  Call<Address*, IpcHandle> import_memory;
  Call<Address> close_memory;
  Call<IpcHandle*, Handle> export_event;
  Call<Handle*, IpcHandle> import_event;

  /// For drivers that take only code of their GPU, and not PTX; empty for others. Makes code of the source of kernels
  /// for a device; throws Error(not_available) with what the compiler says.
  std::function<std::string(const std::string& source, int device)> compile;
  std::function<std::string()> lack_of_compiler;  ///< why compile() would fail, as far as that is known

  Call<Handle*, const void*> load_module;
  Call<Handle> unload_module;
  Call<Handle*, Handle, const char*> find_kernel;
  Call<Handle, Extent, Extent, Handle, void**> launch;  ///< kernel, grid, block, stream, addresses of the arguments
};

}  // namespace topowise::device
