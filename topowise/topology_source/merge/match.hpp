// SPDX-License-Identifier: BSD-3-Clause
// Which place of one description is which place of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct PlaceMatch {
  std::vector<std::optional<Place>> other_of;  ///< by place of the first machine
  std::vector<std::string> warnings;
  /// Places of the first that the second knows too.
  [[nodiscard]] std::size_t count() const;
};

/// Throws Error(bad_input) if the two have no places in common.
[[nodiscard]] PlaceMatch match_places(const Topology& first, const Topology& other);

}  // namespace topowise
