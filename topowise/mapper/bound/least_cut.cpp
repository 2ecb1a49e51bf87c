// SPDX-License-Identifier: BSD-3-Clause
// There are four ways to bound what leaves the groups, from nothing but what they can hold. The best one counts:
//
// - Degrees. In a group that holds c ranks, at most c - 1 partners of a rank are with it: the heaviest, at best. The
//   others are outside.
// - Small sets. How many pairs of a few ranks can be partners follows from how many partners any two have in common
//   (small_sets).
// - Forests. If p groups are needed to hold all ranks, a spanning forest of the traffic with q trees has at least p - q
//   edges between groups, at least its lightest ones. The same holds for each of several forests without a common edge,
//   so all add up (Nash-Williams 1961). They are peeled off the traffic one after the other, heaviest edges first.
// - Products. In a product of paths and cycles no group can keep more than a box of its size (product_bound). Where
//   only two axes are divided, it can keep no more than its cells cost (strip_prices).
//
// In groups of many ranks the first finds nothing, because all partners of a rank fit beside it; the third always finds
// something if the traffic is connected and does not fit into one group, but finds little: a flat piece of a mesh has a
// border that grows with the root of its size.
#include <topowise/mapper/bound/least_cut.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/bound/product_bound.hpp>
#include <topowise/mapper/bound/small_sets.hpp>
#include <topowise/mapper/bound/strip_prices.hpp>
#include <topowise/mapper/problem/product.hpp>

namespace topowise {

class LeastCut::Parts {
 public:
  Parts(const Traffic& traffic, const Partners& partners)
      : ranks_(partners.ranks()), product_(find_product(traffic)), small_sets_(partners) {
    std::size_t pairs = 0;
    for (std::size_t r = 0; r < ranks_; ++r) pairs += partners.of(Rank(r)).size();
    std::vector<Edge> edges;
    edges.reserve(pairs / 2);
    std::vector<double> row;
    sorted_.reserve(pairs);
    first_.reserve(ranks_ + 1);
    first_.push_back(0);
    for (std::size_t r = 0; r < ranks_; ++r) {
      row.clear();
      for (const Partner& partner : partners.of(Rank(r))) {
        row.push_back(partner.both());
        if (partner.rank.index() > r)
          edges.push_back(
              {partner.both(), static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(partner.rank.index())});
      }
      std::ranges::sort(row, std::greater<>());
      sorted_.insert(sorted_.end(), row.begin(), row.end());
      first_.push_back(sorted_.size());
    }
    for (const Edge& edge : edges) all_ += edge.bytes;
    peel_forests(std::move(edges));
  }

  [[nodiscard]] double between(const GroupSizes& groups) const {
    return std::max({by_degree(groups), by_forests(groups), by_small_sets(groups), by_product(groups)});
  }

 private:
  struct Edge {
    double bytes;
    std::uint32_t a, b;
  };

  void peel_forests(std::vector<Edge> edges) {
    constexpr std::size_t kMostForests = 32;
    constexpr double kMostSteps = 2e7;
    const auto count = static_cast<double>(std::max<std::size_t>(1, edges.size()));
    const auto most = static_cast<std::size_t>(std::clamp(kMostSteps / count, 1.0, double{kMostForests}));
    std::ranges::stable_sort(edges, std::greater<>(), &Edge::bytes);
    while (!edges.empty() && forests_.size() < most) {
      DisjointSets trees(ranks_);
      std::vector<double>& forest = forests_.emplace_back();
      std::erase_if(edges, [&](const Edge& edge) {
        const bool joins = trees.join(edge.a, edge.b);
        if (joins) forest.push_back(edge.bytes);
        return joins;
      });
    }
  }

  [[nodiscard]] double by_degree(const GroupSizes& groups) const {
    double sum = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (std::size_t i = first_[r] + groups.largest - 1; i < first_[r + 1]; ++i) sum += sorted_[i];
    }
    return sum / 2;  // every pair was counted from both ends
  }

  [[nodiscard]] double by_forests(const GroupSizes& groups) const {
    double sum = 0;
    for (const std::vector<double>& forest : forests_) {
      const std::size_t trees = ranks_ - forest.size();
      if (groups.needed <= trees) continue;
      const auto lightest = static_cast<std::ptrdiff_t>(groups.needed - trees);
      sum = std::accumulate(forest.end() - lightest, forest.end(), sum);
    }
    return sum;
  }

  /// Takes every rank to keep the most that any rank can keep.
  [[nodiscard]] double by_small_sets(const GroupSizes& groups) const {
    constexpr std::size_t kLargest = 16;  // ranks; of larger groups it says little
    if (groups.largest == 1 || groups.largest > kLargest) return 0;
    double most = 0;
    for (std::size_t size = 2; size <= groups.largest; ++size)
      most = std::max(most, small_sets_.kept_by(size) / static_cast<double>(size));
    return all_ - most * static_cast<double>(ranks_) * (1 + 1e-13);
  }

  [[nodiscard]] double by_product(const GroupSizes& groups) const {
    if (!product_) return 0;
    const double by_boxes = product_cut(*product_, ranks_, groups.largest, groups.count);
    return groups.is_full ? std::max(by_boxes, strip_cut(*product_, ranks_, groups.largest)) : by_boxes;
  }

  std::size_t ranks_;
  std::optional<Product> product_;
  SmallSets small_sets_;
  double all_ = 0;
  std::vector<double> sorted_;  ///< bytes with each partner, the most first, rank after rank
  std::vector<std::size_t> first_;
  std::vector<std::vector<double>> forests_;  ///< bytes of their edges, the most first
};

GroupSizes group_sizes(std::vector<std::size_t> capacities, std::size_t ranks) {
  std::ranges::sort(capacities, std::greater<>());
  GroupSizes groups{.count = capacities.size(), .largest = capacities.front()};
  std::size_t held = capacities.front();
  while (held < ranks && groups.needed < capacities.size()) held += capacities[groups.needed++];
  groups.is_full = capacities.back() == groups.largest && capacities.size() * groups.largest == ranks;
  return groups;
}

LeastCut::LeastCut(const Traffic& traffic, const Partners& partners)
    : parts_(std::make_unique<const Parts>(traffic, partners)) {}
LeastCut::~LeastCut() = default;
LeastCut::LeastCut(LeastCut&&) noexcept = default;
LeastCut& LeastCut::operator=(LeastCut&&) noexcept = default;

double LeastCut::between(const GroupSizes& groups) const {
  return parts_->between(groups);
}

}  // namespace topowise
