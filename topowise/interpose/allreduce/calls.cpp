// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/calls.hpp>

#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose::allreduce {
namespace {

struct Found : FunctionFinder {
  Calls calls{};

  Found() {
    find(calls.Allgather, "PMPI_Allgather");
    find(calls.Allreduce, "PMPI_Allreduce");
    find(calls.Allgatherv, "PMPI_Allgatherv");
    find(calls.Bcast, "PMPI_Bcast");
    find(calls.Reduce, "PMPI_Reduce");
    find(calls.Reduce_scatter, "PMPI_Reduce_scatter");
    find(calls.Reduce_scatter_block, "PMPI_Reduce_scatter_block");
    find(calls.Comm_split, "PMPI_Comm_split");
    find(calls.Comm_free, "PMPI_Comm_free");
    find(calls.Comm_call_errhandler, "PMPI_Comm_call_errhandler");
    find(calls.Request_get_status, "PMPI_Request_get_status");
    find(calls.Grequest_start, "PMPI_Grequest_start");
    find(calls.Grequest_complete, "PMPI_Grequest_complete");
    find(calls.Test, "PMPI_Test");
    find(calls.Wait, "PMPI_Wait");
    find(calls.Type_get_name, "PMPI_Type_get_name");
    find(calls.Type_get_envelope, "PMPI_Type_get_envelope");
    find(calls.Type_get_extent, "PMPI_Type_get_extent");
    find(calls.Type_get_true_extent, "PMPI_Type_get_true_extent");
    find(calls.Pack, "PMPI_Pack");
    find(calls.Pack_size, "PMPI_Pack_size");
    find(calls.Unpack, "PMPI_Unpack");
  }
};

}  // namespace

const Calls* calls() noexcept {
  static const Found found;
  return found.complete ? &found.calls : nullptr;
}

int raise_error(Word comm) noexcept {
  calls()->Comm_call_errhandler(comm, error_other());
  return error_other();
}

}  // namespace topowise::interpose::allreduce
