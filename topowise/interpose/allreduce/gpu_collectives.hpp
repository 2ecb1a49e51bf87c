// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bcast, MPI_Reduce, MPI_Allgather, MPI_Allgatherv, MPI_Reduce_scatter and MPI_Reduce_scatter_block of vectors in
// GPU memory, in jobs that ask for them. The same rules hold as for MPI_Allreduce (reduce.hpp), but that communicators
// over several nodes leave these calls to MPI, and so do those with parts of different sizes.
#pragma once

#include <topowise/interpose/allreduce/reduce.hpp>
#include <topowise/interpose/allreduce/staged_vector.hpp>

namespace topowise::interpose::allreduce {

/// By rank: the elements that it gives to MPI_Allgatherv, and where all others find them, or those that it gets from
/// MPI_Reduce_scatter, which has no displacements.
struct Lists {
  Counts counts, begins;
};

/// A call as this rank makes it. Which vectors it has follows from its rank (finish()).
struct Collective {
  Answered function;
  CallVector send, receive;
  Word operation = 0;
  int root = 0;
  Word comm = 0;
  const Lists* lists = nullptr;  ///< null: shares have one size. A pointer, because a call must be made in few stores
};

/// The MPI library's own function, with the buffers of this call or copies of them.
struct Underlying {
  int (*call)(const void* closure, const void* send, void* receive);
  const void* closure;
  int operator()(const void* send, void* receive) const { return call(closure, send, receive); }
};
int answer(const Collective& call, const void* send, void* receive, Underlying underlying) noexcept;

/// The same for a nonblocking or persistent form: the MPI library's own, on copies on the host (requests.hpp). `made`:
/// where it writes the request.
int begin(const Collective& call, const void* send, void* receive, bool persistent, void* made,
          Underlying underlying) noexcept;

template <class Body>
int answer(const Collective& call, const void* send, const void* receive, const Body& body) noexcept {
  const auto run = [](const void* closure, const void* from, void* to) {
    return (*static_cast<const Body*>(closure))(from, to);
  };
  return answer(call, send, const_cast<void*>(receive), Underlying{run, &body});
}

template <class Number>
int bcast(int (*function)(const void*, Number, Word, int, Word), const void* buffer, Number count, Word type, int root,
          Word comm) noexcept {
  const CallVector vector{buffer, count, type};
  return answer({Answered::bcast, vector, vector, 0, root, comm}, buffer, buffer,
                [&](const void*, void* data) { return function(data, count, type, root, comm); });
}

template <class Number>
int reduce(int (*function)(const void*, void*, Number, Word, Word, int, Word), const void* send, const void* receive,
           Number count, Word type, Word operation, int root, Word comm) noexcept {
  return answer({Answered::reduce, {send, count, type}, {receive, count, type}, operation, root, comm}, send, receive,
                [&](const void* from, void* to) { return function(from, to, count, type, operation, root, comm); });
}

template <class Number>
int allgather(int (*function)(const void*, Number, Word, const void*, Number, Word, Word), const void* send,
              Number count, Word type, const void* receive, Number receive_count, Word receive_type,
              Word comm) noexcept {
  return answer(
      {Answered::allgather, {send, count, type}, {receive, receive_count, receive_type}, 0, 0, comm}, send, receive,
      [&](const void* from, void* to) { return function(from, count, type, to, receive_count, receive_type, comm); });
}

template <class Number>
int allgatherv(int (*function)(const void*, Number, Word, const void*, const void*, void*, Word, Word),
               const void* send, Number count, Word type, const void* receive, Counts counts, Counts begins,
               Word receive_type, Word comm) noexcept {
  const Lists lists{counts, begins};  // the only copy: to copy what has just been stored in parts takes some 7 ns
  return answer({Answered::allgatherv, {send, count, type}, {receive, 0, receive_type}, 0, 0, comm, &lists}, send,
                receive, [&](const void* from, void* to) {
                  return function(from, count, type, to, lists.counts.data, const_cast<void*>(lists.begins.data),
                                  receive_type, comm);
                });
}

inline int reduce_scatter(int (*function)(const void*, void*, const void*, Word, Word, Word), const void* send,
                          const void* receive, Counts counts, Word type, Word operation, Word comm) noexcept {
  const Lists lists{counts, {}};
  return answer(
      {Answered::reduce_scatter, {send, 0, type}, {receive, 0, type}, operation, 0, comm, &lists}, send, receive,
      [&](const void* from, void* to) { return function(from, to, lists.counts.data, type, operation, comm); });
}

template <class Number>
int reduce_scatter_block(int (*function)(const void*, void*, Number, Word, Word, Word), const void* send,
                         const void* receive, Number count, Word type, Word operation, Word comm) noexcept {
  return answer({Answered::reduce_scatter_block, {send, count, type}, {receive, count, type}, operation, 0, comm}, send,
                receive, [&](const void* from, void* to) { return function(from, to, count, type, operation, comm); });
}

// The same from Fortran, by the MPI library's C functions. `error` may be left out.
void bcast_in_fortran(const void* buffer, int count, Word type, int root, Word comm, void* error) noexcept;
void reduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root, Word comm,
                       void* error) noexcept;
void allgather_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                          Word receive_type, Word comm, void* error) noexcept;
void allgatherv_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts, Counts begins,
                           Word receive_type, Word comm, void* error) noexcept;
void reduce_scatter_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                               Word comm, void* error) noexcept;
void reduce_scatter_block_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                     Word comm, void* error) noexcept;

}  // namespace topowise::interpose::allreduce
