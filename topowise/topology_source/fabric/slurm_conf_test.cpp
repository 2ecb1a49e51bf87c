// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

std::string classes(std::string_view text) {
  return test::classes(kSlurmFormat, text);
}
std::string refusal(std::string_view text) {
  return test::refusal(kSlurmFormat, text);
}

}  // namespace

TEST_CASE("a tree: the class is the number of switches between") {
  CHECK(classes("switchname=top Switches=s[1,2] # comment\nSwitchName=s1 Nodes=n[1-2] LinkSpeed=5\n"
                "SwitchName=s2 Nodes=n3\n") == "X NET1 NET3\nNET1 X NET3\nNET3 NET3 X\n");
}

TEST_CASE("LinkSpeed has no unit, so it is not used, and a warning says so") {
  CHECK(test::warnings(kSlurmFormat,
                       "SwitchName=s1 Nodes=n[1-2] LinkSpeed=100\nSwitchName=s2 Nodes=n3 LinkSpeed=1\n"
                       "SwitchName=top Switches=s[1-2] LinkSpeed=400\n") ==
        "t:1:28: LinkSpeed is not used, because Slurm gives it no unit (cluster: has nic=50GB/s)\n");
  CHECK(test::warnings(kSlurmFormat, "SwitchName=s1 Nodes=n[1-2] LinkSpeed=1\n").empty());
}

TEST_CASE("names, places and second names") {
  const Topology machine = kSlurmFormat.read("t", "# s.1=leaf-a\nSwitchName=s.1 Nodes=n[09-11]\n");
  CHECK(machine.place_count() == 3);
  CHECK(machine.place(Place(0)).kind == PlaceKind::node);
  CHECK(machine.vertex_of(Place(0)).name == "n09");
  CHECK(machine.vertex_of(Place(2)).node == "n11");
  CHECK(machine.vertices()[0].name == "s.1 (leaf-a)");
}

TEST_CASE("blocks: consecutive ones form the larger sizes") {
  CHECK(classes("BlockName=b1 Nodes=a\nBlockName=b2 Nodes=b\nBlockName=b3 Nodes=c\nBlockSizes=1,2\n") ==
        "X NET3 NET5\nNET3 X NET5\nNET5 NET5 X\n");
  CHECK(classes("BlockName=b1 Nodes=a,b\n") == "X NET1\nNET1 X\n");
}

TEST_CASE("trees without a common switch are not connected") {
  const std::string_view text = "SwitchName=s1 Nodes=a\nSwitchName=s2 Nodes=b\n";
  CHECK(classes(text) == "X NONE\nNONE X\n");
  CHECK(test::warnings(kSlurmFormat, text).find("no common switch above them (s1, s2, ...)") != std::string::npos);
}

TEST_CASE("topograph's files: nodes without a place are left out, and a switch may be declared in two lines") {
  const std::string tree =
      "# switch.2.1=spine\nSwitchName=switch.2.1 Switches=switch.1.[1-2]\n# switch.2.1=spine\nSwitchName=switch.2.1 "
      "Nodes=a\n"
      "# switch.1.1=leaf\nSwitchName=switch.1.1 Nodes=b\nSwitchName=switch.1.2 Nodes=c\n";
  const std::string_view expected = "X NET2 NET2\nNET2 X NET3\nNET2 NET3 X\n";
  CHECK(classes(tree) == expected);
  const std::string whole = "SwitchName=no-topology Nodes=x[1-3]\n" + tree;
  CHECK(classes(whole) == expected);
  CHECK(test::warnings(kSlurmFormat, whole) == "t: 3 nodes are left out, not located by topograph: x1 and others\n");
  CHECK(test::warnings(kSlurmFormat, tree + "SwitchName=no-topology Nodes=x1\n") ==
        "t: 1 node is left out, not located by topograph: x1\n");
  CHECK(refusal("SwitchName=no-topology Nodes=x1\n") ==
        "0:0 no job gets any of the nodes: they are not located by topograph");
  CHECK(refusal("SwitchName=s Nodes=a\nSwitchName=s Nodes=b\n") == "2:12 switch 's' is declared twice");
  CHECK(refusal("SwitchName=s Nodes=a\nSwitchName=t Nodes=b\nSwitchName=s Switches=t\n") ==
        "3:12 switch 's' is declared twice");
}

TEST_CASE("topology.yaml: the default one, or the first") {
  const std::string tree =
      "- topology: a\n  tree:\n    switches:\n      - switch: r\n        children: s[1-2]\n"
      "      - switch: s1\n        nodes: x\n      - switch: s2\n        nodes: y\n";
  CHECK(classes("---\n" + tree) == "X NET3\nNET3 X\n");
  const std::string blocks =
      "- topology: b\n  cluster_default: true\n  block:\n    block_sizes: [1, 2]\n    blocks:\n"
      "    - block: b1\n      nodes: p\n    - block: b2\n      nodes: q\n    - block: b3\n      nodes: r\n";
  CHECK(classes(tree + blocks) == "X NET3 NET5\nNET3 X NET5\nNET5 NET5 X\n");
  CHECK(test::warnings(kSlurmFormat, tree + blocks) == "t:1: topology 'a' is not read, only 'b'\n");
}

TEST_CASE("rings and tori: neighbours are two routers apart") {
  CHECK(classes("- topology: a\n  ring:\n    rings:\n      - ring: r\n        nodes: n[1-4]\n") ==
        "X NET2 NET3 NET2\nNET2 X NET2 NET3\nNET3 NET2 X NET2\nNET2 NET3 NET2 X\n");
  CHECK(classes(
            "- topology: a\n  torus3d:\n    toruses:\n      - name: t\n        dims:\n          x: 2\n          y: 2\n"
            "          z: 1\n        nodes: n[1-4]\n") ==
        "X NET2 NET2 NET3\nNET2 X NET3 NET2\nNET2 NET3 X NET2\nNET3 NET2 NET2 X\n");
}

TEST_CASE("what scontrol prints: the nodes of upper switches are those below them") {
  CHECK(classes("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n2\n"
                "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[0-2] Switches=s[0-1]\n") ==
        "X NET1 NET3\nNET1 X NET3\nNET3 NET3 X\n");
  CHECK(classes("BlockName=b1 BlockIndex=0 Nodes=a BlockSize=1\nBlockName=b2 BlockIndex=1 Nodes=b BlockSize=1\n"
                "BlockName=b3 BlockIndex=2 Nodes=c BlockSize=1\n"
                "AggregatedBlock=b[1-2] BlockIndex=3 Nodes=a,b BlockSize=2\n") ==
        "X NET3 NET5\nNET3 X NET5\nNET5 NET5 X\n");
}

TEST_CASE("a line is continued by a backslash, also inside a list") {
  CHECK(classes("SwitchName=s0 \\\n  Nodes=n[0-1]\r\nSwitchName=s1 Nodes=m0,\\\r\nm1\nSwitchName=t Switches=s0,s1") ==
        "X NET1 NET3 NET3\nNET1 X NET3 NET3\nNET3 NET3 X NET1\nNET3 NET3 NET1 X\n");
  CHECK(refusal("SwitchName=s0 \\\n Nodes=n0\nSwitchName=s1 oops\n") == "3:15 'oops' is no KEY=VALUE");
  CHECK(classes("SwitchName=s0 Nodes=n0 \\") == "X\n");
}

TEST_CASE("a prompt around what scontrol prints does no harm, nor do blanks behind a backslash") {
  for (const std::string prompt : {"$ ", "[user@login ~]$ ", "[root@login ~]# ", "user@login:~> "}) {
    CAPTURE(prompt);
    const std::string text =
        prompt + "scontrol show topology\nSwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4]\n" + prompt + "\n";
    CHECK(kSlurmFormat.read("t", text).place_count() == 4);
  }
  CHECK(kSlurmFormat.read("t", "SwitchName=s1 Nodes=n[1-4],\\  \nn[5-6]\n").place_count() == 6);
}

TEST_CASE("topology.yaml: keys in any order, any indentation") {
  for (const std::string_view text :
       {"- cluster_default: true\n  topology: x\n  tree:\n    switches:\n      - switch: s1\n        nodes: n[1-4]\n",
        "---\n-   topology:   \"x\"\n    tree:\n        switches:\n        -   switch: s1\n            nodes: "
        "n[1-4]\n"}) {
    CHECK(kSlurmFormat.recognises(text));
    CHECK(kSlurmFormat.read("t", text).place_count() == 4);
  }
  CHECK_FALSE(kSlurmFormat.recognises("spec:\n- name: x\n  topology: y\n"));
}

TEST_CASE("errors point at their cause") {
  CHECK(refusal("SwitchName=s1 Swiches=a\n") == "1:15 unknown parameter 'Swiches', did you mean 'Switches'?");
  CHECK(refusal("SwitchName=s1 oops\n") == "1:15 'oops' is no KEY=VALUE");
  CHECK(refusal("SwitchName=r Switches=s1\n") == "1:23 switch 's1' is not declared");
  CHECK(refusal("SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=c Nodes=n\n") ==
        "1:12 switch 'a' is below itself");
  CHECK(refusal("SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=n\n") ==
        "2:23 switch 'c' is already below 'a'");
  CHECK(refusal("SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n") == "2:12 switch 'a' is declared twice");
  CHECK(refusal("SwitchName=a Nodes=n[1-999999999]\n") == "1:22 '1-999999999' exceeds the limit of 131072 names");
  CHECK(refusal("SwitchName=a Nodes=n[1-99999]\nSwitchName=b Nodes=m[1-99999]\n") ==
        "2:22 '1-99999' exceeds the limit of 131072 names");  // the limit holds for all lists of a file together
  CHECK(refusal("SwitchName=a Switches=b\nSwitchName=b\n") == "0:0 no compute nodes are declared");
  CHECK(refusal("BlockName=a Nodes=n\nBlockSizes=4,6\n") == "0:0 block size 6 is no multiple of the smaller ones");
  CHECK(refusal("- topology: f\n  flat: true\n").starts_with("1:0 a flat topology names no nodes"));
  CHECK(refusal("- topology: f\n  tree:\n\tswitches:\n") == "3:1 YAML does not allow TABs as indentation");
  CHECK(test::warnings(kSlurmFormat, "SwitchName=r Switches=a,b\nSwitchName=a Nodes=n\nSwitchName=b Nodes=n,m\n")
            .find("t:3:20: node 'n' is on an earlier switch") != std::string::npos);
}

TEST_CASE("topology.yaml: host lists point into the text, quoted or not") {
  const std::string head = "- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: ";
  CHECK(refusal(head + "n[1-\n") == "5:14 a bracket is not closed");
  CHECK(refusal(head + "'n[1-'\n") == "5:15 a bracket is not closed");
  CHECK(refusal(head + "\"\\x6e[1-\"\n") == "5:0 a bracket is not closed");  // escaped: only the line is known
  CHECK(classes(head + "\"\\x6e[1-2]\" # both\n") == "X NET1\nNET1 X\n");
}

TEST_CASE("topology.yaml: what is not YAML is reported with its line") {
  CHECK(refusal("- topology: a\n  tree: [1, 2\n").starts_with("3:0 not YAML: end of sequence flow not found"));
  CHECK(refusal("- topology: a\n  tree: {a: *b}\n") == "2:13 not YAML: the referenced anchor is not defined");
  CHECK(refusal("- topology: a\n tree:\n") == "2:2 not YAML: end of sequence not found");
  CHECK(refusal("- topology: a\n  ? [x]\n  : y\n") == "2:5 a key must be a word");
  CHECK(refusal("- topology: a\n---\n- topology: b\n") == "2:1 a second document begins: only one is read");
  CHECK(refusal("- topology: a\n  tree:\n  block:\n") == "2:0 'switches' is missing");
}

TEST_CASE("topology.yaml: neither aliases nor depth blow up") {
  std::string bomb = "- topology: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "- topology: &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  CHECK(refusal(bomb) == "2:18 aliases are not read: write the value out");
  constexpr std::size_t kDepth = 100'000;
  std::string dashes;
  for (std::size_t i = 0; i < kDepth; ++i) dashes += "- ";
  CHECK(refusal("- topology: a\n" + dashes) == "2:65 values are nested more than 32 deep");
  std::string closed = "- topology: a\n  flat: ";
  for (std::size_t i = 0; i < 40; ++i) closed += "{k: ";
  CHECK(refusal(closed + "x" + std::string(40, '}')) == "2:129 values are nested more than 32 deep");
  CHECK(refusal("- topology: " + std::string(kDepth, '[')).starts_with("1:"));
  CHECK(refusal("- topology: a\n# " + std::string(std::size_t{4} << 20, '[')) ==
        "2:0 the text is too large: at most 4.19 MB are read as YAML");
}
