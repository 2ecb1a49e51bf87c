// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>
#include <topowise/topology_source/smi/nvidia_smi.hpp>

using namespace topowise;

namespace {

const std::string kLinks = "  GPU0 GPU1 GPU2\nGPU0 X PHB SYS\nGPU1 PHB X SYS\nGPU2 SYS SYS X\n";
const std::string kRefused =
    " pairs of GPUs cannot read each other's memory (GPU0-GPU2 CNS, GPU1-GPU2 TNS): their copies are staged in host "
    "memory, not at the rate of a direct path";

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
        "t:5: a table of 'topo -p2p' tells of 2 GPUs, and there are 3: it is not used\n");
}

TEST_CASE("in a join the table alone says the same") {
  const auto alone = read_smi_p2p("p", "  GPU0 GPU1 GPU2\n GPU0 X OK CNS\n GPU1 OK X TNS\n GPU2 CNS TNS X\n");
  REQUIRE(alone);
  CHECK(alone->gpus.size() == 3);
  CHECK(alone->warnings == std::vector<std::string>{"p: 2 of 3" + kRefused});
  CHECK_FALSE(read_smi_p2p("p", kLinks));
  CHECK_FALSE(read_smi_p2p("p", kLinks + "  GPU0 GPU1\n GPU0 X OK\n GPU1 OK X\n"));
}
