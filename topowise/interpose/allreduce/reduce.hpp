// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce of vectors in GPU memory, in jobs with `topowise run --allreduce`. All ranks of the job must have it:
// the first call on a communicator brings its ranks together, which takes three small collectives of MPI's.
//
// What cannot be reduced on a GPU (derived types, user-defined operations) is copied to the host, where the MPI library
// reduces it, and back. A vector on the host goes straight to the MPI library; the other ranks are only told that it
// does.
#pragma once

#include <atomic>

#include <topowise/interpose/allreduce/allreduce_settings.hpp>
#include <topowise/interpose/allreduce/node_team.hpp>
#include <topowise/interpose/allreduce/vectors.hpp>
#include <topowise/interpose/base/feature.hpp>

namespace topowise::interpose::allreduce {

/// The MPI library's own function, with other buffers.
using Next = int (*)(void* function, const Call& call);

namespace detail {
inline constexpr unsigned kUnknownFunctions = 0x100;
inline constinit std::atomic<unsigned> functions{kUnknownFunctions};
[[nodiscard]] unsigned look() noexcept;
}  // namespace detail

/// Whether this job wants a function answered on GPUs and has what that takes; found out at the first call.
[[nodiscard]] inline bool wanted(Answered function = Answered::allreduce) noexcept {
  const unsigned known = detail::functions.load(std::memory_order_acquire);
  const unsigned functions = known == detail::kUnknownFunctions ? detail::look() : known;
  return (functions & static_cast<unsigned>(function)) != 0;
}

/// Whether Fortran's functions must be answered too. MPICH and its kin pass them on to C's, which are answered; Open
/// MPI does not.
[[nodiscard]] bool wanted_in_fortran(Answered function = Answered::allreduce) noexcept;

/// Calls the library that does it, and says what there is to say.
[[nodiscard]] plugin_interface::Answer answer_on_gpu(const Team& team, const plugin_interface::Vector& vector) noexcept;
/// Whether another rank of the node could not read its vector. Asked after a call that went through MPI.
[[nodiscard]] bool is_spoiled(const Team* team) noexcept;
/// For the report at the end.
void learn_world_rank() noexcept;

/// Called in place of MPI's function, which `next(function, call)` calls.
int reduce(const Call& call, Next next, void* function) noexcept;

/// `function` is MPI_Allreduce, or MPI_Allreduce_c, of whoever comes behind this library.
template <class Number>
int reduce(int (*function)(const void*, void*, Number, Word, Word, Word), const void* send, void* receive, Number count,
           Word type, Word operation, Word comm) noexcept {
  const auto next = [](void* address, const Call& call) {
    auto* typed = reinterpret_cast<int (*)(const void*, void*, Number, Word, Word, Word)>(address);
    return typed(call.send, call.receive, static_cast<Number>(call.count), call.type, call.operation, call.comm);
  };
  return reduce({send, receive, count, type, operation, comm}, next, reinterpret_cast<void*>(function));
}

/// The same from Fortran, by the MPI library's C function. `error` is Fortran's ierror, which may be left out.
void reduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                       void* error) noexcept;

extern const Feature kAllreduce;

}  // namespace topowise::interpose::allreduce
