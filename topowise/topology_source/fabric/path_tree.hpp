// SPDX-License-Identifier: BSD-3-Clause
// A network of which each host says where it is: the names of what it is in, from the outside to the inside.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace topowise
