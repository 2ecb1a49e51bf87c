// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

/// A node as kubectl prints it, with some of what does not matter.
std::string node(std::string_view name, const std::vector<std::string>& labels) {
  return fmt::format(
      R"({{"apiVersion": "v1", "kind": "Node", "metadata": {{"annotations": {{"node.alpha.kubernetes.io/ttl": "0"}},
  "labels": {{"beta.kubernetes.io/arch": "amd64", "kubernetes.io/hostname": "{0}"{1}{2}}}, "name": "{0}",
  "uid": "8d01"}}, "spec": {{"providerID": "aws:///x"}}, "status": {{"addresses": [{{"address": "10.0.0.1", "type": "InternalIP"}}]}}}})",
      name, labels.empty() ? "" : ", ", fmt::join(labels, ", "));
}

std::string list(const std::vector<std::string>& nodes) {
  return fmt::format(R"({{"apiVersion": "v1", "items": [{}], "kind": "List", "metadata": {{"resourceVersion": ""}}}})",
                     fmt::join(nodes, ",\n"));
}

std::string label(std::string_view key, std::string_view value) {
  return fmt::format(R"("{}": "{}")", key, value);
}

/// Nodes a, b, c, d: a and b share all levels, c the outermost two, d the outermost one.
std::string three_levels(const std::vector<std::string>& keys) {
  const auto at = [&](std::string_view name, std::string_view x, std::string_view y, std::string_view z) {
    return node(name, {label(keys[2], z), label(keys[0], x), label(keys[1], y)});
  };
  return list({at("a", "x", "y1", "z1"), at("b", "x", "y1", "z1"), at("c", "x", "y1", "z2"), at("d", "x", "y2", "z1")});
}

constexpr std::string_view kThree = "X NET1 NET3 NET5\nNET1 X NET3 NET5\nNET3 NET3 X NET5\nNET5 NET5 NET5 X\n";

}  // namespace

TEST_CASE("the labels of topograph, old and new, and of the clouds give the same tree from the outside to the inside") {
  for (const std::vector<std::string>& keys : std::vector<std::vector<std::string>>{
           {"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine",
            "network.topology.nvidia.com/leaf"},
           {"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/spine",
            "network.topology.nvidia.com/block"},
           {"fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"},
           {"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
            "topology.k8s.aws/network-node-layer-3"},
           {"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock",
            "cloud.google.com/gce-topology-host"},
           {"oci.oraclecloud.com/rdma.hpc_island_id", "oci.oraclecloud.com/rdma.network_block_id",
            "oci.oraclecloud.com/rdma.local_block_id"},
           {"backend.coreweave.cloud/fabric", "backend.coreweave.cloud/superpod", "backend.coreweave.cloud/leafgroup"},
           {"ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup"},
           {"topology.nebius.com/gpu-cluster-id", "topology.nebius.com/tier-2", "topology.nebius.com/tier-1"},
           {"failure-domain.beta.kubernetes.io/zone", "oci.oraclecloud.com/host.network_block_id",
            "oci.oraclecloud.com/host.rack_id"},
           {"topology.kubernetes.io/zone", "cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"}}) {
    CAPTURE(keys[0]);
    CHECK(test::classes(kKubernetesFormat, three_levels(keys)) == kThree);
  }
}

TEST_CASE("a domain of NVLink lies inside of the switch; one whose nodes are below two switches is left out") {
  const auto at = [](std::string_view name, std::string_view leaf, std::string_view domain) {
    return node(name, {label("network.topology.nvidia.com/leaf", leaf), label("nvidia.com/gpu.clique", domain)});
  };
  const std::string inside =
      list({at("a", "s1", "u.1"), at("b", "s1", "u.1"), at("c", "s1", "u.2"), at("d", "s1", "u.2")});
  CHECK(test::classes(kKubernetesFormat, inside) ==
        "X NET1 NET3 NET3\nNET1 X NET3 NET3\nNET3 NET3 X NET1\nNET3 NET3 NET1 X\n");
  CHECK(test::warnings(kKubernetesFormat, inside).empty());
  const std::string across = list({at("a", "s1", "u.1"), at("b", "s2", "u.1")});
  CHECK(test::classes(kKubernetesFormat, across) == "X NET3\nNET3 X\n");
  CHECK(test::warnings(kKubernetesFormat, across) ==
        "t: the nodes of accelerator domain 'u.1' are below different switches; it is left out\n");
}

TEST_CASE("nodes that no label locates are left out and counted; a second family of labels is named") {
  const std::string text = list({node("a", {label("cloud.google.com/gce-topology-block", "b1"),
                                            label("topology.k8s.aws/network-node-layer-1", "n1")}),
                                 node("control", {}), node("b", {label("cloud.google.com/gce-topology-block", "b1")})});
  const Topology machine = kKubernetesFormat.read("t", text);
  REQUIRE(machine.place_count() == 2);
  CHECK(machine.vertex_of(Place(1)).node == "b");
  CHECK(
      test::warnings(kKubernetesFormat, text) ==
      "t: the labels of AWS are used, those of Google Cloud are not\n"
      "t: of 1 node without a label of AWS only region and zone count, such as 'b': those of one zone are taken to be "
      "on one switch\n"
      "t: 1 node without a label that says where it is, such as 'control': left out\n");
}

TEST_CASE("a node that no label locates counts once, wherever it is in the list") {
  const auto at = [](std::string_view name) { return node(name, {label("topology.kubernetes.io/zone", "z")}); };
  for (const std::string& text : {list({at("a"), at("b"), node("control", {})}),
                                  list({node("control", {}), at("a"), at("b")}), list({at("a"), node("control", {})})})
    CHECK(test::warnings(kKubernetesFormat, text)
              .find("t: 1 node without a label that says where it is, such as 'control': left out\n") !=
          std::string::npos);
  CHECK(test::warnings(kKubernetesFormat, list({at("a"), node("c1", {}), node("c2", {})})) ==
        "t: of 1 node only region and zone count, such as 'a': those of one zone are taken to be on one switch\n"
        "t: 2 nodes without a label that says where it is, such as 'c1': left out\n");
}

TEST_CASE("the site's own keys are those of its Topology of Kueue, wherever it is in the list") {
  const auto at = [](std::string_view name, std::string_view row, std::string_view rack) {
    return node(name, {label("topology.kubernetes.io/zone", "z"), label("nvidia.com/gpu.clique", rack),
                       label("site.org/rack", rack), label("site.org/row", row)});
  };
  const auto topology = [](std::string_view name, std::string_view levels) {
    return fmt::format(R"({{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology", "metadata": {{"name": "{}"}},
      "spec": {{"levels": [{}, {{"nodeLabel": "kubernetes.io/hostname"}}]}}}})",
                       name, levels);
  };
  const std::string own = topology("own", R"({"nodeLabel": "site.org/row"}, {"nodeLabel": "site.org/rack"})");
  const std::vector<std::string> nodes{at("a", "x", "r1"), at("b", "x", "r1"), at("c", "x", "r2"), at("d", "y", "r3")};
  for (const bool first : {true, false}) {
    std::vector<std::string> items = nodes;
    items.insert(first ? items.begin() : items.end(), own);
    CHECK(test::classes(kKubernetesFormat, list(items)) ==
          "X NET1 NET5 NET7\nNET1 X NET5 NET7\nNET5 NET5 X NET7\nNET7 NET7 NET7 X\n");
    CHECK(test::warnings(kKubernetesFormat, list(items)).empty());
  }
  std::vector<std::string> items = nodes;
  items.push_back(own);
  items.push_back(topology("other", R"({"nodeLabel": "site.org/rack"})"));
  CHECK(test::warnings(kKubernetesFormat, list(items)) == "t: the Topology 'other' is not used, only the first\n");
}

TEST_CASE("domains of clouds, and domains within a domain") {
  const auto at = [](std::string_view name, std::string_view key, std::string_view domain) {
    return node(name, {label("topology.k8s.aws/network-node-layer-3", "n"), label(key, domain)});
  };
  for (const std::string_view key : {"topology.k8s.aws/ultraserver-id", "ds.coreweave.com/nvlink.domain"})
    CHECK(test::classes(kKubernetesFormat, list({at("a", key, "u1"), at("b", key, "u1"), at("c", key, "u2")})) ==
          "X NET1 NET3\nNET1 X NET3\nNET3 NET3 X\n");
  CHECK(test::warnings(kKubernetesFormat, list({at("a", "accelerator.topograph.run/sub-domain", "u1")})) ==
        "t: the labels 'accelerator.topograph.run/sub-domain' are not used\n");
}

TEST_CASE("one node alone, and what is refused") {
  CHECK(test::classes(kKubernetesFormat, node("a", {label("topology.kubernetes.io/zone", "z")})) == "X\n");
  CHECK(test::refusal(kKubernetesFormat, list({node("a", {})})) ==
        "0:0 no node has a label that says where it is in the network");
  CHECK(test::refusal(kKubernetesFormat, list({})) == "0:0 no nodes are listed");
  const std::string twice = node("a", {label("topology.kubernetes.io/zone", "z")});
  CHECK(test::refusal(kKubernetesFormat, list({twice, twice})) == "0:0 node 'a' is listed twice");
  CHECK(test::refusal(kKubernetesFormat, R"({"kind": "NodeList", "items": [{"metadata": {}}]})") ==
        "1:47 a node without metadata.name");
  const std::string cut = list({twice});
  for (std::size_t length = 0; length < cut.size(); length += 7) {
    const std::string what = test::first_error(kKubernetesFormat, cut.substr(0, length)).what;
    CHECK(what != "accepted");
  }
  CHECK(!kKubernetesFormat.recognises(R"({"schema": "topowise.topology/1", "places": []})"));
}

TEST_CASE("nodes that take no programs are left out") {
  const auto at = [](std::string_view name, std::string_view before, std::string_view spec) {
    std::string text = node(name, {label("network.topology.nvidia.com/leaf", "s1")});
    text.insert(text.find(before) + before.size(), spec);
    return text;
  };
  const std::string_view in_spec = R"("spec": {)";
  const std::string_view in_status = R"("status": {)";
  const std::string text = list(
      {at("a", in_status,
          R"("conditions": [{"status": "False", "type": "MemoryPressure"}, {"status": "True", "type": "Ready"}], )"),
       at("b", in_spec, R"("unschedulable": true, )"),
       at("c", in_status, R"("conditions": [{"message": "x", "status": "Unknown", "type": "Ready"}], )"),
       at("d", in_status, R"("conditions": [{"type": "Ready", "status": "False"}], )"),
       at("e", in_spec, R"("taints": [{"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}], )"),
       at("f", in_spec, R"("taints": [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}], )"),
       at("g", in_spec,
          R"("taints": [{"effect": "PreferNoSchedule", "key": "node.kubernetes.io/x"}], "unschedulable": false, )")});
  const Topology machine = kKubernetesFormat.read("t", text);
  REQUIRE(machine.place_count() == 3);
  CHECK(machine.vertex_of(Place(1)).name == "f");
  CHECK(test::warnings(kKubernetesFormat, text) ==
        "t: 2 nodes are left out, not Ready: c and others\n"
        "t: 1 node is left out, tainted node-role.kubernetes.io/control-plane: e\n"
        "t: 1 node is left out, unschedulable: b\n");
  CHECK(test::first_error(kKubernetesFormat, list({at("b", in_spec, R"("unschedulable": true, )")})).what ==
        "no job gets any of the nodes: they are unschedulable");
}
