// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

constexpr std::string_view kRecords =
    "Switch\t40 \"S-1\"\t\t# \"leaf-1\" base port 0 lid 1 lmc 0\n"
    "[1]\t\"H-a\"[1](a) \t\t# \"node10 mlx5_0\" lid 2 4xHDR\n"
    "[2]\t\"H-b\"[1](b) \t\t# \"node9 HCA-1\" lid 3 4xHDR\n"
    "[38]\t\"H-s\"[1](s) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR\n"
    "[39]\t\"S-2\"[39]\t\t# \"leaf-2\" lid 4 4xHDR\n"
    "[40]\t\"S-2\"[40]\t\t# \"leaf-2\" lid 4 4xHDR\n\n"
    "Switch\t40 \"S-2\"\t\t# \"leaf-2\" base port 0 lid 4 lmc 0\n"
    "[1]\t\"H-c\"[2](c) \t\t# \"node11 mlx5_0\" lid 5 2xHDR\n"
    "[2]\t\"H-x\"[1](x) \t\t# \"MT4123 ConnectX6   Mellanox Technologies\" lid 6 4xHDR\n"
    "[39]\t\"S-1\"[39]\t\t# \"leaf-1\" lid 1 4xHDR\n\n"
    "Ca\t1 \"H-a\"\t\t# \"node10 mlx5_0\"\n[1](a) \t\"S-1\"[1]\t\t# lid 2 lmc 0 \"leaf-1\" lid 1 4xHDR\n\n"
    "Ca\t1 \"H-b\"\t\t# \"node9 HCA-1\"\n\nCa\t2 \"H-c\"\t\t# \"node11 mlx5_0\"\n\n"
    "Ca\t1 \"H-x\"\t\t# \"MT4123 ConnectX6   Mellanox Technologies\"\n\nCa\t1 \"H-s\"\t\t# \"Mellanox Technologies "
    "Aggregation Node\"\n";

}  // namespace

TEST_CASE("records: hosts in natural order, parallel cables as one link") {
  CHECK(test::classes(kIbnetdiscoverFormat, kRecords) == "X NET1 NET2\nNET1 X NET2\nNET2 NET2 X\n");
  const Topology fabric = kIbnetdiscoverFormat.read("t", kRecords);
  CHECK(fabric.vertex_of(Place(0)).name == "node9");
  CHECK(fabric.vertex_of(Place(2)).node == "node11");
  CHECK(fabric.place(Place(0)).kind == PlaceKind::node);
  CHECK(fabric.bandwidth(Place(0), Place(1)) == gigabytes_per_second(25));
  CHECK(fabric.bandwidth(Place(0), Place(2)) == gigabytes_per_second(12.5));  // a link of width 2x
  const auto trunk = std::ranges::find(fabric.links(), 2, &Link::width);
  REQUIRE(trunk != fabric.links().end());
  CHECK(trunk->bandwidth == gigabytes_per_second(50));
  REQUIRE(fabric.warnings().size() == 1);
  CHECK(fabric.warnings()[0].find("1 adapters do not name their host") != std::string::npos);
}

TEST_CASE("the links of a host name its adapters, one for each cable") {
  const Topology fabric = kIbnetdiscoverFormat.read("t",
                                                    "CA 1 1 0x11 4x NDR - SW 9 1 0xa1 ( 'n1 mlx5_10' - 'leaf' )\n"
                                                    "CA 2 1 0x12 4x NDR - SW 9 2 0xa1 ( 'n1 mlx5_9' - 'leaf' )\n"
                                                    "CA 3 1 0x13 4x NDR - SW 9 3 0xa1 ( 'n2' - 'leaf' )\n");
  REQUIRE(fabric.adapters().size() == 1);
  const auto& [link, names] = *fabric.adapters().begin();
  CHECK(names == std::vector<std::string>{"mlx5_9", "mlx5_10"});
  CHECK(fabric.vertex(fabric.link(link).from).name == "n1");
  CHECK(fabric.link(link).width == 2);
  CHECK(topology_from_json("t", to_json(fabric)).adapters() == fabric.adapters());
}

TEST_CASE("adapters are called as the driver, udev or an administrator calls them") {
  for (const std::string name : {"mlx5_0", "HCA-1", "hfi1_0", "ibp26s0", "ibP2p3s0", "rocep1s0f1", "ibs3", "rail0"}) {
    CAPTURE(name);
    const std::string text = "CA 1 1 0x01 4x EDR - SW 9 1 0x10 ( 'gpu01 " + name +
                             "' - 'sw' )\nCA 2 1 0x02 4x EDR - SW 9 2 0x10 ( 'gpu02 " + name + "' - 'sw' )\n";
    const Topology fabric = kIbnetdiscoverFormat.read("t", text);
    CHECK(fabric.vertex_of(Place(1)).name == "gpu02");
  }
  CHECK_THROWS_AS(
      (void)kIbnetdiscoverFormat.read("t", "CA 1 1 0x01 4x EDR - SW 9 1 0x10 ( 'Mellanox ConnectX6' - 'sw' )\n"),
      Error);
}

TEST_CASE("one line a port") {
  CHECK(test::classes(kIbnetdiscoverFormat,
                      "CA   134  1 0x01 4x EDR - SW  17 10 0x10 ( 'o1 HCA-1' - 'sw' )\n"
                      "SW    17 11 0x10 4x EDR - CA 133  1 0x02 ( 'sw' - 'o2 HCA-1' )\n"
                      "SW    17 37 0x10 4x ???                    'sw'\n") == "X NET1\nNET1 X\n");
}

TEST_CASE("one line a port: names with apostrophes, in either order of the lines") {
  const std::string switches =
      "SW 1 1 0x10 4x NDR - CA 5 1 0x01 ( 'MF0;Bob's leaf' - 'gpu01 mlx5_0' )\n"
      "SW 1 2 0x10 4x NDR - CA 6 1 0x02 ( 'MF0;Bob's leaf' - 'gpu02 mlx5_0' )\n"
      "SW 1 3 0x10 4x SDR                'MF0;Bob's leaf'\n";
  const std::string adapters =
      "CA 5 1 0x01 4x NDR - SW 1 1 0x10 ( 'gpu01 mlx5_0' - 'MF0;Bob's leaf' )\n"
      "CA 6 1 0x02 4x NDR - SW 1 2 0x10 ( 'gpu02 mlx5_0' - 'MF0;Bob's leaf' )\n";
  for (const std::string& text : {switches + adapters, adapters + switches, switches}) {
    const Topology fabric = kIbnetdiscoverFormat.read("t", text);
    REQUIRE(fabric.place_count() == 2);
    CHECK(fabric.vertex_of(Place(0)).name == "gpu01");
    CHECK(std::ranges::count(fabric.vertices(), "MF0;Bob's leaf", &Vertex::name) == 1);
  }
}

TEST_CASE("ibsim's files have names and no rates") {
  const std::string_view text =
      "Switch\t8 \"sw\"\n[1] \"Hca1\"[1]\n[2] \"Hca2\"[1]\n\nHca\t2 \"Hca1\"\n[1] \"sw\"[1]\n";
  CHECK(test::classes(kIbnetdiscoverFormat, text) == "X NET1\nNET1 X\n");
  CHECK(kIbnetdiscoverFormat.read("t", text).bandwidth(Place(0), Place(1)).value() == 0.0);
}

TEST_CASE("a host with two adapters is one place and no router") {
  // Only the hosts a and b join the two planes: no route leads from c to d through a or b.
  CHECK(test::classes(kIbnetdiscoverFormat,
                      "Switch 8 \"S-1\" # \"p1\"\n[1] \"H-1\"[1] # \"a mlx5_0\" lid 1 4xNDR\n"
                      "[2] \"H-2\"[1] # \"b mlx5_0\" lid 1 4xNDR\n[3] \"H-3\"[1] # \"c mlx5_0\" lid 1 4xNDR\n\n"
                      "Switch 8 \"S-2\" # \"p2\"\n[1] \"H-4\"[1] # \"a mlx5_1\" lid 1 4xNDR\n"
                      "[2] \"H-5\"[1] # \"b mlx5_1\" lid 1 4xNDR\n[3] \"H-6\"[1] # \"d mlx5_0\" lid 1 4xNDR\n") ==
        "X NET1 NET1 NET1\nNET1 X NET1 NET1\nNET1 NET1 X NONE\nNET1 NET1 NONE X\n");
}

TEST_CASE("rates of links") {
  CHECK(infiniband_rate("4x", "NDR") == gigabytes_per_second(50));
  CHECK(infiniband_rate("4x", "EDR") == gigabytes_per_second(12.5));
  CHECK(infiniband_rate("1x", "SDR") == gigabytes_per_second(0.25));
  CHECK(infiniband_rate("4x", "???").value() == 0.0);
  CHECK(infiniband_rate("99x", "NDR").value() == 0.0);
}

TEST_CASE("damage and foreign text") {
  CHECK(test::warnings(kIbnetdiscoverFormat, std::string(kRecords) + "[7] garbage\n")
            .find("t:23: this is no line of a connected port") != std::string::npos);
  CHECK(test::refusal(kIbnetdiscoverFormat, "hello\n") == "0:0 no record of 'ibnetdiscover' found");
  CHECK(test::refusal(kIbnetdiscoverFormat, "Switch 8 \"S-1\"\n") == "0:0 t: no host is named in this fabric");
  CHECK_FALSE(kIbnetdiscoverFormat.recognises("Switch to the other\n"));
}

TEST_CASE("an output that is cut off is no small fabric") {
  const std::string text(kRecords);
  const std::string leaf = text.substr(0, text.find("Switch\t40 \"S-2\""));
  CHECK(
      test::warnings(kIbnetdiscoverFormat, leaf) ==
      "t: 1 switches are named but not listed (leaf-2): the output is cut off, or these switches did not answer; what "
      "is behind them is not known\n");
  const std::string without_adapters = text.substr(0, text.find("Ca\t1 \"H-a\""));
  CHECK(test::warnings(kIbnetdiscoverFormat, without_adapters)
            .find("5 adapters are named but not listed: the output is cut off, or of switches alone") !=
        std::string::npos);
  const std::string one = text.substr(0, text.find("[2]"));
  CHECK(test::refusal(kIbnetdiscoverFormat, one).find("is cut off: it names one host, 'node10'") != std::string::npos);
  CHECK(test::classes(kIbnetdiscoverFormat,
                      "Switch\t4 \"S-1\"\t# \"leaf\"\n[1]\t\"H-a\"[1](a) # \"n1 mlx5_0\" lid 2 4xHDR\n\n"
                      "Ca\t1 \"H-a\"\t# \"n1 mlx5_0\"\n[1](a) \"S-1\"[1] # lid 2 lmc 0 \"leaf\" lid 1 4xHDR\n") ==
        "X\n");
}

TEST_CASE("iblinkinfo: two hosts on a switch, a third on the next, by local identifiers") {
  constexpr std::string_view kBlocks =
      "CA: n10 HCA-1:\n"
      "      0xec0d9a03003d62be      4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   17[  ] "
      "\"MF0;SB7700:MSB7700/U1\" ( )\n"
      "CA: n9 mlx5_0:\n"
      "      0x248a070300928186      3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   36[  ] "
      "\"MF0;SB7700:MSB7700/U1\" ( )\n"
      "CA: n11 mlx5_0:\n"
      "      0x248a070300928187      6    1[  ] ==( 4X          10.0 Gbps (FDR10) Active/  LinkUp)==>       5    1[  ] "
      "\"leaf two\" (Could be 14.0625 Gbps)\n"
      "Switch: 0x506b4b0300820910 MF0;SB7700:MSB7700/U1:\n"
      "           2    1[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
      "           2   17[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       4    1[  ] \"n10 HCA-1\" ( )\n"
      "           2   30[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       5   30[  ] \"leaf two\" ( )\n"
      "           2   36[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       3    1[  ] \"n9 mlx5_0\" ( )\n"
      "Switch: 0x506b4b0300820911 leaf two:\n"
      "           5    1[  ] ==( 4X          10.0 Gbps (FDR10) Active/  LinkUp)==>       6    1[  ] \"n11 mlx5_0\" ( "
      ")\n"
      "           5   30[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   30[  ] "
      "\"MF0;SB7700:MSB7700/U1\" ( )\n";
  CHECK(test::classes(kIbnetdiscoverFormat, kBlocks) == "X NET1 NET2\nNET1 X NET2\nNET2 NET2 X\n");
  const Topology fabric = kIbnetdiscoverFormat.read("t", kBlocks);
  CHECK(fabric.warnings().empty());
  CHECK(fabric.vertex_of(Place(0)).name == "n9");
  CHECK(fabric.vertex_of(Place(2)).name == "n11");
  CHECK(fabric.bandwidth(Place(0), Place(1)) == gigabytes_per_second(12.5));
  CHECK(fabric.bandwidth(Place(0), Place(2)) == gigabytes_per_second(5));  // FDR10
  CHECK(fabric.links().front().source == "iblinkinfo (nominal)");
}

TEST_CASE("iblinkinfo -l: kinds follow from ports; without numbers nothing can be told apart") {
  const std::string leaf = "0x0000000000200002 \"               leaf-1\"      4   ";
  const std::string speed = "[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>  0x0000000000100002      ";
  const std::string text = leaf + "1" + speed + "5    1[  ] \"gpu01 mlx5_0\" (Could be 12X Could be 10.0 Gbps)\n" +
                           leaf + "2" + speed + "10    1[  ] \"gpu02 mlx5_0\" ( )\n";
  CHECK(test::classes(kIbnetdiscoverFormat, text) == "X NET1\nNET1 X\n");
  const Topology fabric = kIbnetdiscoverFormat.read("t", text);
  CHECK(fabric.bandwidth(Place(0), Place(1)) == gigabytes_per_second(1));
  REQUIRE(fabric.warnings().size() == 1);  // the text lists only switches
  CHECK(fabric.warnings()[0].find("2 adapters are named but not listed") != std::string::npos);
  CHECK_THROWS_WITH_AS((void)kIbnetdiscoverFormat.read(
                           "t", "CA: n1 mlx5_0:\n 0x01 0 1[  ] ==( 4X 2.5 Gbps Active/ LinkUp)==> 0 1[  ] \"s\" ( )\n"),
                       doctest::Contains("the local identifier is 0"), Error);
}
