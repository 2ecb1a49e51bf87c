// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/nonblocking.hpp>

#include <memory>
#include <new>

#include <topowise/interpose/allreduce/reduce.hpp>
#include <topowise/interpose/allreduce/requests.hpp>
#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose::allreduce {
namespace {

int error_in(const Call& call) {
  return raise_error(mpi()->family.handle(call.comm));
}

int begin_staged(const Call& call, const Beginning& beginning, void* made) {
  if (settings().report) learn_world_rank();
  std::unique_ptr<Request> request(new (std::nothrow) Request);
  if (request == nullptr) print_stderr(-1, "MPI_Allreduce: no memory for a request");
  if (request == nullptr || !request->staged.make(call)) return error_in(call);
  request->persistent = beginning.persistent;
  request->active = !beginning.persistent;
  request->failed = request->active && !request->staged.read();
  const int status = beginning.call(beginning, request->staged.on_host(call), made);
  if (status != 0) return status;
  request->handle = c::stored(made);
  return track(std::move(request));
}

/// Only Open MPI needs these: in the other families Fortran's functions call C's.
struct FortransFunctions : FunctionFinder {
  int (*Iallreduce)(const void*, void*, int, Word, Word, Word, void*) = nullptr;
  int (*Allreduce_init)(const void*, void*, int, Word, Word, Word, Word, void*) = nullptr;
  int (*Request_c2f)(Word) = nullptr;
  Word (*Info_f2c)(int) = nullptr;

  FortransFunctions() {
    find(Allreduce_init, "PMPI_Allreduce_init");
    if (Allreduce_init == nullptr) find(Allreduce_init, "PMPIX_Allreduce_init");
    complete = Allreduce_init != nullptr;
    find(Iallreduce, "PMPI_Iallreduce");
    find(Request_c2f, "PMPI_Request_c2f");
    find(Info_f2c, "PMPI_Info_f2c");
  }
};
const FortransFunctions& fortrans() noexcept {
  static const FortransFunctions found;
  return found;
}

template <class Begin>
void give(int* request, void* error, Begin begin) noexcept {
  Word made = 0;
  const int status = fortrans().complete ? begin(&made) : error_other();
  if (status == 0) *request = fortrans().Request_c2f(c::stored(&made));
  if (error != nullptr) *static_cast<int*>(error) = status;
}

}  // namespace

int begin(const Call& call, const Beginning& beginning, void* request) noexcept {
  const bool empty = call.count <= 0 || has_no_type(call) || type_size(c::type(call.type)) == 0;
  const OnGpu where = empty ? OnGpu{} : on_gpu(call);
  // MPI says what is wrong with a communicator.
  if (!where.any() || find_communicator(c::comm(call.comm)) == nullptr) return beginning.call(beginning, call, request);
  return begin_staged(call, beginning, request);
}

void begin_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                      void* request, void* error) noexcept {
  give(static_cast<int*>(request), error, [&](Word* made) {
    return begin<int>(fortrans().Iallreduce, send, const_cast<void*>(receive), count, type, operation, comm, made);
  });
}

void prepare_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                        const int* info, const int* request, void* error) noexcept {
  give(const_cast<int*>(request), error, [&](Word* made) {
    return prepare<int>(fortrans().Allreduce_init, send, const_cast<void*>(receive), count, type, operation, comm,
                        fortrans().Info_f2c(*info), made);
  });
}

}  // namespace topowise::interpose::allreduce
