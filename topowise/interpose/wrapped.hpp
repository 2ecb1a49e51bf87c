// SPDX-License-Identifier: BSD-3-Clause
// What the generated wrappers need.
#pragma once

#include <topowise/interpose/arguments.hpp>
#include <topowise/interpose/collective.hpp>
#include <topowise/interpose/communicator.hpp>
#include <topowise/interpose/entry.hpp>
#include <topowise/interpose/gpu_selection.hpp>
#include <topowise/interpose/life.hpp>
#include <topowise/interpose/message.hpp>
#include <topowise/interpose/request.hpp>
#include <topowise/interpose/thread.hpp>
#include <topowise/interpose/weak_references.hpp>

#define TOPOWISE_EXPORT extern "C" __attribute__((visibility("default")))

namespace topowise::interpose {

/// Requests in C are read by address, in Fortran they are integers.
inline void start_all(int count, const void* requests) noexcept {
  for (int i = 0; i < count; ++i) start(c::stored(requests, static_cast<std::size_t>(i)));
}
inline void start_all(int count, const int* requests) noexcept {
  for (int i = 0; i < count; ++i) start(fortran::request(requests + i));
}

inline void forget_communicator(Word handle) noexcept {
  communicators().forget(handle, GroupRef::Kind::communicator);
}
inline void forget_window(Word handle) noexcept {
  communicators().forget(handle, GroupRef::Kind::window);
}

namespace fortran {
/// ierror is optional in mpi_f08; without it a failed call has already ended the program.
inline bool succeeded(const void* ierror) noexcept {
  return ierror == nullptr || *static_cast<const int*>(ierror) == 0;
}
}  // namespace fortran

}  // namespace topowise::interpose
