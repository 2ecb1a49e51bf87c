// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/calls.hpp>

#include <topowise/interpose/base/symbols.hpp>
#include <topowise/interpose/reordering/settings.hpp>

namespace topowise::interpose::reordering {
namespace {

struct Found : FunctionFinder {
  Calls calls{};

  Found() {
    find(calls.Gather, "PMPI_Gather");
    find(calls.Gatherv, "PMPI_Gatherv");
    find(calls.Ibcast, "PMPI_Ibcast");
    find(calls.Iscatter, "PMPI_Iscatter");
    find(calls.Scatter, "PMPI_Scatter");
    find(calls.Test, "PMPI_Test");
    find(calls.Send, "PMPI_Send");
    find(calls.Recv, "PMPI_Recv");
    find(calls.Sendrecv, "PMPI_Sendrecv");
    find(calls.Comm_dup, "PMPI_Comm_dup");
    find(calls.Comm_split, "PMPI_Comm_split");
    find(calls.Comm_free, "PMPI_Comm_free");
    find(calls.Comm_call_errhandler, "PMPI_Comm_call_errhandler");
    find(calls.Cart_create, "PMPI_Cart_create");
    find(calls.Graph_create, "PMPI_Graph_create");
    find(calls.Dist_graph_create, "PMPI_Dist_graph_create");
    find(calls.Dist_graph_create_adjacent, "PMPI_Dist_graph_create_adjacent");
    find(calls.Cart_map, "PMPI_Cart_map");
    find(calls.Graph_map, "PMPI_Graph_map");
  }
};

}  // namespace

const Calls* calls() noexcept {
  static const Found found;
  return found.complete ? &found.calls : nullptr;
}

bool wanted() noexcept {
  return settings().mode != Mode::off && settings().mode != Mode::world && mpi() != nullptr && calls() != nullptr;
}

}  // namespace topowise::interpose::reordering
