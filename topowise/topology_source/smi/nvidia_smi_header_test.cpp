// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_header.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

TEST_CASE("columns may come in any order: NICs first, or affinities first") {
  const std::string usual =
      "  GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity\nGPU0 X SYS NODE 0-7 0\nGPU1 SYS X SYS 8-15 1\nNIC0 NODE SYS X\n";
  const std::string nics_first =
      "\tNIC0\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nNIC0\tX\tNODE\tSYS\t\t\nGPU0\tNODE\tX\tSYS\t0-7\t0\n"
      "GPU1\tSYS\tSYS\tX\t8-15\t1\n";
  const std::string affinities_first =
      "\tCPU Affinity\tNUMA Affinity\tGPU0\tGPU1\tNIC0\nGPU0\t0-7\t0\tX\tSYS\tNODE\nGPU1\t8-15\t1\tSYS\tX\tSYS\n"
      "NIC0\t\t\tNODE\tSYS\tX\n";
  const std::string both_first =
      "NUMA Affinity NIC0 GPU0 GPU1 CPU Affinity\nNIC0 N/A X NODE SYS\nGPU0 0 NODE X SYS 0-7\nGPU1 1 SYS SYS X 8-15\n";
  for (const std::string& text : {usual, nics_first, affinities_first, both_first}) {
    CAPTURE(text);
    CHECK(test::classes(kNvidiaSmiFormat, text) == "X SYS\nSYS X\n");
    CHECK(test::warnings(kNvidiaSmiFormat, text).empty());
    const Topology machine = kNvidiaSmiFormat.read("t", text);
    CHECK(machine.vertex_of(Place(1)).numa == 1);
    CHECK(machine.vertex_of(Place(0)).cpus == "0-7");
    CHECK(std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind) == 1);
  }
}
