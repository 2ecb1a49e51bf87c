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
  /// Adds a host below these switches. Switches of one name below different ones are different.
  void add(std::string host, const std::vector<std::string>& path);
  /// The number of switches.
  [[nodiscard]] std::size_t size() const { return tree_.switches.size(); }
  /// The network. Switches that have none above them are joined by one that is called `top`, if there are several.
  [[nodiscard]] NetworkTree finish(const std::string& top) &&;

 private:
  NetworkTree tree_;
  std::map<std::pair<std::optional<std::size_t>, std::string>, std::size_t> known_;  ///< (parent, name)
};

}  // namespace topowise
