// SPDX-License-Identifier: BSD-3-Clause
// The places of a machine in the parts that a reader thinks of: compute nodes, else the halves of the tree.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct PlaceGroup {
  std::string name;
  std::vector<Place> places;
};

/// By compute node where there are several, else by the highest vertices at which the ways to the places part; one
/// group of all where neither says anything. In the order of their first places.
[[nodiscard]] std::vector<PlaceGroup> place_groups(const Topology& topology);

}  // namespace topowise
