// SPDX-License-Identifier: BSD-3-Clause
// The vectors of an allreduce as the program passes them, and whether they lie in GPU memory.
#pragma once

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/base/memory_kind.hpp>

namespace topowise::interpose::allreduce {

/// Arguments as C passes them.
struct Call {
  const void* send;
  void* receive;
  Count count;
  Word type, operation, comm;
};

/// MPI_IN_PLACE, once MPI is found.
[[nodiscard]] inline const void* in_place() noexcept {
  static const void* const address = mpi()->family.in_place;
  return address;
}

namespace detail {
// initial-exec: one instruction instead of a call; a preloaded library is there when the program's TLS is laid out.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit MemoryKinds<LoadedDriver> kinds;
[[gnu::tls_model("initial-exec")]] inline thread_local constinit bool begun = false;
/// The last type that was predefined; such a handle never becomes another type's.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit Word plain_type = 0;
[[nodiscard]] Count ask_begin_of_data(Word type) noexcept;
}  // namespace detail

[[nodiscard]] inline bool on_gpu(const void* buffer) noexcept {
  if (!detail::begun) [[unlikely]]
    detail::kinds.set_stack_end(end_of_stack());
  detail::begun = true;
  return detail::kinds.find(buffer).memory == profile::Memory::device;
}

/// Whether the type is MPI_DATATYPE_NULL, of which nothing may be asked: MPI says what is wrong, by the error handler
/// of the communicator.
[[nodiscard]] inline bool has_no_type(const Call& call) noexcept {
  return mpi()->family.handle(call.type) == mpi()->family.type_null;
}

/// Where the data of a vector begin, counted from the address that MPI is given. 0 for predefined types. For other
/// types that address may be any: an address of other memory, or MPI_BOTTOM.
[[nodiscard]] inline Count begin_of_data(Word type) noexcept {
  return type == detail::plain_type ? 0 : detail::ask_begin_of_data(type);
}

/// The address of a vector's data.
[[nodiscard]] inline const void* data_at(const void* buffer, Count begin) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(begin);
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Which of a call's vectors lie on a GPU. In place both are the same one.
struct OnGpu {
  bool send = false, receive = false;
  [[nodiscard]] bool any() const { return send || receive; }
};
[[nodiscard]] inline OnGpu on_gpu(const Call& call) noexcept {
  const Count begin = begin_of_data(call.type);
  const bool receive = on_gpu(data_at(call.receive, begin));
  return {call.send == in_place() ? receive : on_gpu(data_at(call.send, begin)), receive};
}

}  // namespace topowise::interpose::allreduce
