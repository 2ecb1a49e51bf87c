// SPDX-License-Identifier: BSD-3-Clause
// Finds which place of one description is which place of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct PlaceMatch {
  std::vector<std::optional<Place>> other_of;  ///< by place of the first machine: the place of the other
  std::vector<std::string> warnings;
  /// Number of places of the first machine that the other knows, too.
  [[nodiscard]] std::size_t count() const;
};

/// Throws Error(bad_input) if the two have no places in common.
[[nodiscard]] PlaceMatch match_places(const Topology& first, const Topology& other);

}  // namespace topowise
