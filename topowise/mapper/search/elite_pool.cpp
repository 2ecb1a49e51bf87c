// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/elite_pool.hpp>

#include <algorithm>
#include <iterator>

namespace topowise {

/// Counted in 16 bits: compilers make vectors of them.
bool Funnels::in_same(const std::uint16_t* mapping, std::size_t funnel) const {
  const std::uint16_t* other = slots_.data() + funnel * ranks_;
  std::uint16_t same = 0;
  for (std::size_t i = 0; i < ranks_; ++i) same = static_cast<std::uint16_t>(same + (mapping[i] == other[i]));
  return 2 * std::size_t{same} >= ranks_;
}

void Funnels::add(double cost, std::span<const std::uint32_t> slot_of_rank) {
  const bool is_full = funnels_.size() == most_;
  const auto dearest = std::ranges::max_element(funnels_, {}, &Funnel::cost);
  if (is_full && cost >= dearest->cost) return;
  const std::vector<std::uint16_t> mapping(slot_of_rank.begin(), slot_of_rank.end());
  std::size_t own = funnels_.size();  // the cheapest that it is in
  for (std::size_t k = 0; k < funnels_.size(); ++k) {
    if (own < funnels_.size() && funnels_[k].cost >= funnels_[own].cost) continue;
    if (in_same(mapping.data(), k)) own = k;
  }
  if (own < funnels_.size()) {
    if (cost >= funnels_[own].cost) return;
  } else if (is_full) {
    own = static_cast<std::size_t>(std::distance(funnels_.begin(), dearest));
  } else {
    funnels_.emplace_back();
    slots_.resize(slots_.size() + ranks_);
  }
  funnels_[own] = {.cost = cost};
  std::ranges::copy(mapping, slots_.data() + own * ranks_);
}

SlotOfRank Funnels::next(double price) {
  const auto chosen = std::ranges::min_element(funnels_, {}, [price](const Funnel& funnel) {
    return funnel.cost + price * static_cast<double>(funnel.searches);
  });
  ++chosen->searches;
  const std::uint16_t* slots =
      slots_.data() + static_cast<std::size_t>(std::distance(funnels_.begin(), chosen)) * ranks_;
  return SlotOfRank(slots, slots + ranks_);
}

}  // namespace topowise
