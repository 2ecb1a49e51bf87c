// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI that collectives on GPUs call: never those that the program sees.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::allreduce {

struct Calls {
  int (*Allgather)(const void*, int, Word, void*, int, Word, Word);
  int (*Allreduce)(const void*, void*, int, Word, Word, Word);
  int (*Allgatherv)(const void*, int, Word, const void*, const void*, void*, Word, Word);
  int (*Bcast)(void*, int, Word, int, Word);
  int (*Reduce)(const void*, void*, int, Word, Word, int, Word);
  int (*Reduce_scatter)(const void*, void*, const void*, Word, Word, Word);
  int (*Reduce_scatter_block)(const void*, void*, int, Word, Word, Word);
  int (*Comm_split)(Word, int, int, Word*);
  int (*Comm_free)(Word*);
  int (*Comm_call_errhandler)(Word, int);
  int (*Request_get_status)(Word, int*, void*);
  int (*Grequest_start)(int (*)(void*, void*), int (*)(void*), int (*)(void*, int), void*, Word*);
  int (*Grequest_complete)(Word);
  int (*Test)(Word*, int*, void*);
  int (*Wait)(Word*, void*);
  int (*Type_get_name)(Word, char*, int*);
  int (*Type_get_envelope)(Word, int*, int*, int*, int*);
  int (*Type_get_extent)(Word, Count*, Count*);
  int (*Type_get_true_extent)(Word, Count*, Count*);
  int (*Pack)(const void*, int, Word, void*, int, int*, Word);
  int (*Pack_size)(int, Word, Word, int*);
  int (*Unpack)(const void*, int, int*, void*, int, Word, Word);
};

/// The functions; null where the MPI library lacks one of them.
[[nodiscard]] const Calls* calls() noexcept;

/// The function of MPI that this thread answers, for what it says: "MPI_Allreduce".
[[gnu::tls_model("initial-exec")]] inline thread_local constinit const char* answered = "MPI_Allreduce";

/// Sets it for a while.
class Answering {
 public:
  explicit Answering(const char* function) : before_(answered) { answered = function; }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering() { answered = before_; }

 private:
  const char* before_;
};

/// MPI_ERR_OTHER.
[[nodiscard]] inline int error_other() noexcept {
  return mpi()->family.error_other;
}

/// Raises an error on a communicator, given as MPI's handle, through its error handler; returns the code that a call
/// then gives.
int raise_error(Word comm) noexcept;

}  // namespace topowise::interpose::allreduce
