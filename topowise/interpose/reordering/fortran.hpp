// SPDX-License-Identifier: BSD-3-Clause
// The same functions with Fortran's arguments: everything by address, handles as integers, logicals that are true where
// they are not 0. `ierror` may be absent (mpi_f08).
#pragma once

#include <topowise/interpose/reordering/decision.hpp>

namespace topowise::interpose::reordering::fortran {

void cart_create(const int* comm, const int* dimensions, const int* extents, const int* periodic, const int* reorder,
                 int* result, int* ierror, const CallSite& site) noexcept;
void graph_create(const int* comm, const int* vertices, const int* index, const int* edges, const int* reorder,
                  int* result, int* ierror, const CallSite& site) noexcept;
void dist_graph_create(const int* comm, const int* count, const int* sources, const int* degrees,
                       const int* destinations, const int* weights, const int* info, const int* reorder, int* result,
                       int* ierror, const CallSite& site) noexcept;
void dist_graph_create_adjacent(const int* comm, const int* in_degree, const int* sources, const int* source_weights,
                                const int* out_degree, const int* destinations, const int* destination_weights,
                                const int* info, const int* reorder, int* result, int* ierror,
                                const CallSite& site) noexcept;
void cart_map(const int* comm, const int* dimensions, const int* extents, const int* periodic, int* new_rank,
              int* ierror, const CallSite& site) noexcept;
void graph_map(const int* comm, const int* vertices, const int* index, const int* edges, int* new_rank, int* ierror,
               const CallSite& site) noexcept;

}  // namespace topowise::interpose::reordering::fortran
