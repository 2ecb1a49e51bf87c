// SPDX-License-Identifier: BSD-3-Clause
// A job may be given another order of ranks without its program knowing: a communicator of all its processes in that
// order then stands in for MPI_COMM_WORLD in every call that the program makes. The handle that the program holds stays
// what it is; every wrapper of a function that takes a communicator passes in_order(comm) on.
#pragma once

#include <atomic>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose {

namespace detail {
struct WorldOrder {
  std::atomic<Word> ordered{0};  ///< 0: MPI_COMM_WORLD as it is
  std::atomic<Word> world{0};    ///< the handle of MPI_COMM_WORLD, while there is another
  // The same handles as Fortran names them.
  std::atomic<int> fortran_world{0};
  int fortran_ordered = 0;
};
inline constinit WorldOrder world_order;
}  // namespace detail

/// The communicator that is meant. It costs one load on the way of every call.
[[nodiscard]] inline Word in_order(Word comm) noexcept {
  const Word ordered = detail::world_order.ordered.load(std::memory_order_relaxed);
  if (ordered == 0) [[likely]]
    return comm;
  return defined_part(comm) == detail::world_order.world.load(std::memory_order_relaxed) ? ordered : comm;
}

/// The same of Fortran, where handles are passed by address.
[[nodiscard]] inline const int* in_order(const int* comm) noexcept {
  if (detail::world_order.ordered.load(std::memory_order_acquire) == 0) [[likely]]
    return comm;
  return *comm == detail::world_order.fortran_world.load(std::memory_order_relaxed)
             ? &detail::world_order.fortran_ordered
             : comm;
}

/// From now on `ordered` stands in for MPI_COMM_WORLD. False if Fortran cannot use it.
[[nodiscard]] bool set_world_order(const Mpi& m, Word ordered) noexcept;

/// Makes MPI_COMM_WORLD itself again. Returns what stood in for it, 0 for nothing.
Word end_world_order() noexcept;

}  // namespace topowise::interpose
