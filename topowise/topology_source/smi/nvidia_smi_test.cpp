// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

std::string classes(std::string_view text) {
  return test::classes(kNvidiaSmiFormat, text);
}
std::string warnings(std::string_view text) {
  return test::warnings(kNvidiaSmiFormat, text);
}
std::string refusal(std::string_view text) {
  return test::refusal(kNvidiaSmiFormat, text);
}
Topology read(std::string_view text) {
  return kNvidiaSmiFormat.read("t", text);
}

constexpr std::string_view kPair = "X PHB\nPHB X\n";

}  // namespace

TEST_CASE("cells are separated by TABs, blanks or both") {
  CHECK(classes("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-5\nGPU1\tPHB\t X \t0-5\n") == kPair);
  CHECK(classes("      GPU0  GPU1\nGPU0   X    PHB\nGPU1  PHB    X\n") == kPair);
  CHECK(classes("\t\tGPU0\tGPU1\nGPU0\t X \t\tPHB\nGPU1\tPHB\t \tX\t\t\n") == kPair);
}

TEST_CASE("what a terminal and a log add is no part of the table") {
  CHECK(classes("\t\x1b[4mGPU0\tGPU1\tCPU Affinity\x1b[0m\r\nGPU0\t X \tPHB\t0-5\r\nGPU1\tPHB\t X \t0-5\r\n") == kPair);
  CHECK(classes("$ nvidia-smi topo -m\nGPU0 is busy\n\n    GPU0 GPU1\n    GPU0 X PHB\n\n    GPU1 PHB X\n\nLegend:\n") ==
        kPair);
  CHECK(classes("GPU0 GPU1\nGPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\n") == kPair);  // a header without rows
  CHECK(classes("12:01 node7:  GPU0 GPU1\n12:01 node7: GPU0 X PHB\n12:01 node7: GPU1 PHB X\n") == kPair);
  CHECK(classes("| | GPU0 | GPU1 |\n|--|--|--|\n| GPU0 | X | PHB |\n| GPU1 | PHB | X |\n") == kPair);
}

TEST_CASE("tables as people hand them on") {
  const std::string rows =
      "| --- | --- | --- | --- |\n| **GPU0** | X | PHB | 0-7,16-23 |\n| `GPU1` | PHB | X | 8-15 |\n";
  for (const std::string corner : {"", "Device", "**GPU**"}) {
    const std::string text = "| " + corner + " | GPU0 | GPU1 | CPU Affinity |\n" + rows;
    CHECK(classes(text) == kPair);
    CHECK(read(text).vertex_of(Place(0)).cpus == "0-7,16-23");
  }
  CHECK(classes(" | GPU0 | GPU1\n--- | --- | ---\nGPU0 | X | PHB\nGPU1 | PHB | X\n") == kPair);
  CHECK(classes("| | GPU0 | GPU1\n| GPU0 | X | PHB\n| GPU1 | PHB | X\n") == kPair);
  CHECK(classes("\u2502  \u2502 GPU0 \u2502 GPU1 \u2502\n\u2502 GPU0 \u2502 X \u2502 PHB \u2502\n"
                "\u2502 GPU1 \u2502 PHB \u2502 X \u2502\n") == kPair);
  CHECK(classes(",GPU0,GPU1\nGPU0,X,PHB\nGPU1,PHB,X\n") == kPair);
  CHECK(classes("node1  |   GPU0 GPU1\nnode1  | GPU0 X PHB\nnode1  | GPU1 PHB X\n") == kPair);
  CHECK(warnings(",GPU0,GPU1,CPU Affinity,NUMA Affinity\nGPU0,X,SYS,\"0-7,16-23\",0\nGPU1,SYS,X,8-15,24-31,1\n") ==
        "t:3:12: '8-15' is not told apart from the cell behind it; GPU1 will not be bound by it\n");
  CHECK(classes(";GPU0;GPU1;CPU Affinity\nGPU0;X;PHB;0-7,16-23\nGPU1;PHB;X;8-15\n") == kPair);
}

TEST_CASE("columns of affinity are known by their headings, in any order") {
  const auto check = [](const std::string& header, const std::string& first, const std::string& second) {
    const std::string text = header + "\nGPU0 X SYS " + first + "\nGPU1 SYS X " + second + "\n";
    CAPTURE(text);
    const Topology machine = read(text);
    CHECK(machine.vertex_of(Place(0)).cpus == "0-15");
    CHECK(machine.vertex_of(Place(0)).numa == 0);
    CHECK(machine.vertex_of(Place(1)).cpus == "16-31");
  };
  check("  GPU0  GPU1  Node Affinity  CPU Affinity", "0 0-15", "1 16-31");
  check("  GPU0  GPU1  Node Affinity  CPU Affinity", "0 0-15", "16-31");
  check("  GPU0 GPU1 NUMA Affinity CPU Affinity", "0 0-15", "1 16-31");
  check("  GPU0 GPU1 GPU NUMA ID NUMA Affinity CPU Affinity", "N/A 0 0-15", "N/A 1 16-31");
  check("  GPU0  GPU1  Bus-Id  NUMA-Affinit\u00e4t  CPU-Affinit\u00e4t", "01:00.0 0 0-15", "02:00.0 1 16-31");
  CHECK(
      read(",GPU0,GPU1,Node Affinity,CPU Affinity\nGPU0,X,SYS,0,0-15\nGPU1,SYS,X,1,16-31\n").vertex_of(Place(1)).cpus ==
      "16-31");
}

TEST_CASE("headers in another language, and columns that are new") {
  const std::string rows = "GPU0\t X \tSYS\t0-15\t0\t\tN/A\nGPU1\tSYS\t X \t16-31\t1\t\tN/A\n";
  const std::string german = "\tGPU0\tGPU1\tCPU-Affinit\u00e4t\tNUMA-Affinit\u00e4t\tGPU-NUMA-ID\n" + rows;
  CHECK(classes(german) == "X SYS\nSYS X\n");
  CHECK(read(german).vertex_of(Place(1)).cpus == "16-31");
  CHECK(read(german).vertex_of(Place(1)).numa == 1);
  CHECK(warnings(german).empty());
  const std::string column = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\tNVIDIA NIC\n" + rows;
  CHECK(classes(column) == "X SYS\nSYS X\n");
  CHECK(read(column).vertex_of(Place(1)).numa == 1);
  CHECK(warnings(column) == "t:1:51: 'NVIDIA NIC' is no column that is known; it is not read\n");
}

TEST_CASE("a prefix on every line is before the legends, too") {
  const std::vector<std::string_view> table{
      "\tGPU0\tNIC0", "GPU0\t X \tPIX", "NIC0\tPIX\t X ", "", "Legend:", "", "  PIX  = One",
      "  NV#  = NV",  "NIC Legend:",    "  NIC0: mlx5_7"};
  for (const bool numbered : {false, true}) {
    std::string text;
    for (std::size_t l = 0; l < table.size(); ++l)
      text.append(numbered ? "     " + std::to_string(l + 1) + "\t" : "12:00:0" + std::to_string(l) + " node01: ")
          .append(table[l])
          .append("\n");
    const Topology machine = read(text);
    CHECK(std::ranges::count(machine.vertices(), "mlx5_7", &Vertex::name) == 1);
    CHECK(machine.warnings().empty());
  }
}

TEST_CASE("old and rare classes") {
  CHECK(classes("  GPU0 GPU1\nGPU0 X SOC\nGPU1 SOC X\n") == "X SYS\nSYS X\n");
  CHECK(classes("  GPU0 GPU1\nGPU0 X PSB\nGPU1 PSB X\n") == "X PSB\nPSB X\n");
  CHECK(classes("  GPU0 GPU1\nGPU0 X C2C\nGPU1 C2C X\n") == "X C2C\nC2C X\n");
}

TEST_CASE("affinity cells are known by their shape, not by their TABs") {
  const Topology machine = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tSYS\tSYS\tSYS\tSYS\t0-7,16-23\t\tN/A\t\tN/A\n"
      "GPU1\tSYS\t X \tSYS\tSYS\tSYS\t8-15,24-31\t1\t\tN/A\n"
      "GPU2\tSYS\tSYS\t X \tSYS\tSYS\t32-39\t2\n"
      "GPU3\tSYS\tSYS\tSYS\t X \tSYS\t\t\t\tN/A\n"
      "GPU4\tSYS\tSYS\tSYS\tSYS\t X \t40-47\t4,8-9\t12\n");
  const auto gpu = [&](std::size_t i) { return machine.vertex_of(Place(i)); };
  CHECK(gpu(0).cpus == "0-7,16-23");
  CHECK(gpu(0).numa == -1);
  CHECK(gpu(1).numa == 1);
  CHECK(gpu(2).cpus == "32-39");
  CHECK(gpu(2).numa == 2);
  CHECK(gpu(3).cpus.empty());
  CHECK(gpu(4).numa == 4);  // the other domains have memory only
  CHECK(machine.warnings().empty());
}

TEST_CASE("NICs are vertices, in any order of columns, under the names of the legend") {
  const Topology machine = read(
      "\tGPU0\tGPU1\tNIC1\tNIC0\n"
      "GPU0\t X \tSYS\tSYS\tPIX\n"
      "GPU1\tSYS\t X \tPXB\tSYS\n"
      "NIC1\tSYS\tPXB\t X \tSYS\n"
      "NIC0\tPIX\tSYS\tSYS\t X \n"
      "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_7\n");
  CHECK(machine.warnings().empty());
  CHECK(machine.place_count() == 2);
  const auto find = [&](std::string_view name) { return std::ranges::find(machine.vertices(), name, &Vertex::name); };
  REQUIRE(find("mlx5_0") != machine.vertices().end());
  REQUIRE(find("mlx5_7") != machine.vertices().end());
  CHECK(find("mlx5_0")->kind == VertexKind::nic);
  CHECK(find("mlx5_0")->parent == machine.vertex_of(Place(0)).parent);  // PIX: on one switch
  CHECK(find("mlx5_7")->parent != machine.vertex_of(Place(1)).parent);  // PXB: one switch more
}

TEST_CASE("eight GPUs of one width go through one NVSwitch plane, four have direct bonds") {
  const auto mesh = [](int n) {
    std::string text = " ";
    for (int i = 0; i < n; ++i) text += " GPU" + std::to_string(i);
    for (int i = 0; i < n; ++i) {
      text += "\nGPU" + std::to_string(i);
      for (int j = 0; j < n; ++j) text += i == j ? " X" : " NV6";
    }
    return text;
  };
  const Topology plane = read(mesh(8));
  CHECK(std::ranges::count(plane.vertices(), VertexKind::nvswitch, &Vertex::kind) == 1);
  CHECK(plane.route(Place(0), Place(7)).size() == 2);
  CHECK(plane.bandwidth(Place(0), Place(7)) == gigabytes_per_second(150));
  CHECK(to_string(plane.path_class(Place(0), Place(7))) == "NV6");
  const Topology direct = read(mesh(4));
  CHECK(std::ranges::count(direct.vertices(), VertexKind::nvswitch, &Vertex::kind) == 0);
  CHECK(direct.route(Place(0), Place(3)).size() == 1);
  CHECK(direct.link(direct.route(Place(0), Place(3)).front()).width == 6);
  CHECK(direct.link(direct.route(Place(0), Place(3)).front()).source == "nvidia-smi (assumed)");
}

TEST_CASE("a damaged table says where, and what is consistent is kept") {
  // GPU1's row has lost its first cell: X is in the wrong column. GPU0's row still has the class.
  CHECK(classes("  GPU0 GPU1\nGPU0 X PHB\nGPU1 X\n") == kPair);
  CHECK(warnings("  GPU0 GPU1\nGPU0 X PHB\nGPU1 X\n") ==
        "t:3:1: row 'GPU1' has 1 cells, the header has 2\n"
        "t:3:6: row 'GPU1' has 'X' in column 'GPU0'; the row is ignored\n");
  CHECK(classes("  GPU0 GPU1\nGPU0 X FOO\nGPU1 PHB X\n") == kPair);
  CHECK(warnings("  GPU0 GPU1\nGPU0 X FOO\nGPU1 PHB X\n") ==
        "t:2:8: unknown class 'FOO' of GPU0 and GPU1; the other way it is PHB, which is taken\n");
  CHECK(warnings("  GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\nGPU1 PIX X\n") == "t:4:1: a second row 'GPU1'; it is ignored\n");
  CHECK(classes("  GPU0\nGPU0 X\nGPU1 PIX\n") == "X PIX\nPIX X\n");  // a column was cut off
}

TEST_CASE("a table that has lost the cells of a pair is refused") {
  const std::string lost = " pairs of GPUs are lost (";
  const std::string why = "): rows or columns were cut off, or a terminal broke the lines";
  CHECK(refusal("  GPU0 GPU1 GPU2\nGPU0 X PHB SYS\n") == "1:0 the cells of 1 of 3" + lost + "GPU1 and GPU2" + why);
  // The header and the rows are broken, at different places.
  const std::string broken =
      "  GPU0 GPU1 GPU2\nGPU3 CPU Affinity\nGPU0 X NV18 NV18\nNV18 0-7\nGPU1 NV18 X NV18\nNV18 0-7\n"
      "GPU2 NV18 NV18 X\nNV18 8-15\nGPU3 NV18 NV18 NV18\n X 8-15\n";
  CHECK(refusal(broken) == "2:0 the cells of 6 of 6" + lost + "GPU3 and GPU0, ..." + why);
  CHECK(test::first_error(kNvidiaSmiFormat, broken).hint.starts_with("nvidia-smi topo -m > FILE"));
  // GPU2's row would fit below the wrong columns if it were not longer than them.
  CHECK(refusal("  GP\nU0 GPU1 CPU Affinity\nGPU0 X SYS NV4\nGPU1 SYS X NV4\nGPU2 NV4 NV4 X\n").starts_with("2:0 "));
}

TEST_CASE("a number in which the text ends may go on") {
  CHECK(refusal("  GPU0 GPU1\nGPU0 X NV1").starts_with("1:0 the cells of 1 of 1 pairs of GPUs are lost"));
  CHECK(classes("  GPU0 GPU1 GPU2\nGPU0 X NV1 NV1\nGPU1 NV1 X NV1\nGPU2 NV1") == "X NV1 NV1\nNV1 X NV1\nNV1 NV1 X\n");
  CHECK(classes("  GPU0 GPU1 GPU2\nGPU0 X NV18 NV18\nGPU1 NV18 X NV18\nGPU2 NV1") ==
        "X NV18 NV18\nNV18 X NV18\nNV18 NV18 X\n");
  const std::string head = "  GPU0 GPU1 CPU Affinity\nGPU0 X SYS 0-31,64-95\nGPU1 SYS X ";
  CHECK(read(head + "32-63,96").vertex_of(Place(1)).cpus.empty());
  CHECK(read("  GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X SYS 0-31,64-95 0\nGPU1 SYS X 32-63")
            .vertex_of(Place(1))
            .cpus.empty());
  CHECK(read(head + "32-63,96-127").vertex_of(Place(1)).cpus == "32-63,96-127");
}

TEST_CASE("a header that a terminal broke is joined if every row fits it") {
  const std::string rows = "GPU0     X      NV18    0-7     0\nGPU1    NV18     X      8-15    1\n";
  for (const std::string header : {"        GPU0\nGPU1    CPU Affinity    NUMA Affinity\n",
                                   "        GPU0    GPU1\nCPU Affinity    NUMA Affinity\n"}) {
    CAPTURE(header);
    CHECK(classes(header + rows) == "X NV18\nNV18 X\n");
    CHECK(warnings(header + rows).empty());
    CHECK(read(header + rows).vertex_of(Place(1)).cpus == "8-15");
    CHECK(read(header + rows).vertex_of(Place(1)).numa == 1);
  }
}

TEST_CASE("processors that cannot be right are not kept") {
  const Topology machine = read(
      "  GPU0 GPU1 GPU2 GPU3 CPU Affinity NUMA Affinity\n"
      "GPU0 X SYS SYS SYS -31 0\nGPU1 SYS X SYS SYS 32-63 1\nGPU2 SYS SYS X SYS 32-63 1\nGPU3 SYS SYS SYS X 2-63 1\n");
  CHECK(machine.vertex_of(Place(0)).cpus.empty());
  CHECK(machine.vertex_of(Place(0)).numa == -1);
  CHECK(machine.vertex_of(Place(1)).cpus == "32-63");
  CHECK(machine.vertex_of(Place(3)).cpus.empty());
  CHECK(machine.warnings().size() == 2);
}

TEST_CASE("classes that fit no tree are kept, with a warning") {
  const std::string_view text = "  GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X PIX\nGPU2 SYS PIX X\n";
  CHECK(classes(text) == "X PIX SYS\nPIX X PIX\nSYS PIX X\n");
  CHECK(warnings(text).find("do not fit into one PCIe tree (GPU0 and GPU2 are SYS, but PIX") != std::string::npos);
}

TEST_CASE("a legend without NV# leaves NVLink unknown, unless the GPUs have none") {
  const std::string view = "  GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\nLegend:\n PIX = one bridge\n";
  CHECK(warnings(view) ==
        "t:1: its legend does not show NVLink or xGMI: where it was printed by -mp, NVLink is left out (unknown is not "
        "absent); nvidia-smi topo -m prints the matrix\n");
  CHECK(warnings("GPU 0: NVIDIA H100 80GB HBM3\n" + view).find("does not show NVLink") != std::string::npos);
  CHECK(warnings("GPU 0: Tesla T4\nGPU 1: Tesla T4\n" + view).empty());
  CHECK(warnings(view + " NV# = NVLinks\n").empty());
  CHECK(warnings(view + " SOC = socket-level link\n").empty());  // from a version before NVLink
  CHECK(warnings("  GPU0 GPU1\nGPU0 X NV4\nGPU1 NV4 X\nLegend:\n PIX = one bridge\n").empty());
  CHECK(warnings("  GPU0\nGPU0 X\n  GPU0\nGPU0 X\n") ==
        "t:3: a second matrix begins here; only the first one is read\n");
}

TEST_CASE("what is no topology is refused") {
  CHECK(
      refusal("  GPU0 GPU1\n GPU0 X OK\n GPU1 OK X\n").starts_with("1:0 this is the table of 'nvidia-smi topo -p2p'"));
  CHECK(refusal("nothing here\n") == "0:0 no matrix of 'nvidia-smi topo -m' found");
  CHECK(refusal("  GPU0 GPU0\nGPU0 X PHB\n") == "1:8 column 'GPU0' occurs twice");
  CHECK_FALSE(kNvidiaSmiFormat.recognises("GPU0 and GPU1 are fast\nGPU0 is X\n"));
  CHECK_FALSE(kNvidiaSmiFormat.recognises("       GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n"));  // this is output of rocm-smi
  std::string many = " ";
  for (int i = 0; i < 1100; ++i) many += " GPU" + std::to_string(i);
  CHECK(refusal(many + "\nGPU0 X\n").ends_with("more than 1024 devices in one matrix"));
}

TEST_CASE("the host is reconstructed so that congestion meets on shared links") {
  // GPU0 and GPU1 are on one switch; both reach GPU2 through the uplink of that switch.
  const Topology machine = read("  GPU0 GPU1 GPU2\nGPU0 X PIX PHB\nGPU1 PIX X PHB\nGPU2 PHB PHB X\n");
  const std::vector<LinkId> first = machine.route(Place(0), Place(2));
  const std::vector<LinkId> second = machine.route(Place(1), Place(2));
  REQUIRE(first.size() == 3);
  REQUIRE(second.size() == 3);
  CHECK(first[0] != second[0]);
  CHECK(first[1] == second[1]);
  CHECK(machine.route(Place(0), Place(1)).size() == 2);
}

TEST_CASE("colour codes that lost their ESC, and cells that lost their TABs") {
  CHECK(classes("\t[4mGPU0\tGPU1\tCPU Affinity[0m\nGPU0\t X \tNV4\t0-7\nGPU1\tNV4\t X \t0-7\n") == "X NV4\nNV4 X\n");
  const std::string glued =
      "GPU0GPU1NIC0CPU AffinityNUMA AffinityGPU NUMA ID\nGPU0 X NV18PIX0-7,16-230N/A\n"
      "GPU1 NV18X SYS8-15,24-311N/A\nNIC0 PIXSYS X\nLegend:\n NV# = NVLinks\n";
  CHECK(classes(glued) == "X NV18\nNV18 X\n");
  CHECK(warnings("GPU0GPU1CPU AffinityNUMA Affinity\nGPU0 X SYS 0-7 0\nGPU1 SYS X 8-15 1\n").empty());
}

TEST_CASE("a table without any TAB is cut behind its names and classes") {
  const std::string glued =
      "GPU0GPU1NIC0NIC10CPU AffinityNUMA AffinityGPU NUMA ID\nGPU0 X NV18PIXSYS0-710,2-172\n"
      "GPU1NV18 X SYSPIX72-1431,18-3310\nNIC0PIXSYS X SYS\nNIC10SYSPIXSYS X \nLegend:\n NV# = NVLinks\n";
  CHECK(classes(glued) == "X NV18\nNV18 X\n");
  const Topology machine = read(glued);
  CHECK(machine.vertex_of(Place(0)).cpus.empty());
  CHECK(std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind) == 2);
  CHECK(warnings(glued) ==
        "t:2:18: '0-710,2-172' is not told apart from the cell behind it; GPU0 will not be bound by it\n"
        "t:3:18: '72-1431,18-3310' is not told apart from the cell behind it; GPU1 will not be bound by it\n");
  // The other direction of the pair shows that the list begins after the 4.
  CHECK(classes("GPU0GPU1CPU Affinity\nGPU0XNV40-31\nGPU1NV4X0-31\n") == "X NV4\nNV4 X\n");
  CHECK(read("GPU0GPU1CPU Affinity\nGPU0XNV40-31\nGPU1NV4X0-31\n").vertex_of(Place(0)).cpus == "0-31");
}

TEST_CASE("headings that the tool itself glues together are cut") {
  const auto nics = [](const std::string& text) {
    const Topology machine = read(text);
    CHECK(machine.vertex_of(Place(0)).cpus == "0-7");
    std::string names;
    for (const Vertex& vertex : machine.vertices()) {
      if (vertex.kind == VertexKind::nic) names += vertex.name + ' ';
    }
    return names;
  };
  CHECK(nics("\tGPU0\tGPU1\tNIC0\tNIC1NIC2\tCPU Affinity\tNUMA Affinity\n"
             "GPU0\t X \tSYS\tPIX\tSYS\tSYS\t0-7\t0\nGPU1\tSYS\t X \tSYS\tPIX\tSYS\t8-15\t1\n") == "NIC0 NIC1 NIC2 ");
  CHECK(nics("     GPU0  GPU1  NIC9NIC10NIC11 CPU Affinity\nGPU0  X   SYS  PIX SYS SYS  0-7\n"
             "GPU1 SYS   X   SYS SYS SYS  8-15\n") == "NIC9 NIC10 NIC11 ");
  // Names of another form are known from their rows.
  CHECK(nics("\tGPU0\trocep1s0rocep2s0\tCPU Affinity\nGPU0\t X \tPIX\tSYS\t0-7\nrocep1s0\tPIX\t X \tSYS\n"
             "rocep2s0\tSYS\tSYS\t X \n") == "rocep1s0 rocep2s0 ");
}

TEST_CASE("glued cells that may be cut in several ways are refused") {
  const std::string cut = " end is not certain";
  CHECK(refusal("GPU0GPU1CPU Affinity\nGPU0XNV120-31\n") ==
        "2:1 the TABs are lost, and where the cells of 'GPU0XNV120-31'" + cut);
  CHECK(refusal("  GPU0 GPU1 CPU Affinity\nGPU0 X NV4 0-31\nGPU1PHBFOO X 0-31\n") ==
        "3:1 the TABs are lost, and where the cells of 'GPU1PHBFOO'" + cut);
  CHECK(refusal("GPU0GPU1rocep12s0f0\nGPU0 X PHB\nGPU1 PHB X\n") ==
        "1:5 the TABs are lost, and where the cells of 'GPU1rocep12s0f0'" + cut);
}

TEST_CASE("lists of processors that are doubtful are doubted aloud") {
  const std::string head = "  GPU0 GPU1 CPU Affinity NUMA Affinity\n";
  CHECK(warnings(head + "GPU0 X SYS 0-55,112-167 0\nGPU1 SYS X 56-111,168-2231\n") ==
        "t:3:12: '56-111,168-2231' looks like two cells that were glued together; GPU1 will not be bound by it\n");
  CHECK(warnings(head + "GPU0 X SYS 0-127\nGPU1 SYS X 0-127\n") ==
        "t:2:12: '0-127' for all 2 GPUs, although some of them are SYS apart: these are all processors, not the near "
        "ones\n");
  CHECK(warnings(head + "GPU0 X PHB 0-127\nGPU1 PHB X 0-127\n").empty());
  // All rows have such joined cells, with and without cells after them; NVLink hides which GPU is on which socket.
  for (const std::string behind : {"", " N/A", " 1", " 1 N/A"}) {
    const std::string told =
        warnings("  GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\nGPU0 X NV18 56-111,168-2231" + behind +
                 "\nGPU1 NV18 X 56-111,168-2231" + behind + "\n");
    CHECK(told.find("t:2:13: '56-111,168-2231' looks like two cells") != std::string::npos);
    CHECK(told.find("t:3:13: '56-111,168-2231' looks like two cells") != std::string::npos);
  }
}

TEST_CASE("lists that a narrow terminal broke bind nothing") {
  const std::string text =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tSYS\t0-51,104\n-155\t0\n"
      "GPU1\tSYS\t X \t52-103,1\n56-207\t1\n";
  const Topology machine = kNvidiaSmiFormat.read("t", text);
  for (const Place place : {Place(0), Place(1)}) {
    CHECK(machine.vertex_of(place).cpus.empty());
    CHECK(machine.vertex_of(place).numa == -1);
  }
  CHECK(warnings(text) ==
        "t:2:14: '0-51,104' goes on in the next line, where a terminal broke it; GPU0 will not be bound by it\n"
        "t:4:14: '52-103,1' goes on in the next line, where a terminal broke it; GPU1 will not be bound by it\n");
}

TEST_CASE("lines that a terminal broke at its width are joined") {
  const std::string text =
      "        GPU0    GPU1    NIC0    CPU Affi\nnity    NUMA Affinity\n"
      "GPU0     X      SYS     PIX     0-15,32-\n47      0\n"
      "GPU1    SYS      X      SYS     16-31,48\n-63     FOO\nNIC0    PIX     SYS      X \n";
  CHECK(classes(text) == "X SYS\nSYS X\n");
  CHECK(read(text).vertex_of(Place(0)).cpus == "0-15,32-47");
  CHECK(warnings(text) == "t:5:49: 'FOO' is no NUMA domain; GPU1 will not be bound by it\n");
  // The header breaks between two devices, and a row ends where it fills the line.
  const std::string between =
      "        GPU0    GPU1    GPU2    GPU3    \nGPU4\n"
      "GPU0     X      PIX     PIX     PIX     \nSYS\nGPU1    PIX      X      PIX     PIX     \nSYS\n"
      "GPU2    PIX     PIX      X      PIX     \nSYS\nGPU3    PIX     PIX     PIX      X      \nSYS\n"
      "GPU4    SYS     SYS     SYS     SYS    X\n";
  CHECK(classes(between) ==
        "X PIX PIX PIX SYS\nPIX X PIX PIX SYS\nPIX PIX X PIX SYS\nPIX PIX PIX X SYS\nSYS SYS SYS SYS X\n");
  CHECK(warnings(between).empty());
}

TEST_CASE("a header that lost its blanks where a terminal broke it is reported") {
  CHECK(warnings("  GPU0 GPU1\nCPU Affinity NUMA Affinity\nGPU0 X SYS\n0-15 0\nGPU1 SYS X\n16-31 1\n") ==
        "t:2: the header goes on here, where a terminal broke it: lists of processors are not read\n");
}

TEST_CASE("one list for all GPUs that NVLink joins is doubted where the adapters or their number show two sockets") {
  const std::string head = "  GPU0 GPU1 NIC0 NIC1 CPU Affinity NUMA Affinity\n";
  const std::string nics = "NIC0 PIX SYS X SYS\nNIC1 SYS PIX SYS X\n";
  CHECK(warnings(head + "GPU0 X NV18 PIX SYS 0-223 0-1\nGPU1 NV18 X SYS PIX 0-223 0-1\n" + nics) ==
        "t:2:21: '0-223' for all 2 GPUs, although NIC0 is SYS from some of them and near to others: these are all "
        "processors, not the near ones\n");
  CHECK(
      warnings(head + "GPU0 X NV4 PIX PIX 0-63 0\nGPU1 NV4 X PIX PIX 0-63 0\nNIC0 PIX PIX X PIX\nNIC1 PIX PIX PIX X\n")
          .empty());
  const auto joined = [](int gpus) {
    std::string text = " ";
    for (int g = 0; g < gpus; ++g) text += " GPU" + std::to_string(g);
    text += " CPU Affinity\n";
    for (int g = 0; g < gpus; ++g) {
      text += "GPU" + std::to_string(g);
      for (int h = 0; h < gpus; ++h) text += g == h ? " X" : " NV18";
      text += " 0-223\n";
    }
    return text;
  };
  CHECK(warnings(joined(8)).find("'0-223' for all 8 GPUs, which NVLink joins, and such boards hang on two sockets") !=
        std::string::npos);
  CHECK(warnings(joined(4)).empty());  // one socket is usual for four GPUs
}

TEST_CASE("what the tool left out is passed on") {
  CHECK(warnings("14 NICs found, only displaying 8\n  GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\n") ==
        "t:1: the tool says '14 NICs found, only displaying 8'\n");
}

TEST_CASE("lists that a screen cut off bind nothing") {
  const std::vector<std::string> table{"      GPU0 GPU1 GPU2 CPU Affinity", "GPU0   X  PIX  SOC  0-11,24-35",
                                       "GPU1  PIX   X  SOC  0-11,24-35", "GPU2  SOC  SOC   X  12-23,36-47"};
  std::string whole;
  for (const std::string& line : table) whole += line + "\n";
  CHECK(warnings(whole).empty());
  CHECK(read(whole).vertex_of(Place(2)).cpus == "12-23,36-47");
  for (std::size_t width = table[0].find("CPU") + 3; width < table[3].size(); ++width) {
    CAPTURE(width);
    std::string text;
    for (const std::string& line : table) text += line.substr(0, width) + "\n";
    if (width > table[0].find("CPU") + 3) {
      const Topology machine = read(text);
      const std::string first = machine.vertex_of(Place(0)).cpus;
      CHECK((first.empty() || first == "0-11,24-35"));
      CHECK(machine.vertex_of(Place(2)).cpus.empty());
      CHECK_FALSE(machine.warnings().empty());
    }
  }
  CHECK(warnings(table[0] + "\n" + table[1] + "\n" + table[2].substr(0, 25) + "\n") ==
        "t:3:21: '0-11,' is no list of processors; GPU1 will not be bound by it\n"
        "t:1: no row for GPU2\n");
  CHECK(warnings(table[0] + "\n" + table[1] + "\n" + table[2].substr(0, 24) + "\n") ==
        "t:3:21: '0-11' may be cut off where its line ends; GPU1 will not be bound by it\n"
        "t:1: no row for GPU2\n");
}

TEST_CASE("lines of several hosts that are mixed are read host by host") {
  const std::vector<std::string> near{"\tGPU0\tGPU1\tCPU Affinity", "GPU0\t X \tPIX\t0-7", "GPU1\tPIX\t X \t0-7"};
  const std::vector<std::string> far{near[0], "GPU0\t X \tSYS\t0-7", "GPU1\tSYS\t X \t8-15"};
  const auto mixed = [&](const std::string& first, const std::string& second, const std::vector<std::string>& other) {
    return first + near[0] + "\n" + second + other[0] + "\n" + second + other[1] + "\n" + second + other[2] + "\n" +
           first + near[1] + "\n" + first + near[2] + "\n";
  };
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"host1: ", "host2: "}, {" 9: ", "10: "}, {"[1,0]<stdout>:", "[1,1]<stdout>:"}, {"[pod/a] ", "[pod/b] "}}) {
    const std::string& label = first;
    CAPTURE(label);
    const std::string alike = mixed(first, second, near);
    CHECK(kNvidiaSmiFormat.recognises(alike));
    CHECK(classes(alike) == "X PIX\nPIX X\n");
    CHECK(warnings(alike).empty());
    CHECK(classes(mixed(first, second, far)) == "X PIX\nPIX X\n");
  }
  CHECK(warnings(mixed("host1: ", "host2: ", far)) ==
        "t: holds the tables of 2 hosts; 1 of them differ from that of host1, which alone is read: host2; a file for "
        "each host and cluster:FABRIC,HOST=FILE,... describe them all\n");
  // The header is far away from its first row.
  std::string many;
  for (const std::string& line : near) {
    for (int host = 10; host < 99; ++host) many += std::to_string(host) + ": " + line + "\n";
  }
  CHECK(kNvidiaSmiFormat.recognises(many));
  CHECK(classes(many) == "X PIX\nPIX X\n");
  CHECK(warnings(many).empty());
}
