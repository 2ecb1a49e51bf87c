// SPDX-License-Identifier: BSD-3-Clause
// The machine cut into parts that can be mapped apart from each other.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/mapper.hpp>

namespace topowise::distributed {

struct MachineParts {
  std::vector<std::vector<Place>> places;  ///< of each part, in the order of the hierarchy
  std::vector<std::int64_t> capacity;      ///< ranks that a part is to hold at most
  std::vector<double> distance;            ///< parts x parts; symmetric. On the diagonal: between nearest neighbours

  [[nodiscard]] std::size_t size() const { return places.size(); }
  /// The process that maps a part; each of `processes` maps consecutive parts.
  [[nodiscard]] int process_of(std::size_t part, int processes) const;
};

/// The subtrees of the highest level of the machine's hierarchy that has `least` of them (or its single places, where
/// there are fewer): compute nodes, groups of compute nodes. What a rank exchanges with other parts costs the same
/// wherever in its own part it is, if the machine is a hierarchy; any other machine is cut by recursive bisection.
/// Only the number of ranks of the problem's traffic counts.
[[nodiscard]] MachineParts cut_machine(const MapProblem& problem, std::size_t least, const Deadline& deadline);

}  // namespace topowise::distributed
