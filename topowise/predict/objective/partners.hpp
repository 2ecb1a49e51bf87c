// SPDX-License-Identifier: BSD-3-Clause
// The guest graph by rank: the partners of each rank, and the bytes that it sends to and receives from each.
#pragma once

#include <span>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

struct Partner {
  Rank rank;
  double sent = 0;      ///< bytes to that rank
  double received = 0;  ///< bytes from that rank

  [[nodiscard]] double both() const { return sent + received; }
};

/// Partners of every rank, sorted by rank, without the rank itself and without pairs of no bytes. O(entries) memory.
class Partners {
 public:
  explicit Partners(const Traffic& traffic);

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const Partner> of(Rank rank) const {
    const std::size_t begin = first_[rank.index()];
    return std::span(all_).subspan(begin, first_[rank.index() + 1] - begin);
  }

 private:
  std::vector<Partner> all_;
  std::vector<std::size_t> first_;
};

}  // namespace topowise
