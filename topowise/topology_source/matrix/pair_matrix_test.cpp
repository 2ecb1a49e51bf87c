// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

std::string classes(std::string_view text) {
  return test::classes(kPairMatrixFormat, text);
}
std::string refusal(std::string_view text) {
  return test::refusal(kPairMatrixFormat, text);
}
Topology read(std::string_view text) {
  return kPairMatrixFormat.read("t", text);
}

}  // namespace

TEST_CASE("plain numbers are distances") {
  const std::string_view text = "0 1 2\n1 0 2\n3 2 0\n";
  CHECK(classes(text) == "X M1 M3\nM1 X M2\nM3 M2 X\n");
  const Topology machine = read(text);
  CHECK(machine.distance(Place(0), Place(2)) == 2);
  CHECK(machine.distance(Place(2), Place(0)) == 3);  // the direction matters
  CHECK(machine.place(Place(0)).kind == PlaceKind::slot);
  CHECK(machine.pair_matrix_source(Metric::distance) == "distance matrix");
  CHECK_FALSE(machine.has_pair_matrix(Metric::bandwidth));
}

TEST_CASE("notations of the same matrix") {
  const std::string expected = "X M1 M2\nM1 X M2\nM2 M2 X\n";
  CHECK(classes("3\n0 1 2\n1 0 2\n2 2 0\n") == expected);
  CHECK(classes("# rows\n0,1,2\n1,0,2\n2,2,0\n") == expected);
  CHECK(classes("0;1;2\r\n1;0;2\r\n2;2;0\r\n") == expected);
  CHECK(classes(",a,b,c\na,-,1,2\nb,1,-,2\nc,2,2,-\n") == expected);
  CHECK(classes(",0,1,2\n0,0,1,2\n1,1,0,2\n2,2,2,0\n") == expected);
  CHECK(classes("%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n2 1 1\n3 1 2\n3 2 2\n") == expected);
  CHECK(classes("%%MatrixMarket matrix array integer general\n3 3\n0\n1\n2\n1\n0\n2\n2\n2\n0\n") == expected);
  CHECK(classes("%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n2\n0\n2\n0\n") == expected);
  CHECK(read(",gpu-a,gpu-b\ngpu-a,0,1\ngpu-b,1,0\n").vertex_of(Place(1)).name == "gpu-b");
}

TEST_CASE("QAPLIB: the second matrix, in any line breaks") {
  CHECK(classes("2\n\n0 9\n9 0\n\n0 4\n4\n0\n") == "X M1\nM1 X\n");
  CHECK(read("2\n\n0 9\n9 0\n\n0 4\n4\n0\n").distance(Place(0), Place(1)) == 4);
}

TEST_CASE("a comment or header makes it a bandwidth or a latency") {
  const Topology rates = read("# measured, GB/s\n0 100 10\n104 0 10\n10 11 0\n");
  CHECK(rates.bandwidth(Place(0), Place(1)).value() == doctest::Approx(100e9));
  CHECK(rates.bandwidth(Place(1), Place(0)).value() == doctest::Approx(104e9));
  CHECK(classes("# measured, GB/s\n0 100 10\n104 0 10\n10 11 0\n") == "X M1 M2\nM1 X M2\nM2 M2 X\n");
  CHECK(rates.place(Place(0)).kind == PlaceKind::gpu);
  CHECK(rates.route(Place(0), Place(2)).size() == 1);
  const Topology times = read("latency (us)\n0 2 9\n2 0 9\n9 9 0\n");
  CHECK(times.latency(Place(0), Place(2)).value() == doctest::Approx(9e-6));
  CHECK(to_string(times.path_class(Place(0), Place(1))) == "M1");
}

TEST_CASE("p2pBandwidthLatencyTest: the tables with P2P") {
  const Topology machine = read(
      "Device: 0, V100, pciBusID: 5d, pciDeviceID: 0, pciDomainID:0\n"
      "Device: 1, V100, pciBusID: 88, pciDeviceID: 0, pciDomainID:0\n"
      "P2P Connectivity Matrix\n     D\\D     0     1\n     0       1     1\n     1       1     1\n"
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n     0 900 9\n     1 9 900\n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D 0 1\n     0 900 48\n     1 47 900\n"
      "P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1\n     0   1.5   1.9\n     1   1.8   1.5\n"
      "\n   CPU     0      1\n     0   3.5   3.9\n     1   3.8   3.5\n");
  CHECK(machine.bandwidth(Place(0), Place(1)).value() == doctest::Approx(48e9));
  CHECK(machine.latency(Place(1), Place(0)).value() == doctest::Approx(1.8e-6));
  CHECK(machine.vertex_of(Place(1)).pci->to_string() == "0000:88:00.0");
  CHECK(machine.pair_matrix_source(Metric::bandwidth) == "measured:p2pBandwidthLatencyTest");
  CHECK(machine.warnings().empty());
}

TEST_CASE("p2pBandwidthLatencyTest: pairs without peer access are named") {
  const std::string bandwidth =
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n D\\D 0 1 2\n 0 900 11 12\n 1 11 900 12\n"
      " 2 12 12 900\nP2P=Enabled Latency (P2P Writes) Matrix (us)\n GPU 0 1 2\n 0 1 2 2\n 1 2 1 2\n 2 2 2 1\n";
  const std::string expected =
      "t: 1 of 3 pairs of GPUs cannot read each other's memory (GPU0-GPU1): their copies are staged in host memory, "
      "as measured\n";
  const auto warnings = [](const std::string& text) { return test::warnings(kPairMatrixFormat, text); };
  CHECK(warnings("Device=0 CANNOT Access Peer Device=1\nDevice=0 CAN Access Peer Device=2\n" + bandwidth) == expected);
  CHECK(warnings("P2P Connectivity Matrix\n D\\D 0 1 2\n 0 1 0 1\n 1 0 1 1\n 2 1 1 1\n" + bandwidth) == expected);
  CHECK(warnings(bandwidth).empty());
  // Where no pair has access, the rates without it are what is true.
  const std::string disabled =
      "P2P Connectivity Matrix\n D\\D 0 1\n 0 1 0\n 1 0 1\nUnidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
      " D\\D 0 1\n 0 900 11\n 1 11 900\nP2P=Disabled Latency Matrix (us)\n GPU 0 1\n 0 1 2\n 1 2 1\n";
  CHECK(warnings(disabled).starts_with("t: 1 of 1 pairs of GPUs cannot read"));
  CHECK(read(disabled).assumptions().empty());
}

TEST_CASE("p2pBandwidthLatencyTest: a part of it says which table was used") {
  const std::string rows = " D\\D 0 1\n 0 900 50\n 1 48 900\n";
  const auto part = [&](const std::string& title) { return title + "\n" + rows; };
  const auto rate = [](const std::string& text) {
    CHECK(kPairMatrixFormat.recognises(text));
    return read(text).bandwidth(Place(0), Place(1)).value();
  };
  const auto warnings = [](const std::string& text) { return test::warnings(kPairMatrixFormat, text); };
  const std::string writes = part("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)");
  const std::string both_ways = part("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)");
  const std::string both_disabled = part("Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)");
  const std::string latency = "P2P=Enabled Latency (P2P Writes) Matrix (us)\n GPU 0 1\n 0 1 2\n 1 2 1\n";
  CHECK(rate(writes) == doctest::Approx(50e9));
  CHECK(warnings(writes).ends_with("is the only table here: there is no latency\n"));
  for (const std::string_view rest : {"", " 1 48\n"}) {
    const std::string cut = writes.substr(0, writes.size() - 10) + std::string(rest) + latency;
    CHECK(warnings(cut).find("of 2 GPUs ends here: what only its other rows say is not known") != std::string::npos);
  }
  CHECK(warnings(latency).ends_with("is the only table here: there is no bandwidth\n"));
  CHECK(rate(both_disabled + both_ways) == doctest::Approx(25e9));
  CHECK(
      warnings(both_ways) ==
      "t:2: no unidirectional bandwidth; half of 'Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)' is taken for each "
      "direction\n");
  CHECK(rate(both_ways + writes) == doctest::Approx(50e9));
  CHECK(warnings(writes + latency).empty());
  CHECK(kPairMatrixFormat.recognises(rows));
  CHECK(refusal(rows) == "1:0 no line above this matrix says whether it is bandwidth or latency");
  CHECK(refusal("P2P Connectivity Matrix\n D\\D 0 1\n 0 1 0\n 1 0 1\n") ==
        "2:0 this matrix says only which GPUs can access each other");
}

TEST_CASE("p2pBandwidthLatencyTest: PCI domains have up to eight digits") {
  const auto address = [](const std::string& domain) {
    const Topology machine = read("Device: 0, V100, pciBusID: 5d, pciDeviceID: 1f" + domain +
                                  "\nP2P=Enabled Latency (P2P Writes) Matrix (us)\n GPU 0 1\n 0 1 2\n 1 2 1\n");
    const std::optional<PciAddress>& pci = machine.vertex_of(Place(0)).pci;
    return pci ? pci->to_string() : "none";
  };
  CHECK(address(", pciDomainID:ff") == "00ff:5d:1f.0");
  CHECK(address(", pciDomainID:100") == "0100:5d:1f.0");  // a domain has 32 bits, not a byte
  CHECK(address(", pciDomainID:10a5b") == "10a5b:5d:1f.0");
  CHECK(address("") == "0000:5d:1f.0");
  CHECK(address(", pciDomainID:1ffffffff") == "none");
  CHECK(address(", pciDomainID:?") == "none");
}

TEST_CASE("nvbandwidth: the arrow is the direction") {
  const std::string device = "Device 1: NVIDIA A100 (00000000:34:00)\n";
  const Topology machine =
      read(device + "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n   0    1\n0 N/A 20\n1 30 N/A\n");
  CHECK(machine.bandwidth(Place(1), Place(0)).value() == doctest::Approx(20e9));
  CHECK(machine.bandwidth(Place(0), Place(1)).value() == doctest::Approx(30e9));
  CHECK(machine.vertex_of(Place(1)).pci->to_string() == "0000:34:00.0");
  const Topology both = read(
      "memcpy CE GPU(row) <-> GPU(column) bandwidth (GB/s)\n  0 1\n0 N/A 5\n1 5 N/A\n\n"
      "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n  0 1\n0 N/A 20\n1 30 N/A\n");
  CHECK(both.bandwidth(Place(0), Place(1)).value() == doctest::Approx(20e9));
}

TEST_CASE("nvbandwidth on several hosts: each GPU is on the host of its process") {
  const std::string processes =
      "Process 0 (hosta): device 0: NVIDIA GB200 (00000008:01:00)\nProcess 1 (hosta): device 1: NVIDIA GB200 "
      "(00000009:01:00)\nProcess 2 (hostb): device 0: NVIDIA GB200 (00000008:01:00)\n";
  const std::string matrix =
      "\nRunning multinode_device_to_device_memcpy_read_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "  0 1 2 3\n0 N/A 798 797 798\n1 798 N/A 797 798\n2 797 797 N/A 798\n3 798 798 797 N/A\n";
  const Topology machine = read(processes + "Process 3 (hostb): device 1: NVIDIA GB200 (00000009:01:00)\n" + matrix);
  REQUIRE(machine.place_count() == 4);
  CHECK(machine.vertex_of(Place(1)).name == "hosta:GPU1");
  CHECK(machine.vertex_of(Place(2)).name == "hostb:GPU0");
  CHECK(machine.vertex_of(Place(2)).node == "hostb");
  CHECK(machine.vertex_of(Place(2)).pci->to_string() == "0008:01:00.0");
  CHECK(machine.warnings().empty());
  REQUIRE(machine.levels().size() == 2);  // NVLink joins the hosts: they are as fast as one, but inside is nearer
  CHECK(machine.level(Place(0), Place(1)) == 0);
  CHECK(machine.level(Place(1), Place(2)) == 1);
  const Topology one = read(
      "Process 0 (hosta): device 1: NVIDIA GB200 (00000008:01:00)\nProcess 1 (hosta): device 0: "
      "NVIDIA GB200 (00000009:01:00)\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n  0 1\n"
      "0 N/A 7\n1 7 N/A\n");
  CHECK(one.vertex_of(Place(0)).name == "GPU1");
  CHECK(one.vertex_of(Place(0)).node == "hosta");
  const Topology part = read(processes + matrix);
  CHECK(part.vertex_of(Place(2)).node.empty());
  REQUIRE(part.warnings().size() == 1);
  CHECK(part.warnings()[0].starts_with("the host of process 3 is not known"));
}

TEST_CASE("a list of pairs; pairs that were not measured are unknown and far") {
  const std::string_view text =
      "GPU 0 -> GPU 2: Bandwidth = 150 GB/s\n..... READ .....\nGPU 2 -> GPU 0: Bandwidth = 160 GB/s\n"
      "GPU 0 -> GPU 5: Bandwidth = 18 GB/s\n";
  CHECK(classes(text) == "X M1 M2\nM1 X M2\nM2 M2 X\n");
  const Topology machine = read(text);
  CHECK(machine.vertex_of(Place(2)).name == "GPU5");
  CHECK(machine.bandwidth(Place(1), Place(0)).value() == doctest::Approx(160e9));
  CHECK(machine.bandwidth(Place(1), Place(2)).value() == 0.0);
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].find("1 of 3 pairs (GPU2 and GPU5, ...)") != std::string::npos);
}

TEST_CASE("a damaged matrix is refused where it is damaged") {
  CHECK(refusal("0 1 2\n1 0\n2 2 0\n") == "2:0 this row has 2 numbers, the first one has 3");
  CHECK(refusal("0 1\n1 0\n2 2\n") == "3:0 3 rows of 2 numbers are no square matrix");
  CHECK(refusal("0 1 2\n1 0 x2\n2 2 0\n") == "2:5 'x2' is not a number");
  CHECK(refusal("0 1\n-1 0\n") == "2:1 the value -1 of the pair (1, 0) is negative");
  CHECK(refusal("0 N/A\n1 0\n") == "1:3 no value for the pair (0, 1)");
  CHECK(refusal("3\n0 1\n1 0\n") == "1:0 size 3 asks for 9 numbers, or 18 in a QAPLIB instance; 4 follow");
  CHECK(refusal("").starts_with("0:0 no numbers found"));
}

TEST_CASE("large sizes cost nothing unless the numbers are there") {
  CHECK(refusal("999999999\n1 2\n3 4\n") == "1:1 a matrix of '999999999' places is too large; the limit is 2048");
  CHECK(refusal("%%MatrixMarket matrix coordinate real general\n2000 2000 4000000\n") ==
        "2:0 4000000 entries are announced, but 0 are there");
  CHECK(refusal("%%MatrixMarket matrix coordinate real general\n99999999 99999999 1\n") ==
        "2:1 '99999999' is not a number of places from 1 to 2048");
  CHECK(refusal("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n") ==
        "2:0 2 values do not state all pairs of 3 places");
  CHECK(refusal("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n1 2 1\n") ==
        "0:0 no value for the pair (2, 1)");
  CHECK(refusal("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n") ==
        "1:34 'pattern' is not read, only real, integer, double");
  CHECK(refusal("%%MatrixMarket matrix array real general\n2 2\n0 1\n-1 0\n") == "4:1 '-1' is negative");
}

TEST_CASE("prose and other tables are not claimed") {
  CHECK_FALSE(kPairMatrixFormat.recognises("some text\nand more\n"));
  CHECK_FALSE(kPairMatrixFormat.recognises("5\n"));
  CHECK_FALSE(kPairMatrixFormat.recognises(""));
  CHECK_FALSE(kPairMatrixFormat.recognises("GPU0 GPU1\nGPU0 X PIX\nGPU1 PIX X\n"));
}

TEST_CASE("more numbers than any matrix has are refused before they are kept") {
  std::string many;
  std::string row;
  for (int i = 0; i < 2048; ++i) row += "1 ";
  for (int i = 0; i < 4100; ++i) many.append(row).append("\n");
  CHECK(test::refusal(kPairMatrixFormat, many).find("more numbers than two matrices of 2048 places") !=
        std::string::npos);
}
