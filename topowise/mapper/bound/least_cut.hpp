// SPDX-License-Identifier: BSD-3-Clause
// How many bytes leave groups of ranks, whoever is in which.
#pragma once

#include <memory>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Groups of places that divide the machine, as far as bounds look at them.
struct GroupSizes {
  std::size_t count = 1;    ///< of groups
  std::size_t needed = 1;   ///< groups that are needed to hold all ranks
  std::size_t largest = 1;  ///< ranks that the largest group holds
  bool is_full = false;     ///< every group has to hold exactly `largest` ranks
};

/// `capacities`: ranks that each group can hold.
[[nodiscard]] GroupSizes group_sizes(std::vector<std::size_t> capacities, std::size_t ranks);

class LeastCut {
 public:
  /// O(messages log messages).
  LeastCut(const Traffic& traffic, const Partners& partners);
  ~LeastCut();
  LeastCut(LeastCut&&) noexcept;
  LeastCut& operator=(LeastCut&&) noexcept;

  /// Bytes between ranks of different groups, both directions, at least. O(messages).
  [[nodiscard]] double between(const GroupSizes& groups) const;

 private:
  class Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace topowise
