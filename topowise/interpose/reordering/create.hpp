// SPDX-License-Identifier: BSD-3-Clause
// MPI's topology functions, as the standard means them: vertex v of the virtual topology is played by the process with
// rank v in the new communicator, and which process that is follows from the machine.
//
// The new communicator is made by MPI itself, from a communicator in which the processes already have their new ranks.
// So coordinates, neighbours and the neighbourhood collectives are MPI's own. Every function is collective over `comm`,
// and all of it goes through MPI's own functions (calls.hpp).
#pragma once

#include <topowise/interpose/reordering/decision.hpp>

namespace topowise::interpose::reordering {

// These functions stand in for MPI's where wanted() (calls.hpp).

int cart_create(Word comm, int dimensions, const int* extents, const int* periodic, int reorder, void* result,
                const CallSite& site) noexcept;
int graph_create(Word comm, int vertices, const int* index, const int* edges, int reorder, void* result,
                 const CallSite& site) noexcept;
int dist_graph_create(Word comm, int count, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, Word info, int reorder, void* result, const CallSite& site) noexcept;
int dist_graph_create_adjacent(Word comm, int in_degree, const int* sources, const int* source_weights, int out_degree,
                               const int* destinations, const int* destination_weights, Word info, int reorder,
                               void* result, const CallSite& site) noexcept;
int cart_map(Word comm, int dimensions, const int* extents, const int* periodic, int* new_rank,
             const CallSite& site) noexcept;
int graph_map(Word comm, int vertices, const int* index, const int* edges, int* new_rank,
              const CallSite& site) noexcept;

}  // namespace topowise::interpose::reordering
