// SPDX-License-Identifier: BSD-3-Clause
// A network of which each host says where it is: the names of what it is in, from the outside to the inside.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>

namespace topowise {

class PathTree {
 public:
  /// `where`: what errors call the input.
  explicit PathTree(std::string where) : where_(std::move(where)) {}
  /// Adds a host below these switches. Switches of one name below different ones are different. Throws Error(bad_input)
  /// for more levels or switches than any network has.
  void add(std::string host, const std::vector<std::string>& path);
  /// The network. Switches that have none above them are joined by one that is called `top`, if there are several.
  [[nodiscard]] NetworkTree finish(const std::string& top) &&;

 private:
  std::string where_;
  NetworkTree tree_;
  std::map<std::pair<std::optional<std::size_t>, std::string>, std::size_t> known_;  ///< (parent, name)
};

/// A host, what it is in, and the domain of NVLink that it shares with others; empty if it is in none.
struct LocatedHost {
  std::string name;
  std::vector<std::string> path;
  std::string domain;
};

/// The network of these hosts. Domains lie inside of what the hosts are in. Warns of each whose hosts are below several
/// switches: it is no level of the tree, and is left out. Throws Error(bad_input) if a host is listed twice.
[[nodiscard]] NetworkTree tree_of_hosts(const std::string& where, std::span<const LocatedHost> hosts,
                                        Warnings& warnings);

}  // namespace topowise
