// SPDX-License-Identifier: BSD-3-Clause
// Flux describes the resources of a job or an instance in two ways. A resource set (R, RFC 20) lists hosts:
//   {"version": 1, "execution": {"R_lite": [...], "nodelist": ["n[0-3]"]}}
// A graph (JGF, RFC 4; also as "scheduling" in R) has a vertex for each resource, with the path from the outermost one:
//   {"graph": {"nodes": [{"id": "7", "metadata": {"type": "node", "paths": {"containment": "/tiny0/rack0/node1"}}}]}}
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>
#include <topowise/topology_source/fabric/path_tree.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSource = "flux";
constexpr std::size_t kLongest = 1024;

class FluxVisitor : public JsonVisitor {
 public:
  std::string lists;               ///< the host lists of a resource set, one per line
  std::vector<std::string> paths;  ///< of the hosts of a graph
  NodesLeftOut left_out;

  void begin(const JsonPath& path) override {
    if (!is_vertex(path)) return;
    type_ = path_ = {};
    is_down_ = false;
  }
  void end(const JsonPath& path) override {
    if (!is_vertex(path) || type_ != "node") return;
    if (path_.empty()) fail("a node without its path 'containment'");
    if (is_down_) return left_out.add("down", printable(path_.substr(path_.rfind('/') + 1)));
    if (paths.size() == kMostHosts) fail(fmt::format("more than {} nodes", kMostHosts));
    paths.push_back(std::move(path_));
    path_ = {};
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 3 && path.key(0) == "execution" && path.key(1) == "nodelist") {
      if (value.text.find('\n') != std::string_view::npos) fail("a list of hosts of several lines");
      lists += fmt::format("{}\n", value.text);
    }
    const std::size_t graph = graph_at(path);
    if (path.key(graph) != "graph" || path.key(graph + 1) != "nodes" || path.key(graph + 3) != "metadata") return;
    if (path.size() == graph + 5 && path.key(graph + 4) == "type") type_ = value.text.substr(0, kLongest);
    if (path.size() == graph + 5 && path.key(graph + 4) == "status") is_down_ = value.count() == 1U;  // up is 0
    if (path.size() == graph + 6 && path.key(graph + 4) == "paths" && path.key(graph + 5) == "containment") {
      if (value.text.size() > kLongest) fail(fmt::format("a path of more than {} characters", kLongest));
      path_ = value.text;
    }
  }

 private:
  static std::size_t graph_at(const JsonPath& path) { return path.key(0) == "scheduling" ? 1 : 0; }
  static bool is_vertex(const JsonPath& path) {
    const std::size_t graph = graph_at(path);
    return path.size() == graph + 3 && path.key(graph) == "graph" && path.key(graph + 1) == "nodes";
  }

  std::string type_;
  std::string path_;
  bool is_down_ = false;
};

/// The parts of "/tiny0/rack0/node1".
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::string_view part = take_part(path, '/');
    if (!part.empty()) parts.push_back(printable(part));
  }
  return parts;
}

NetworkTree tree_of_paths(const std::string& where, const std::vector<std::string>& paths, bool& has_levels) {
  PathTree tree(where);
  std::set<std::string> names;
  for (const std::string& path : paths) {
    std::vector<std::string> parts = parts_of(path);
    if (parts.empty()) fail({where, {}, "a node with an empty path", {}, {}});
    const std::string host = std::move(parts.back());
    parts.pop_back();
    has_levels = has_levels || parts.size() > 1;
    if (!names.insert(host).second) fail({where, {}, fmt::format("node {} is listed twice", in_quotes(host)), {}, {}});
    tree.add(host, parts);
  }
  return std::move(tree).finish("network");
}

NetworkTree tree_of_lists(const std::string& where, const std::string& lists) {
  const TextLines lines(where, lists);
  PathTree tree(where);
  std::set<std::string> names;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (trim(lines[line]).empty()) continue;
    for (std::string& host : expand_hostlist(lines, line, trim(lines[line]), names.size())) {
      if (!names.insert(host).second)
        fail({where, {}, fmt::format("node {} is listed twice", in_quotes(host)), {}, {}});
      tree.add(std::move(host), {"network"});
    }
  }
  return std::move(tree).finish("network");
}

bool recognises(std::string_view head) {
  const std::string_view begin = trim(head);
  if (!begin.starts_with('{')) return false;
  return begin.find("\"R_lite\"") != std::string_view::npos || begin.find("\"containment\"") != std::string_view::npos;
}

Topology read(const std::string& where, std::string_view text) {
  Input input = Input::of_text(where, text);
  FluxVisitor visitor;
  read_json_events(input, visitor);
  Warnings warnings;
  bool has_levels = false;
  NetworkTree network;
  if (!visitor.paths.empty())
    network = tree_of_paths(where, visitor.paths, has_levels);
  else if (!visitor.lists.empty())
    network = tree_of_lists(where, visitor.lists);
  if (network.nodes.empty())
    fail({where,
          {},
          visitor.left_out.empty() ? "no hosts are listed: neither 'execution.nodelist' nor vertices of type 'node'"
                                   : visitor.left_out.why_none(),
          {},
          "flux resource R --states=up > FILE, or flux ion-resource find --format=jgf status=up > FILE"});
  visitor.left_out.report(where, warnings);
  if (!has_levels)
    warnings.add(fmt::format("{}: it says nothing of the network: all hosts are taken to be on one switch", where));
  return build_topology(where, network, kSource, warnings);
}

}  // namespace

const TopologyFormat kFluxFormat{"flux", "resources of Flux: R (flux resource R), or a graph (JGF)", recognises, read,
                                 kLargestCluster};

}  // namespace topowise
