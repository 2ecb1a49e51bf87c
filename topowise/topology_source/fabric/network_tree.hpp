// SPDX-License-Identifier: BSD-3-Clause
// Compute nodes below network switches: what schedulers and fabrics describe.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

/// Switches form a tree or a forest by their parents, or any graph by their cables. Each node is on one switch.
struct NetworkTree {
  struct Switch {
    std::string name;
    std::optional<std::size_t> parent;
  };
  struct Node {
    std::string name;
    std::size_t on = 0;
  };
  std::vector<Switch> switches;
  std::vector<Node> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> cables;  ///< between switches, besides the links to their parents
};

/// Nodes that a description lists, but that no job gets.
class NodesLeftOut {
 public:
  /// `why` in a word or two: "offline".
  void add(const std::string& why, const std::string& node);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::vector<std::string> reasons() const;
  /// A warning for each reason.
  [[nodiscard]] std::vector<std::string> lines(const std::string& where) const;
  void report(const std::string& where, Warnings& warnings) const;
  /// Why no nodes are left where these are all.
  [[nodiscard]] std::string why_none() const;

 private:
  struct Some {
    std::size_t count = 0;
    std::string first;
  };
  std::map<std::string, Some> found_;  ///< by reason
};

/// The places are the nodes, in order. Trees without a common switch stay unconnected, with a warning. Rates are not
/// known.
[[nodiscard]] Topology build_topology(const std::string& name, const NetworkTree& network, const Provenance& source,
                                      Warnings& warnings);

}  // namespace topowise
