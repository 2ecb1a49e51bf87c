// SPDX-License-Identifier: BSD-3-Clause
// Maps a halo exchange onto a preset with nothing but the installed headers and libraries.
#include <cstdio>
#include <topowise/mapper/mapper.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

int main() {
  const topowise::MapProblem problem{.traffic = topowise::read_traffic("pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B"),
                                     .topology = topowise::read_topology("preset:helios-k80")};
  const topowise::MappingResult result = topowise::map_ranks(problem);
  std::printf("%g %g\n", result.identity_cost, result.cost);
}
