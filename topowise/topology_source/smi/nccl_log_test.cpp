// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tests/classes.hpp>
#include <tests/corpus.hpp>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

/// The log of an Azure node with A100s and without NVSwitches, shortened; another process writes between the lines.
const std::string kBonded =
    "n1:7:9 [0] NCCL INFO NET/IB : Using [0]mlx5_4:1/IB [1]mlx5_7:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
    "n1:7:9 [0] NCCL INFO === System : maxBw 80.0 totalBw 80.0 ===\n"
    "n1:8:8 [1] NCCL INFO === System : maxBw 80.0 totalBw 80.0 ===\n"
    "n1:7:9 [0] NCCL INFO CPU/0 (1/1/2)\n"
    "n1:8:8 [1] NCCL INFO CPU/9 (1/1/2)\n"
    "n1:7:9 [0] NCCL INFO + PCI[24.0] - PCI/1000 (1000c0101000a000)\n"
    "n1:7:9 [0] NCCL INFO               + PCI[24.0] - GPU/3000 (0)\n"
    "n1:7:9 [0] NCCL INFO                             + NVL[80.0] - GPU/81000\n"
    "n1:7:9 [0] NCCL INFO               + PCI[24.0] - GPU/4000 (1)\n"
    "n1:7:9 [0] NCCL INFO               + PCI[12.0] - NIC/5000\n"
    "n1:7:9 [0] NCCL INFO                             + NET[25.0] - NET/1 (b8d1350003e6/1/25.0)\n"
    "n1:7:9 [0] NCCL INFO + SYS[10.0] - CPU/1\n"
    "n1:7:9 [0] NCCL INFO CPU/1 (1/1/2)\n"
    "n1:7:9 [0] NCCL INFO + PCI[24.0] - GPU/81000 (2)\n"
    "n1:7:9 [0] NCCL INFO               + NVL[80.0] - GPU/3000\n"
    "n1:7:9 [0] NCCL INFO + SYS[10.0] - CPU/0\n"
    "n1:7:9 [0] NCCL INFO ==========================================\n";

/// The lines of `log`, with `stamp(number of the line)` before each.
template <class Stamp>
std::string with_stamps(std::string_view log, const Stamp& stamp) {
  std::string stamped;
  for (int line = 0; !log.empty(); ++line) stamped.append(stamp(line)).append(take_part(log, '\n')).append("\n");
  return stamped;
}

}  // namespace

TEST_CASE("the tree of one process, with the rates that NCCL counts on") {
  CHECK(test::classes(kNcclLogFormat, kBonded) == "X PIX NV4\nPIX X SYS\nNV4 SYS X\n");
  const Topology machine = kNcclLogFormat.read("t", kBonded);
  CHECK(machine.bandwidth(Place(0), Place(2)) == gigabytes_per_second(80));
  CHECK(machine.bandwidth(Place(1), Place(2)) == gigabytes_per_second(10));
  CHECK(machine.vertex_of(Place(2)).pci->to_string() == "0000:81:00.0");
  CHECK(machine.vertex_of(Place(2)).numa == 1);
  CHECK(machine.warnings().empty());
  const auto nic = std::ranges::find(machine.vertices(), VertexKind::nic, &Vertex::kind);
  REQUIRE(nic != machine.vertices().end());
  CHECK(nic->name == "mlx5_7");
}

TEST_CASE("a time stamp before each line is no part of the process") {
  const auto second = [](int line) { return std::to_string(10 + line); };
  const std::string tree = "X PIX NV4\nPIX X SYS\nNV4 SYS X\n";
  // Stamps of kubectl logs --timestamps, NCCL_DEBUG_TIMESTAMP_FORMAT, journalctl, and srun --label with a time of day.
  CHECK(test::classes(kNcclLogFormat, with_stamps(kBonded, [&](int line) {
                        return "2025-06-02T10:00:" + second(line) + ".564635Z ";
                      })) == tree);
  CHECK(test::classes(kNcclLogFormat, with_stamps(kBonded, [&](int line) {
                        return "[2025-06-02 10:00:" + second(line) + "] ";
                      })) == tree);
  CHECK(test::classes(kNcclLogFormat, with_stamps(kBonded, [&](int line) {
                        return "Jun 02 10:00:" + second(line) + " n1 job[1]: 0: ";
                      })) == tree);
  CHECK(test::classes(kNcclLogFormat,
                      with_stamps(kBonded, [&](int line) { return "10:00:" + second(line) + " 3: "; })) == tree);
}

TEST_CASE("lines into which another process wrote are put together") {
  const std::string other = "n1:8:8 [1] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P";
  const std::string whole = test::classes(kNcclLogFormat, kBonded);
  const std::string log = kBonded + other + "\n";  // two lines make a process known
  for (std::size_t at = 0; at < kBonded.size(); ++at) {
    CAPTURE(at);
    const std::string torn = log.substr(0, at) + other + "\n" + log.substr(at);
    REQUIRE(test::classes(kNcclLogFormat, torn) == whole);
    CHECK(kNcclLogFormat.read("t", torn).warnings().empty());
  }
  const std::size_t gpu = log.find("GPU/4000") + 5;
  const std::string quoted = with_stamps(log.substr(0, gpu) + other + "\n" + log.substr(gpu), [](int) { return "  "; });
  CHECK(test::classes(kNcclLogFormat, quoted) == whole);  // blanks are in the place of "> "
  // The other half of the line is missing.
  const Topology cut =
      kNcclLogFormat.read("t", log.substr(0, gpu) + other + "\n" + log.substr(log.find('\n', gpu) + 1));
  REQUIRE(cut.warnings().size() == 1);
  CHECK(cut.warnings()[0].find("1 line could not be put together") != std::string::npos);
}

TEST_CASE("RCCL's devices, and hosts of one NVLink domain") {
  CHECK(test::classes(kNcclLogFormat,
                      "NCCL INFO === System : maxBw 24.0 totalBw 48.0 ===\nNCCL INFO CPU/0-0 (1/1/2)\n"
                      "NCCL INFO + PCI[12.0] - PCI/0-9000 (100214a000000000)\n"
                      "NCCL INFO               + PCI[12.0] - DEV/0-b000 (100266a3106b0203)\n"
                      "NCCL INFO                             + LOC[5000.0] - GPU/0-b000\n"
                      "NCCL INFO                             + XGMI[24.0] - DEV/0-e000\n"
                      "NCCL INFO + PCI[12.0] - DEV/0-e000 (100266a3106b0203)\n"
                      "NCCL INFO               + LOC[5000.0] - GPU/0-e000\n"
                      "NCCL INFO               + XGMI[24.0] - DEV/0-b000\nNCCL INFO =====\n") == "X XGMI1\nXGMI1 X\n");
  const Topology rack = kNcclLogFormat.read(
      "t",
      "NCCL INFO === System : maxBw 1 totalBw 1 ===\nNCCL INFO CPU/0-0 (1/1/2)\nNCCL INFO + PCI[48.0] - GPU/0-1000 "
      "(0)\n"
      "NCCL INFO               + NVL[721.8] - NVS/0-0\nNCCL INFO CPU/1-0 (1/1/2)\n"
      "NCCL INFO + PCI[48.0] - GPU/1-1000 (1)\nNCCL INFO               + NVL[721.8] - NVS/0-0\nNCCL INFO =====\n");
  CHECK(test::path(rack, 0, 1) == "NV18");
  CHECK(rack.vertex_of(Place(1)).node == "host1");
}

TEST_CASE("a log that is cut off, or without the topology") {
  CHECK(test::warnings(kNcclLogFormat, kBonded.substr(0, kBonded.rfind("n1:7:9"))) ==
        "t: the topology is cut off: no line of '=' ends it\n");
  CHECK(test::refusal(kNcclLogFormat, "n1:7:7 [0] NCCL INFO Bootstrap : Using eth0\n") ==
        "0:0 this is a log of NCCL without the topology");
  CHECK(test::refusal(kNcclLogFormat, "NCCL INFO === System : x\nNCCL INFO CPU/0 (1)\nNCCL INFO CPU/0 (1)\n") ==
        "3:0 CPU 0 stands twice in the topology");
  CHECK(test::refusal(kNcclLogFormat, "NCCL INFO === System : x\nNCCL INFO CPU/0 (1)\n")
            .ends_with("there is no GPU in the topology of this log"));
}

TEST_CASE("corpus: eight H200 in a virtual machine") {
  const std::optional<std::string> path = test::corpus_file("nccl-log/h200-8x-vm.log");
  REQUIRE(path);
  const Topology machine = kNcclLogFormat.read("h200", read_file(*path));
  CHECK(machine.place_count() == 8);
  CHECK(test::census(machine) == "NV18 28");
  CHECK(machine.bandwidth(Place(0), Place(7)) == gigabytes_per_second(370.8));
  CHECK(machine.vertex_of(Place(4)).pci->to_string() == "0000:cc:00.0");
  CHECK(machine.vertex_of(Place(4)).numa == 1);
  CHECK(std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind) == 8);
  CHECK(machine.warnings().empty());
}
