// SPDX-License-Identifier: BSD-3-Clause
// Only Open MPI needs these: in the other families Fortran's functions call C's.
#include <topowise/interpose/allreduce/begun_collectives.hpp>

#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose::allreduce {
namespace {

struct Functions {
  int (*Ibcast)(const void*, int, Word, int, Word, void*) = nullptr;
  int (*Bcast_init)(const void*, int, Word, int, Word, Word, void*) = nullptr;
  int (*Ireduce)(const void*, void*, int, Word, Word, int, Word, void*) = nullptr;
  int (*Reduce_init)(const void*, void*, int, Word, Word, int, Word, Word, void*) = nullptr;
  int (*Iallgather)(const void*, int, Word, const void*, int, Word, Word, void*) = nullptr;
  int (*Allgather_init)(const void*, int, Word, const void*, int, Word, Word, Word, void*) = nullptr;
  int (*Iallgatherv)(const void*, int, Word, const void*, const void*, void*, Word, Word, void*) = nullptr;
  int (*Allgatherv_init)(const void*, int, Word, const void*, const void*, void*, Word, Word, Word, void*) = nullptr;
  int (*Ireduce_scatter)(const void*, void*, const void*, Word, Word, Word, void*) = nullptr;
  int (*Reduce_scatter_init)(const void*, void*, const void*, Word, Word, Word, Word, void*) = nullptr;
  int (*Ireduce_scatter_block)(const void*, void*, int, Word, Word, Word, void*) = nullptr;
  int (*Reduce_scatter_block_init)(const void*, void*, int, Word, Word, Word, Word, void*) = nullptr;
  int (*Request_c2f)(Word) = nullptr;
  Word (*Info_f2c)(int) = nullptr;

  Functions() {
    find(Ibcast, "PMPI_Ibcast");
    find(Bcast_init, "PMPI_Bcast_init", "PMPIX_Bcast_init");
    find(Ireduce, "PMPI_Ireduce");
    find(Reduce_init, "PMPI_Reduce_init", "PMPIX_Reduce_init");
    find(Iallgather, "PMPI_Iallgather");
    find(Allgather_init, "PMPI_Allgather_init", "PMPIX_Allgather_init");
    find(Iallgatherv, "PMPI_Iallgatherv");
    find(Allgatherv_init, "PMPI_Allgatherv_init", "PMPIX_Allgatherv_init");
    find(Ireduce_scatter, "PMPI_Ireduce_scatter");
    find(Reduce_scatter_init, "PMPI_Reduce_scatter_init", "PMPIX_Reduce_scatter_init");
    find(Ireduce_scatter_block, "PMPI_Ireduce_scatter_block");
    find(Reduce_scatter_block_init, "PMPI_Reduce_scatter_block_init", "PMPIX_Reduce_scatter_block_init");
    find(Request_c2f, "PMPI_Request_c2f");
    find(Info_f2c, "PMPI_Info_f2c");
  }

 private:
  /// Open MPI 4 has the persistent forms under the second name.
  template <class Function>
  static void find(Function*& function, const char* name, const char* other = nullptr) {
    void* found = next_symbol(name);
    if (found == nullptr && other != nullptr) found = next_symbol(other);
    function = reinterpret_cast<Function*>(found);
  }
};
const Functions& functions() noexcept {
  static const Functions found;
  return found;
}

/// Calls `begin(function, made)` and gives Fortran the request.
template <class Function, class Begin>
void give(Function* function, int* request, void* error, Begin begin) noexcept {
  Word made = 0;
  const bool can = function != nullptr && functions().Request_c2f != nullptr && functions().Info_f2c != nullptr;
  const int status = can ? begin(function, &made) : error_other();
  if (status == 0) *request = functions().Request_c2f(c::stored(&made));
  if (error != nullptr) *static_cast<int*>(error) = status;
}

}  // namespace

void ibcast_in_fortran(const void* buffer, int count, Word type, int root, Word comm, void* request,
                       void* error) noexcept {
  give(functions().Ibcast, static_cast<int*>(request), error,
       [&](auto* function, Word* made) { return ibcast<int>(function, buffer, count, type, root, comm, made); });
}

void bcast_init_in_fortran(const void* buffer, int count, Word type, int root, Word comm, const int* info,
                           const int* request, void* error) noexcept {
  give(functions().Bcast_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    return bcast_init<int>(function, buffer, count, type, root, comm, functions().Info_f2c(*info), made);
  });
}

void ireduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root,
                        Word comm, void* request, void* error) noexcept {
  give(functions().Ireduce, static_cast<int*>(request), error, [&](auto* function, Word* made) {
    return ireduce<int>(function, send, receive, count, type, operation, root, comm, made);
  });
}

void reduce_init_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root,
                            Word comm, const int* info, const int* request, void* error) noexcept {
  give(functions().Reduce_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    const Word with = functions().Info_f2c(*info);
    return reduce_init<int>(function, send, receive, count, type, operation, root, comm, with, made);
  });
}

void iallgather_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                           Word receive_type, Word comm, void* request, void* error) noexcept {
  give(functions().Iallgather, static_cast<int*>(request), error, [&](auto* function, Word* made) {
    return iallgather<int>(function, send, count, type, receive, receive_count, receive_type, comm, made);
  });
}

void allgather_init_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                               Word receive_type, Word comm, const int* info, const int* request,
                               void* error) noexcept {
  give(functions().Allgather_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    const Word with = functions().Info_f2c(*info);
    return allgather_init<int>(function, send, count, type, receive, receive_count, receive_type, comm, with, made);
  });
}

void iallgatherv_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts, Counts begins,
                            Word receive_type, Word comm, void* request, void* error) noexcept {
  give(functions().Iallgatherv, static_cast<int*>(request), error, [&](auto* function, Word* made) {
    return iallgatherv<int>(function, send, count, type, receive, counts, begins, receive_type, comm, made);
  });
}

void allgatherv_init_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts,
                                Counts begins, Word receive_type, Word comm, const int* info, const int* request,
                                void* error) noexcept {
  give(functions().Allgatherv_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    const Word with = functions().Info_f2c(*info);
    return allgatherv_init<int>(function, send, count, type, receive, counts, begins, receive_type, comm, with, made);
  });
}

void ireduce_scatter_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                                Word comm, void* request, void* error) noexcept {
  give(functions().Ireduce_scatter, static_cast<int*>(request), error, [&](auto* function, Word* made) {
    return ireduce_scatter(function, send, receive, counts, type, operation, comm, made);
  });
}

void reduce_scatter_init_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                                    Word comm, const int* info, const int* request, void* error) noexcept {
  give(functions().Reduce_scatter_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    return reduce_scatter_init(function, send, receive, counts, type, operation, comm, functions().Info_f2c(*info),
                               made);
  });
}

void ireduce_scatter_block_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                      Word comm, void* request, void* error) noexcept {
  give(functions().Ireduce_scatter_block, static_cast<int*>(request), error, [&](auto* function, Word* made) {
    return ireduce_scatter_block<int>(function, send, receive, count, type, operation, comm, made);
  });
}

void reduce_scatter_block_init_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                          Word comm, const int* info, const int* request, void* error) noexcept {
  give(functions().Reduce_scatter_block_init, const_cast<int*>(request), error, [&](auto* function, Word* made) {
    const Word with = functions().Info_f2c(*info);
    return reduce_scatter_block_init<int>(function, send, receive, count, type, operation, comm, with, made);
  });
}

}  // namespace topowise::interpose::allreduce
