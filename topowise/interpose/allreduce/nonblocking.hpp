// SPDX-License-Identifier: BSD-3-Clause
// MPI_Iallreduce and MPI_Allreduce_init of vectors in GPU memory: the MPI library's own, on copies on the host
// (requests.hpp). Each rank does that for itself, whatever the others' vectors are.
#pragma once

#include <topowise/interpose/allreduce/vectors.hpp>

namespace topowise::interpose::allreduce {

/// The MPI library's function, with other buffers.
struct Beginning {
  int (*call)(const Beginning& self, const Call& call, void* request);
  void* function;
  Word info;  ///< argument of MPI_Allreduce_init
  bool persistent;
};
/// Called in place of MPI's function; `request` as C has it.
int begin(const Call& call, const Beginning& beginning, void* request) noexcept;

/// `function` is MPI_Iallreduce, or MPI_Iallreduce_c, of whoever comes behind this library.
template <class Number>
int begin(int (*function)(const void*, void*, Number, Word, Word, Word, void*), const void* send, void* receive,
          Number count, Word type, Word operation, Word comm, void* request) noexcept {
  const auto next = [](const Beginning& self, const Call& call, void* made) {
    auto* typed = reinterpret_cast<int (*)(const void*, void*, Number, Word, Word, Word, void*)>(self.function);
    const auto number = static_cast<Number>(call.count);
    return typed(call.send, call.receive, number, call.type, call.operation, call.comm, made);
  };
  return begin({send, receive, count, type, operation, comm}, {next, reinterpret_cast<void*>(function), 0, false},
               request);
}

/// The same for MPI_Allreduce_init.
template <class Number>
int prepare(int (*function)(const void*, void*, Number, Word, Word, Word, Word, void*), const void* send, void* receive,
            Number count, Word type, Word operation, Word comm, Word info, void* request) noexcept {
  const auto next = [](const Beginning& self, const Call& call, void* made) {
    auto* typed = reinterpret_cast<int (*)(const void*, void*, Number, Word, Word, Word, Word, void*)>(self.function);
    const auto number = static_cast<Number>(call.count);
    return typed(call.send, call.receive, number, call.type, call.operation, call.comm, self.info, made);
  };
  return begin({send, receive, count, type, operation, comm}, {next, reinterpret_cast<void*>(function), info, true},
               request);
}

// The same from Fortran, by the MPI library's C functions. `error` may be left out.
void begin_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                      void* request, void* error) noexcept;
void prepare_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                        const int* info, const int* request, void* error) noexcept;

}  // namespace topowise::interpose::allreduce
