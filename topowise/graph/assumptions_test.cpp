// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/assumptions.hpp>

#include <doctest/doctest.h>

#include <topowise/graph/json.hpp>

using namespace topowise;

TEST_CASE("assumptions: what a reader assumed, and assumed rates, once each; saved with the machine") {
  TopologyBuilder builder("pair");
  std::vector<VertexId> gpus;
  for (const char* name : {"GPU0", "GPU1", "GPU2"}) {
    gpus.push_back(builder.add_vertex({.kind = VertexKind::gpu, .name = name}));
    builder.add_place(PlaceKind::gpu, gpus.back());
  }
  for (const std::size_t other : {1U, 2U})
    builder.add_links({.from = gpus[0],
                       .to = gpus[other],
                       .kind = LinkKind::nvlink,
                       .width = static_cast<int>(2 * other),
                       .bandwidth = gigabytes_per_second(50.0 * static_cast<double>(other)),
                       .source = "nvidia-smi (assumed)"});
  builder.add_links({.from = gpus[1],
                     .to = gpus[2],
                     .kind = LinkKind::pcie,
                     .bandwidth = gigabytes_per_second(16),
                     .source = "nvidia-smi (nominal)"});
  builder.assume("SYS between two boards");
  builder.assume("SYS between two boards");
  const Topology machine = std::move(builder).build();
  const std::vector<std::string> wanted{"SYS between two boards", "NVLink of 25 GB/s a link"};
  CHECK(assumptions_of(machine, true) == wanted);
  CHECK(assumptions_of(topology_from_json("saved", to_json(machine)), true) == wanted);
  CHECK(assumptions_of(TopologyBuilder(machine).build(), true) == wanted);
  CHECK(assumptions_of(machine, false) == std::vector<std::string>{"SYS between two boards"});
}
