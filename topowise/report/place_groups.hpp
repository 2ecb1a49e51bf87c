// SPDX-License-Identifier: BSD-3-Clause
// Divides the places of a machine into the parts that a reader thinks of: compute nodes, else the branches of the tree.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct PlaceGroup {
  std::string name;
  std::vector<Place> places;
};

/// Groups by compute node if there are several, else by the highest vertices at which the paths to the places separate;
/// a single group if neither divides the places. The groups are in the order of their first places.
[[nodiscard]] std::vector<PlaceGroup> place_groups(const Topology& topology);

}  // namespace topowise
