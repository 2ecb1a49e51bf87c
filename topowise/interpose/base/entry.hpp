// SPDX-License-Identifier: BSD-3-Clause
// How a wrapper goes on to MPI.
#pragma once

#include <atomic>
#include <cstdint>

namespace topowise::interpose {

/// One wrapped function. A Fortran function has one wrapper under several names; the first of them that MPI has is
/// called.
struct Entry {
  const char* names;  ///< separated by blanks
  std::atomic<void*> address{nullptr};

  constexpr explicit Entry(const char* all_names) : names(all_names) {}
};

/// Looks the function up and remembers it. Never null: a function that the MPI library does not have is answered by one
/// that says so on stderr and returns an error code. (The program can only have got there by finding our name with
/// dlsym.)
[[nodiscard]] void* resolve(Entry& entry) noexcept;

template <class Function>
[[nodiscard]] inline Function* next(Entry& entry) noexcept {
  void* address = entry.address.load(std::memory_order_acquire);
  if (address == nullptr) [[unlikely]]
    address = resolve(entry);
  return reinterpret_cast<Function*>(address);
}

namespace detail {
// initial-exec: one instruction instead of a call; a preloaded library is there when the program's TLS is laid out.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit std::uint64_t calls = 0;
}  // namespace detail

/// Calls that this thread has made through the C interface. A Fortran wrapper compares it before and after: what its
/// MPI passed on to the C interface has been seen there.
[[nodiscard]] inline std::uint64_t& calls_seen() noexcept {
  return detail::calls;
}

}  // namespace topowise::interpose
