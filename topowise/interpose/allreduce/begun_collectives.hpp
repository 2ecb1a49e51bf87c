// SPDX-License-Identifier: BSD-3-Clause
// The nonblocking and persistent forms of the functions in collectives.hpp.
#pragma once

#include <topowise/interpose/allreduce/gpu_collectives.hpp>

namespace topowise::interpose::allreduce {

template <class Body>
int begin(const Collective& call, const void* send, const void* receive, bool persistent, void* request,
          const Body& body) noexcept {
  const auto run = [](const void* closure, const void* from, void* to) {
    return (*static_cast<const Body*>(closure))(from, to);
  };
  return begin(call, send, const_cast<void*>(receive), persistent, request, Underlying{run, &body});
}

template <class Number>
int ibcast(int (*function)(const void*, Number, Word, int, Word, void*), const void* buffer, Number count, Word type,
           int root, Word comm, void* request) noexcept {
  const CallVector vector{buffer, count, type};
  return begin({Answered::bcast, vector, vector, 0, root, comm}, buffer, buffer, false, request,
               [&](const void*, void* data) { return function(data, count, type, root, comm, request); });
}
template <class Number>
int bcast_init(int (*function)(const void*, Number, Word, int, Word, Word, void*), const void* buffer, Number count,
               Word type, int root, Word comm, Word info, void* request) noexcept {
  const CallVector vector{buffer, count, type};
  return begin({Answered::bcast, vector, vector, 0, root, comm}, buffer, buffer, true, request,
               [&](const void*, void* data) { return function(data, count, type, root, comm, info, request); });
}

template <class Number>
int ireduce(int (*function)(const void*, void*, Number, Word, Word, int, Word, void*), const void* send,
            const void* receive, Number count, Word type, Word operation, int root, Word comm, void* request) noexcept {
  return begin({Answered::reduce, {send, count, type}, {receive, count, type}, operation, root, comm}, send, receive,
               false, request, [&](const void* from, void* to) {
                 return function(from, to, count, type, operation, root, comm, request);
               });
}
template <class Number>
int reduce_init(int (*function)(const void*, void*, Number, Word, Word, int, Word, Word, void*), const void* send,
                const void* receive, Number count, Word type, Word operation, int root, Word comm, Word info,
                void* request) noexcept {
  return begin({Answered::reduce, {send, count, type}, {receive, count, type}, operation, root, comm}, send, receive,
               true, request, [&](const void* from, void* to) {
                 return function(from, to, count, type, operation, root, comm, info, request);
               });
}

template <class Number>
int iallgather(int (*function)(const void*, Number, Word, const void*, Number, Word, Word, void*), const void* send,
               Number count, Word type, const void* receive, Number receive_count, Word receive_type, Word comm,
               void* request) noexcept {
  return begin({Answered::allgather, {send, count, type}, {receive, receive_count, receive_type}, 0, 0, comm}, send,
               receive, false, request, [&](const void* from, void* to) {
                 return function(from, count, type, to, receive_count, receive_type, comm, request);
               });
}
template <class Number>
int allgather_init(int (*function)(const void*, Number, Word, const void*, Number, Word, Word, Word, void*),
                   const void* send, Number count, Word type, const void* receive, Number receive_count,
                   Word receive_type, Word comm, Word info, void* request) noexcept {
  return begin({Answered::allgather, {send, count, type}, {receive, receive_count, receive_type}, 0, 0, comm}, send,
               receive, true, request, [&](const void* from, void* to) {
                 return function(from, count, type, to, receive_count, receive_type, comm, info, request);
               });
}

template <class Number>
int iallgatherv(int (*function)(const void*, Number, Word, const void*, const void*, void*, Word, Word, void*),
                const void* send, Number count, Word type, const void* receive, Counts counts, Counts begins,
                Word receive_type, Word comm, void* request) noexcept {
  const Lists lists{counts, begins};
  return begin({Answered::allgatherv, {send, count, type}, {receive, 0, receive_type}, 0, 0, comm, &lists}, send,
               receive, false, request, [&](const void* from, void* to) {
                 return function(from, count, type, to, counts.data, const_cast<void*>(begins.data), receive_type, comm,
                                 request);
               });
}
template <class Number>
int allgatherv_init(int (*function)(const void*, Number, Word, const void*, const void*, void*, Word, Word, Word,
                                    void*),
                    const void* send, Number count, Word type, const void* receive, Counts counts, Counts begins,
                    Word receive_type, Word comm, Word info, void* request) noexcept {
  const Lists lists{counts, begins};
  return begin({Answered::allgatherv, {send, count, type}, {receive, 0, receive_type}, 0, 0, comm, &lists}, send,
               receive, true, request, [&](const void* from, void* to) {
                 return function(from, count, type, to, counts.data, const_cast<void*>(begins.data), receive_type, comm,
                                 info, request);
               });
}

inline int ireduce_scatter(int (*function)(const void*, void*, const void*, Word, Word, Word, void*), const void* send,
                           const void* receive, Counts counts, Word type, Word operation, Word comm,
                           void* request) noexcept {
  const Lists lists{counts, {}};
  return begin({Answered::reduce_scatter, {send, 0, type}, {receive, 0, type}, operation, 0, comm, &lists}, send,
               receive, false, request, [&](const void* from, void* to) {
                 return function(from, to, counts.data, type, operation, comm, request);
               });
}
inline int reduce_scatter_init(int (*function)(const void*, void*, const void*, Word, Word, Word, Word, void*),
                               const void* send, const void* receive, Counts counts, Word type, Word operation,
                               Word comm, Word info, void* request) noexcept {
  const Lists lists{counts, {}};
  return begin({Answered::reduce_scatter, {send, 0, type}, {receive, 0, type}, operation, 0, comm, &lists}, send,
               receive, true, request, [&](const void* from, void* to) {
                 return function(from, to, counts.data, type, operation, comm, info, request);
               });
}

template <class Number>
int ireduce_scatter_block(int (*function)(const void*, void*, Number, Word, Word, Word, void*), const void* send,
                          const void* receive, Number count, Word type, Word operation, Word comm,
                          void* request) noexcept {
  return begin({Answered::reduce_scatter_block, {send, count, type}, {receive, count, type}, operation, 0, comm}, send,
               receive, false, request,
               [&](const void* from, void* to) { return function(from, to, count, type, operation, comm, request); });
}
template <class Number>
int reduce_scatter_block_init(int (*function)(const void*, void*, Number, Word, Word, Word, Word, void*),
                              const void* send, const void* receive, Number count, Word type, Word operation, Word comm,
                              Word info, void* request) noexcept {
  return begin({Answered::reduce_scatter_block, {send, count, type}, {receive, count, type}, operation, 0, comm}, send,
               receive, true, request, [&](const void* from, void* to) {
                 return function(from, to, count, type, operation, comm, info, request);
               });
}

// The same from Fortran, by the MPI library's C functions. `error` may be left out.
void ibcast_in_fortran(const void* buffer, int count, Word type, int root, Word comm, void* request,
                       void* error) noexcept;
void bcast_init_in_fortran(const void* buffer, int count, Word type, int root, Word comm, const int* info,
                           const int* request, void* error) noexcept;
void ireduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root,
                        Word comm, void* request, void* error) noexcept;
void reduce_init_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root,
                            Word comm, const int* info, const int* request, void* error) noexcept;
void iallgather_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                           Word receive_type, Word comm, void* request, void* error) noexcept;
void allgather_init_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                               Word receive_type, Word comm, const int* info, const int* request, void* error) noexcept;
void iallgatherv_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts, Counts begins,
                            Word receive_type, Word comm, void* request, void* error) noexcept;
void allgatherv_init_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts,
                                Counts begins, Word receive_type, Word comm, const int* info, const int* request,
                                void* error) noexcept;
void ireduce_scatter_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                                Word comm, void* request, void* error) noexcept;
void reduce_scatter_init_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                                    Word comm, const int* info, const int* request, void* error) noexcept;
void ireduce_scatter_block_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                      Word comm, void* request, void* error) noexcept;
void reduce_scatter_block_init_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                          Word comm, const int* info, const int* request, void* error) noexcept;

}  // namespace topowise::interpose::allreduce
