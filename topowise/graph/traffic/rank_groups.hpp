// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups of ranks that communicate as a whole: communicators, process groups.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>

namespace topowise {

/// All groups of one kind.
struct RankGroups {
  std::string kind;                                ///< "tensor"; of recorded groups "8 ranks, 1 apart"
  std::vector<std::vector<std::uint32_t>> groups;  ///< the ranks of each, at least two
  Bytes bytes;                                     ///< what their members exchange in these groups
};

/// Sorts groups into kinds: those of as many ranks, with the same distance from each rank to the next, are alike. The
/// same group may be added again, with more bytes.
class RankGroupsByShape {
 public:
  /// Ranks in the order of the group. Groups of fewer than two are left out.
  void add(const std::vector<std::uint32_t>& ranks, Bytes bytes);
  /// Adds those of `others`, whose numbers `rank_of` translates.
  template <class RankOf>
  void add(const RankGroupsByShape& others, const RankOf& rank_of) {
    for (const auto& [numbers, bytes] : others.groups_) {
      std::vector<std::uint32_t> ranks;
      for (const std::uint32_t number : numbers) ranks.push_back(rank_of(number));
      add(ranks, bytes);
    }
  }
  /// The kinds, those with most bytes first.
  [[nodiscard]] std::vector<RankGroups> list() const;

 private:
  std::map<std::vector<std::uint32_t>, Bytes> groups_;
};

}  // namespace topowise
