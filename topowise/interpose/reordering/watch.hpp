// SPDX-License-Identifier: BSD-3-Clause
// Programs exist that allow reordering and go on as if no process had another rank, because no MPI library ever
// reordered. One process of each reordered communicator, whose rank has changed, looks for signs of that:
//   - it uses the new communicator without having asked for its rank, coordinates or neighbours there;
//   - it asks for the coordinates of its old rank;
//   - it keeps sending to the neighbours of its old rank in the old communicator, and nothing in the new one.
// What is seen is said once and at once. Programs may have good reasons for each: it is a warning.
//
// As soon as a program has asked for its rank and used the new communicator, nobody looks any more.
#pragma once

#include <atomic>

#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/reordering/call_site.hpp>
#include <topowise/interpose/reordering/shape.hpp>

namespace topowise::interpose::reordering {

/// Watches `made`, the new communicator that stands for `old`, where this process had `old_rank`. No-op without memory.
void watch(Word old, Word made, int old_rank, const Shape& shape, const CallSite& site) noexcept;

namespace detail {
inline constinit std::atomic<int> watches{0};
void message(const GroupRef& comm, int destination) noexcept;
void neighborhood(const GroupRef& comm) noexcept;
void question(const GroupRef& comm) noexcept;
void coordinates(const GroupRef& comm, int rank) noexcept;
void freed(Word comm) noexcept;
}  // namespace detail

// These are on the way of every call and cost one load if nobody looks.
[[nodiscard]] inline bool watching() noexcept {
  return detail::watches.load(std::memory_order_relaxed) != 0;
}
inline void sees_message(const GroupRef& comm, int destination) noexcept {
  if (watching()) [[unlikely]]
    detail::message(comm, destination);
}
inline void sees_neighborhood(const GroupRef& comm) noexcept {
  if (watching()) [[unlikely]]
    detail::neighborhood(comm);
}
/// The program asks for the own rank of the process, or makes or asks something that agrees with it.
inline void sees_question(const GroupRef& comm) noexcept {
  if (watching()) [[unlikely]]
    detail::question(comm);
}
inline void sees_coordinates(const GroupRef& comm, int rank) noexcept {
  if (watching()) [[unlikely]]
    detail::coordinates(comm, rank);
}
/// Called before `comm`, a handle of C, is freed.
inline void forget_watch(Word comm) noexcept {
  if (watching()) [[unlikely]]
    detail::freed(comm);
}

}  // namespace topowise::interpose::reordering
