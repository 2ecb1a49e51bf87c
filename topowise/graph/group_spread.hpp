// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How far a mapping spreads the groups of a job over the parts of a machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>

namespace topowise {

/// Parts of one kind that the groups of one kind touch.
struct PartsTouched {
  std::string part;                ///< "node", "switch", "router"
  double mean = 0;                 ///< over the groups
  std::size_t most = 0;            ///< of one group
  std::size_t least_possible = 0;  ///< a group touches at least so many, because no part holds more of its ranks
};

/// The groups of one kind.
struct GroupSpread {
  std::string kind;                   ///< as RankGroups::kind
  std::size_t groups = 0;             ///< how many there are
  std::size_t largest = 0;            ///< ranks of the largest one
  Bytes bytes;                        ///< as RankGroups::bytes
  std::vector<PartsTouched> touched;  ///< the smallest parts first; empty if the machine has no parts
};

}  // namespace topowise
