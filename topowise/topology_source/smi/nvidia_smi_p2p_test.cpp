// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

const std::string kLinks = "  GPU0 GPU1 GPU2\nGPU0 X PHB SYS\nGPU1 PHB X SYS\nGPU2 SYS SYS X\n";
const std::string kRefused =
    " pairs of GPUs cannot read each other's memory (GPU0-GPU2 CNS, GPU1-GPU2 TNS): their copies are staged in host "
    "memory, so their class and route are those by way of the host";

}  // namespace

TEST_CASE("a table of -p2p beside the matrix names the pairs without peer access") {
  const std::string peers = "\n  GPU0 GPU1 GPU2\n GPU0 X U CNS\n GPU1 U X TNS\n GPU2 CNS TNS X\n";
  const std::string expected =
      "t: 2 of 3" + kRefused + "\nt: whether GPU0-GPU1 can read each other's memory is not known\n";
  CHECK(test::classes(kNvidiaSmiFormat, kLinks + peers) == "X PHB SYS\nPHB X SYS\nSYS SYS X\n");
  CHECK(test::warnings(kNvidiaSmiFormat, kLinks + peers) == expected);
  CHECK(test::warnings(kNvidiaSmiFormat, peers + kLinks) == expected);
  CHECK(test::warnings(kNvidiaSmiFormat, kLinks + peers + peers) ==
        "t:11: a second table of 'topo -p2p' begins here; only the first one is read\n" + expected);
  CHECK(test::warnings(kNvidiaSmiFormat, kLinks + "  GPU0 GPU1\n GPU0 X OK\n GPU1 OK X\n") ==
        "t:5: a table of 'topo -p2p' has 2 GPUs, and there are 3: it is not used\n");
}

TEST_CASE("in a join the table alone says the same") {
  const auto alone = read_smi_p2p("p", "  GPU0 GPU1 GPU2\n GPU0 X OK CNS\n GPU1 OK X TNS\n GPU2 CNS TNS X\n");
  REQUIRE(alone);
  CHECK(alone->gpus.size() == 3);
  CHECK(alone->warnings == std::vector<std::string>{"p: 2 of 3" + kRefused});
  CHECK(alone->without_peer_access == std::set<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}});
  CHECK(alone->assumption == "the table of 'topo -p2p' in p is that of reading (-p2p r)");
  CHECK_FALSE(read_smi_p2p("p", kLinks));
  CHECK_FALSE(read_smi_p2p("p", kLinks + "  GPU0 GPU1\n GPU0 X OK\n GPU1 OK X\n"));
}

TEST_CASE("pairs without peer access are as far as the host bridge, whatever joins them") {
  const std::string links =
      "  GPU0 GPU1 GPU2 GPU3 NUMA Affinity\nGPU0 X PIX NV4 PXB 0\nGPU1 PIX X PXB SYS 0\nGPU2 NV4 PXB X PIX 0\n"
      "GPU3 PXB SYS PIX X 0\n";
  const std::string peers =
      "\n  GPU0 GPU1 GPU2 GPU3\n GPU0 X CNS GNS OK\n GPU1 CNS X OK TNS\n GPU2 GNS OK X NS\n GPU3 OK TNS NS X\n";
  CHECK(test::classes(kNvidiaSmiFormat, links + peers) ==
        "X PHB PHB PXB\nPHB X PXB SYS\nPHB PXB X PHB\nPXB SYS PHB X\n");
  const Topology machine = kNvidiaSmiFormat.read("t", links + peers);
  const auto passes = [&](std::size_t a, std::size_t b, VertexKind kind) {
    const std::vector<LinkId> route = machine.route(Place(a), Place(b));
    return std::ranges::any_of(route, [&](LinkId id) { return machine.vertex(machine.link(id).to).kind == kind; });
  };
  CHECK(passes(0, 1, VertexKind::root_complex));
  CHECK(passes(0, 2, VertexKind::root_complex));
  CHECK_FALSE(passes(0, 3, VertexKind::root_complex));
  CHECK(machine.route(Place(0), Place(1)).size() == 6);
}

TEST_CASE("a table of another capability than reading is not one of access") {
  const std::string peers = "$ nvidia-smi topo -p2p n\n  GPU0 GPU1\n GPU0 X NS\n GPU1 NS X\n";
  const auto nvlink = read_smi_p2p("p", peers);
  REQUIRE(nvlink);
  CHECK(nvlink->without_peer_access.empty());
  CHECK(nvlink->assumption.empty());
  CHECK(nvlink->warnings == std::vector<std::string>{"p: 'topo -p2p n' does not say which GPUs can read each other's "
                                                     "memory, 'topo -p2p r' does"});
  const auto read = read_smi_p2p("p", "$ nvidia-smi topo -p2p r\n  GPU0 GPU1\n GPU0 X NS\n GPU1 NS X\n");
  REQUIRE(read);
  CHECK(read->without_peer_access.size() == 1);
  CHECK(read->assumption.empty());
}
