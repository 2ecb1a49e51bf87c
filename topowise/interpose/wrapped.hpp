// SPDX-License-Identifier: BSD-3-Clause
// What the generated wrappers need.
#pragma once

#include <topowise/interpose/allreduce/begun_collectives.hpp>
#include <topowise/interpose/allreduce/gpu_collectives.hpp>
#include <topowise/interpose/allreduce/nonblocking.hpp>
#include <topowise/interpose/allreduce/reduce.hpp>
#include <topowise/interpose/allreduce/requests.hpp>
#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/entry.hpp>
#include <topowise/interpose/base/life.hpp>
#include <topowise/interpose/base/weak_references.hpp>
#include <topowise/interpose/base/world_order.hpp>
#include <topowise/interpose/recording/collective.hpp>
#include <topowise/interpose/recording/message.hpp>
#include <topowise/interpose/recording/request.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/create.hpp>
#include <topowise/interpose/reordering/fortran.hpp>
#include <topowise/interpose/reordering/job_members.hpp>
#include <topowise/interpose/reordering/recorded_ranks.hpp>
#include <topowise/interpose/reordering/watch.hpp>

#define TOPOWISE_EXPORT extern "C" __attribute__((visibility("default")))

namespace topowise::interpose {

/// Requests in C are read by address, in Fortran they are integers.
inline void start_all(int count, const void* requests) noexcept {
  for (int i = 0; i < count; ++i) start(c::stored(requests, static_cast<std::size_t>(i)));
}
inline void start_all(int count, const int* requests) noexcept {
  for (int i = 0; i < count; ++i) start(fortran::request(requests + i));
}

namespace fortran {
/// ierror is optional in mpi_f08; without it a failed call has already ended the program.
inline bool succeeded(const void* ierror) noexcept {
  return ierror == nullptr || *static_cast<const int*>(ierror) == 0;
}
}  // namespace fortran

}  // namespace topowise::interpose
