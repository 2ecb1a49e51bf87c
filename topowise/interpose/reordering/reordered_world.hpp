// SPDX-License-Identifier: BSD-3-Clause
// --reorder=world puts the ranks of MPI_COMM_WORLD itself in an order that follows from an earlier run's traffic, for
// programs that use no virtual topology. When MPI has started, all processes decide together, and a communicator in the
// new order stands in for MPI_COMM_WORLD from then on (base/world_order.hpp).
//
// This is not possible, and is said so, where part of the program calls PMPI functions, which no wrapper sees, and in
// programs of sessions. Processes that were spawned keep their order.
#pragma once

#include <topowise/interpose/base/feature.hpp>

namespace topowise::interpose::reordering {

/// This feature is told before every other one, because for those the new order is the order of the job.
extern const Feature kWorldOrder;

}  // namespace topowise::interpose::reordering
