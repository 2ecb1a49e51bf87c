// SPDX-License-Identifier: BSD-3-Clause
// The machine on which Rashti et al. measured.
#pragma once

#include <topowise/graph/topology.hpp>

namespace topowise::benchmark {

/// Rashti, Green, Balaji, Afsahi, Gropp, "Multi-core and Network Aware MPI Topology Functions" (EuroMPI 2011), the
/// first cluster of section 5 and figure 1: four nodes of two quad-core Opterons, 32 cores, three InfiniBand switches
/// in a tree; nodes with successive numbers are on different switches, as the authors arranged them for the
/// microbenchmarks. The paper prints no rates: those of the links are nominal (4x DDR InfiniBand 2 GB/s, HyperTransport
/// 4 GB/s, a core's memory 5 GB/s).
[[nodiscard]] Topology eurompi2011_cluster();

}  // namespace topowise::benchmark
