// SPDX-License-Identifier: BSD-3-Clause
// Depth-first branch and bound with a bound in the manner of Gilmore (1962) and Lawler (1963), for many ranks per
// place. A branch has some ranks placed. Rank i, if it went to place p, would pay
//   - what it exchanges with the ranks that are placed, and
//   - at least half of what it exchanges with the others (each such pair is counted at both ends): its heaviest
//     partners on the nearest slots. A place has as many slots as the lightest of the others fit into what is left
//     there; on p itself, next to i. The fuller the places, the fewer the slots, and the better the bound.
// The sum over all ranks of the cheapest place is the bound. The rank with the fewest places that still allow a better
// mapping is placed next. As long as few places hold a rank, automorphisms of the machine that leave these places alone
// are used: of places that they carry onto each other, one is enough.
//
// A branch takes microseconds where one of the relaxation of branch_and_bound.cpp, with its slots for all ranks that a
// place might hold, takes milliseconds; the bound is weaker.
#include <topowise/mapper/exact/load_search.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/exact/placement_search.hpp>
#include <topowise/mapper/exact/slot_symmetry.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/matrix_symmetry.hpp>

namespace topowise {
namespace {

std::vector<Place> places_of(std::span<const PlaceCapacity> capacities) {
  std::vector<Place> places;
  for (const PlaceCapacity& each : capacities) places.push_back(each.place);
  return places;
}

std::vector<std::int64_t> loads_borne(std::span<const PlaceCapacity> places) {
  std::vector<std::int64_t> loads;
  for (const PlaceCapacity& each : places) loads.push_back(static_cast<std::int64_t>(each.capacity));
  return loads;
}

/// Indices of a row of a matrix in the order of its entries.
template <class Order>
std::vector<std::size_t> sorted_row(std::span<const double> row, Order order) {
  std::vector<std::size_t> indices(row.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::ranges::stable_sort(indices, order, [&](std::size_t index) { return row[index]; });
  return indices;
}

class Search final : PlacementSearch {
 public:
  Search(const MapProblem& problem, const Mapping& start, std::size_t branches, const Deadline& deadline)
      : PlacementSearch(problem, start, branches, deadline),
        instance_(make_instance(problem, places_of(capacities_))),
        symmetry_(symmetry_of_slots(instance_, loads_borne(capacities_))),
        n_(instance_.ranks),
        m_(capacities_.size()),
        left_(loads_borne(capacities_)),
        slots_left_(m_) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < n_; ++k) bytes_.push_back(instance_.flow[i * n_ + k] + instance_.flow[k * n_ + i]);
      heaviest_.push_back(sorted_row(std::span(bytes_).subspan(i * n_, n_), std::ranges::greater()));
    }
    for (std::size_t p = 0; p < m_; ++p) {
      for (std::size_t q = 0; q < m_; ++q)
        nearer_.push_back(std::min(instance_.cost[p * m_ + q], instance_.cost[q * m_ + p]));
      nearest_.push_back(sorted_row(std::span(nearer_).subspan(p * m_, m_), std::ranges::less()));
      // The place itself comes first, even if others are at no cost.
      std::erase(nearest_[p], p);
      nearest_[p].insert(nearest_[p].begin(), p);
    }
  }

  MapperAnswer run(double at_least) {
    Level root{.pays = std::vector<double>(n_ * m_, 0.0)};
    for (const FixedRank& fixed : problem_.fixed)
      root = place(root, fixed.rank.index(), position_of_place(fixed.place));
    return result(at_least, answer().cost <= at_least ? kNothingOpen : explore(root));
  }

 private:
  struct Level {
    double cost = 0;           ///< of the ranks that are placed, among each other
    std::vector<double> pays;  ///< [rank][position]: what the rank there pays for those
    std::size_t placed = 0;
  };
  struct Choice {
    std::size_t rank = 0;
    std::vector<Child> children;
    double bound = kNothingOpen;  ///< of the branch
  };

  /// A bound that reaches this leaves nothing for a better mapping: costs come in steps, and sums of them are
  /// rounded.
  [[nodiscard]] double limit() const {
    const double rounding = kRoundingOfSums * answer().cost;
    return answer().cost - std::max(rounding, instance_.step * (1 - 1e-6) - rounding);
  }

  [[nodiscard]] std::int64_t load(std::size_t rank) const { return load_of(problem_, rank); }

  Level place(const Level& level, std::size_t rank, std::size_t position) {
    Level next{.cost = level.cost + level.pays[rank * m_ + position], .pays = level.pays, .placed = level.placed + 1};
    for (std::size_t i = 0; i < n_; ++i) {
      const double out = instance_.flow[i * n_ + rank];
      const double in = instance_.flow[rank * n_ + i];
      if (out == 0 && in == 0) continue;
      for (std::size_t p = 0; p < m_; ++p)
        next.pays[i * m_ + p] += out * instance_.cost[p * m_ + position] + in * instance_.cost[position * m_ + p];
    }
    position_of_[rank] = position;
    left_[position] -= load(rank);
    return next;
  }

  void take_back(std::size_t rank, std::size_t position) {
    position_of_[rank] = kNowhere;
    left_[position] += load(rank);
  }

  /// Returns a lower bound of what was not searched, infinity if nothing is left.
  double explore(const Level& level) {
    if (level.placed == n_) {
      if (level.cost < limit()) record();
      return kNothingOpen;
    }
    if (out_of_time()) return level.cost;
    const Choice choice = choose(level);
    return explore_children(
        choice.children, [&] { return limit(); },
        [&](const Child& child) {
          const double open = explore(place(level, choice.rank, child.position));
          take_back(choice.rank, child.position);
          return open;
        });
  }

  void count_slots() {
    lightest_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      if (position_of_[i] == kNowhere) lightest_.push_back(load(i));
    }
    std::ranges::sort(lightest_);
    std::partial_sum(lightest_.begin(), lightest_.end(), lightest_.begin());
    for (std::size_t p = 0; p < m_; ++p) slots_left_[p] = most_within(left_[p]);
  }

  [[nodiscard]] std::size_t most_within(std::int64_t capacity) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(lightest_, capacity) - lightest_.begin());
  }

  /// The least that `rank` at `position` pays for the others that are not placed; infinity if those have no slots.
  [[nodiscard]] double least_with_others(std::size_t rank, std::size_t position) const {
    std::size_t at = 0;
    std::size_t slots = most_within(left_[position] - load(rank));
    double sum = 0;
    for (const std::size_t other : heaviest_[rank]) {
      if (other == rank || position_of_[other] != kNowhere) continue;
      while (slots == 0) {
        if (++at == m_) return kNothingOpen;
        slots = slots_left_[nearest_[position][at]];
      }
      --slots;
      sum += bytes_[rank * n_ + other] * nearer_[position * m_ + nearest_[position][at]];
    }
    return sum;
  }

  /// Returns no children if nothing better can be below.
  Choice choose(const Level& level) {
    count_slots();
    std::vector<double> price(n_ * m_, kNothingOpen);
    std::vector<double> least(n_, kNothingOpen);
    double bound = level.cost;
    for (std::size_t i = 0; i < n_; ++i) {
      if (position_of_[i] != kNowhere) continue;
      for (std::size_t p = 0; p < m_; ++p) {
        if (left_[p] < load(i)) continue;
        price[i * m_ + p] = level.pays[i * m_ + p] + least_with_others(i, p) / 2;
        least[i] = std::min(least[i], price[i * m_ + p]);
      }
      bound += least[i];
    }
    Choice best;
    if (bound >= limit()) return best;
    const std::vector<std::uint32_t> alike = alike_places(level);
    double most_lost = -1;
    for (std::size_t i = 0; i < n_; ++i) {
      if (position_of_[i] != kNowhere) continue;
      std::vector<Child> children;
      double lost = 0;
      for (std::size_t p = 0; p < m_; ++p) {
        const double child = bound - least[i] + price[i * m_ + p];
        if (child >= limit() || (!alike.empty() && alike[p] != p)) continue;
        children.push_back({p, child});
        lost += child - bound;
      }
      const bool first = best.bound == kNothingOpen;
      if (!first &&
          (children.size() > best.children.size() || (children.size() == best.children.size() && lost <= most_lost)))
        continue;
      best = {i, std::move(children), bound};
      most_lost = lost;
    }
    std::ranges::stable_sort(best.children, {}, &Child::bound);
    return best;
  }

  /// For each position the first position that is alike; empty where it is not worth while to ask.
  [[nodiscard]] std::vector<std::uint32_t> alike_places(const Level& level) const {
    constexpr std::size_t kFew = 4;
    if (level.placed > problem_.fixed.size() + kFew) return {};
    std::vector<std::uint32_t> taken;
    for (const std::size_t position : position_of_) {
      if (position != kNowhere && std::ranges::find(taken, position) == taken.end())
        taken.push_back(static_cast<std::uint32_t>(position));
    }
    return symmetry_.representatives(taken);
  }

  Instance instance_;  ///< every place one slot
  Symmetry symmetry_;
  std::size_t n_;
  std::size_t m_;
  std::vector<std::int64_t> left_;  ///< by position
  std::vector<std::size_t> slots_left_;
  std::vector<std::int64_t> lightest_;              ///< [k]: load of the k + 1 lightest ranks that are not placed
  std::vector<double> bytes_;                       ///< [rank][rank], both ways
  std::vector<double> nearer_;                      ///< [position][position], the cheaper way
  std::vector<std::vector<std::size_t>> heaviest_;  ///< partners of a rank
  std::vector<std::vector<std::size_t>> nearest_;   ///< positions around one
};

}  // namespace

MapperAnswer load_search(const MapProblem& problem, const Mapping& start, std::size_t branches, double at_least,
                         const Deadline& deadline) {
  return Search(problem, start, branches, deadline).run(at_least);
}

}  // namespace topowise
