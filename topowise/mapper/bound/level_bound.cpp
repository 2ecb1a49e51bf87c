// SPDX-License-Identifier: BSD-3-Clause
// How many bytes must cross each level of the machine, whoever stands where.
//
// Levels. Join the places along a minimum spanning tree of their distances, shortest edge first: when the edges shorter
// than h are in, places of different groups are at least h apart (the subdominant ultrametric, Gower and Ross 1969; on
// a hierarchy it is the distance itself). With h_0 = 0 < h_1 < h_2 ... the lengths, and C_l the bytes between ranks in
// different groups of level l, the hop-bytes are at least the sum of (h_l - h_{l-1}) C_l. It remains to bound each C_l
// from below, knowing what the groups of that level can hold. Five ways, and the best one counts:
//
// - Degrees. In a group that holds c ranks, at most c - 1 partners of a rank are with it: the heaviest, at best. The
//   others are outside.
// - Small sets. How many pairs of a few ranks can be partners follows from how many partners any two have in common
//   (small_sets).
//
// - Forests. If p groups are needed to hold all ranks, a spanning forest of the traffic with q trees has at least p - q
//   edges between groups, at least its lightest ones. The same holds for each of several forests without a common edge,
//   so all add up (Nash-Williams 1961). They are peeled off the traffic one after the other, heaviest edges first.
//
// - Flows. What ranks send to so many others that they are not all with them has to leave the group (flow_bound).
//
// - Products. Of a product of paths and cycles no group can keep more than a box of its size (product_bound), and where
//   two axes are divided only, no more than its cells cost (strip_prices).
//
// With many ranks a place the first finds nothing, because all partners of a rank fit beside it; the second always
// finds something if the traffic hangs together and does not fit on one place, but little: a flat piece of a mesh has a
// border that grows with the root of its size, and only the flows, which take time, know that.
#include <topowise/mapper/bound/level_bound.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/bound/flow_bound.hpp>
#include <topowise/mapper/bound/product_bound.hpp>
#include <topowise/mapper/bound/small_sets.hpp>
#include <topowise/mapper/bound/strip_prices.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/parallel.hpp>
#include <topowise/mapper/problem/product.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>
#include <topowise/mapper/problem/uniform_levels.hpp>

namespace topowise {
namespace {

/// Groups whose members are nearer to each other than `height` to anything outside.
struct Level {
  double height = 0;
  std::size_t needed = 1;   ///< groups, to hold all ranks
  std::size_t largest = 1;  ///< ranks that the emptiest group holds
  bool is_full = false;     ///< every group has to hold exactly so many
};

Level level_of(double height, std::vector<std::size_t> capacities, std::size_t ranks) {
  std::ranges::sort(capacities, std::greater<>());
  Level level{.height = height, .largest = capacities.front()};
  std::size_t held = capacities.front();
  while (held < ranks && level.needed < capacities.size()) held += capacities[level.needed++];
  level.is_full = capacities.back() == level.largest && capacities.size() * level.largest == ranks;
  return level;
}

std::vector<Level> levels_by_distance(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  std::vector<Level> levels;
  DisjointSets groups(places.size());
  const auto distance = [&](std::size_t a, std::size_t b) {  // the shorter direction counts
    return std::min(problem.topology.pair_cost(problem.metric, places[a].place, places[b].place),
                    problem.topology.pair_cost(problem.metric, places[b].place, places[a].place));
  };
  std::vector<TreeEdge> tree = minimum_spanning_tree(places.size(), distance);
  std::ranges::sort(tree, {}, &TreeEdge::length);
  double height = 0;
  for (const TreeEdge& edge : tree) {
    if (edge.length > height) {
      height = edge.length;
      std::vector<std::size_t> capacities(places.size(), 0);
      for (std::uint32_t p = 0; p < places.size(); ++p) capacities[groups.find(p)] += places[p].capacity;
      std::erase(capacities, std::size_t{0});
      levels.push_back(level_of(height, std::move(capacities), problem.traffic.ranks()));
    }
    groups.join(edge.from, edge.to);
  }
  return levels;
}

std::vector<Level> levels_by_arity(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  std::vector<Level> levels;
  for (const UniformLevel& level : uniform_levels(problem, places)) {
    const std::vector<std::size_t> capacities(places.size() / level.reach, places.front().capacity * level.reach);
    levels.push_back(level_of(level.distance, capacities, problem.traffic.ranks()));
  }
  for (std::size_t l = levels.size(); l-- > 1;)  // further apart is never nearer
    levels[l - 1].height = std::min(levels[l - 1].height, levels[l].height);
  return levels;
}

/// Bytes between ranks in different groups, at least.
class Crossing {
 public:
  explicit Crossing(const Partners& partners) : ranks_(partners.ranks()), small_sets_(partners) {
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

  [[nodiscard]] double between(const Level& level) const {
    return std::max({by_degree(level), by_forests(level), by_small_sets(level)});
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

  [[nodiscard]] double by_degree(const Level& level) const {
    double sum = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (std::size_t i = first_[r] + level.largest - 1; i < first_[r + 1]; ++i) sum += sorted_[i];
    }
    return sum / 2;  // every pair was counted from both ends
  }

  [[nodiscard]] double by_forests(const Level& level) const {
    double sum = 0;
    for (const std::vector<double>& forest : forests_) {
      const std::size_t trees = ranks_ - forest.size();
      if (level.needed <= trees) continue;
      const auto lightest = static_cast<std::ptrdiff_t>(level.needed - trees);
      sum = std::accumulate(forest.end() - lightest, forest.end(), sum);
    }
    return sum;
  }

  /// Most of what a rank can keep counts for all.
  [[nodiscard]] double by_small_sets(const Level& level) const {
    constexpr std::size_t kLargest = 16;  // of more ranks it says little
    if (level.largest == 1 || level.largest > kLargest) return 0;
    double most = 0;
    for (std::size_t size = 2; size <= level.largest; ++size)
      most = std::max(most, small_sets_.kept_by(size) / static_cast<double>(size));
    return all_ - most * static_cast<double>(ranks_) * (1 + 1e-13);
  }

  std::size_t ranks_;
  SmallSets small_sets_;
  double all_ = 0;
  std::vector<double> sorted_;  ///< bytes with each partner, the most first, rank after rank
  std::vector<std::size_t> first_;
  std::vector<std::vector<double>> forests_;  ///< bytes of their edges, the most first
};

/// Levels whose groups hold different numbers of ranks, more than one: of equal ones the highest, of many only some.
std::vector<std::size_t> levels_worth_a_flow(std::span<const Level> levels) {
  std::vector<std::size_t> chosen;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].largest == 1 || levels[l].needed == 1) continue;
    if (!chosen.empty() && levels[chosen.back()].largest == levels[l].largest) chosen.pop_back();
    chosen.push_back(l);
  }
  constexpr std::size_t kMost = 8;
  const std::size_t stride = (chosen.size() + kMost - 1) / kMost;
  std::vector<std::size_t> some;
  for (std::size_t i = chosen.size(); i > 0; i -= std::min(i, stride)) some.push_back(chosen[i - 1]);
  std::ranges::reverse(some);
  return some;
}

/// Of the steps, for each of `chosen`: the root of what it may add to the bound, if the border of a group grows with
/// the root of its size.
std::vector<double> shares_of_steps(std::span<const Level> levels, std::span<const std::size_t> chosen) {
  std::vector<double> shares;
  double all = 0;
  double below = 0;
  for (const std::size_t l : chosen) {
    shares.push_back(std::sqrt((levels[l].height - below) / std::sqrt(static_cast<double>(levels[l].largest))));
    below = levels[l].height;
    all += shares.back();
  }
  for (double& share : shares) share /= all;
  return shares;
}

void raise_by_flows(const MapProblem& problem, std::span<const Level> levels, const FlowWork& flows,
                    std::vector<double>& bytes) {
  const std::vector<std::size_t> chosen = levels_worth_a_flow(levels);
  if (chosen.empty()) return;
  const std::vector<double> shares = shares_of_steps(levels, chosen);
  const FlowBound flow(problem.traffic);
  multilevel::for_each_piece(static_cast<int>(chosen.size()), flows.threads, [&](int i) {
    const std::size_t l = chosen[static_cast<std::size_t>(i)];
    const double part = flows.steps * shares[static_cast<std::size_t>(i)];
    bytes[l] = std::max(bytes[l], flow.bytes_between(levels[l].largest, part, flows.deadline));
  });
  // What leaves a group also leaves the smaller groups that it is made of.
  for (std::size_t l = levels.size() - 1; l-- > 0;) bytes[l] = std::max(bytes[l], bytes[l + 1]);
}

double cut_of(const Product& product, std::size_t ranks, const Level& level) {
  const double by_boxes = product_cut(product, ranks, level.largest);
  return level.is_full ? std::max(by_boxes, strip_cut(product, ranks, level.largest)) : by_boxes;
}

}  // namespace

double level_bound(const MapProblem& problem, const Partners& partners, const FlowWork& flows) {
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  std::vector<Level> levels =
      places.size() <= Topology::kLargestDense ? levels_by_distance(problem, places) : levels_by_arity(problem, places);
  std::erase_if(levels, [](const Level& level) { return level.height <= 0; });
  if (levels.empty()) return 0;
  const Crossing crossing(partners);
  std::vector<double> bytes;
  const std::optional<Product> product = find_product(problem.traffic);
  for (const Level& level : levels) {
    bytes.push_back(crossing.between(level));
    if (product) bytes.back() = std::max(bytes.back(), cut_of(*product, problem.traffic.ranks(), level));
  }
  if (flows.steps > 0) raise_by_flows(problem, levels, flows, bytes);
  double sum = 0;
  double below = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    sum += (levels[l].height - below) * bytes[l];
    below = levels[l].height;
  }
  return sum;
}

}  // namespace topowise
