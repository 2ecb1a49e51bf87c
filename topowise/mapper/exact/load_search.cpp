// SPDX-License-Identifier: BSD-3-Clause
// Depth-first branch and bound with a bound in the manner of Gilmore (1962) and Lawler (1963), for many ranks a place.
// A node has some ranks placed. Rank i, if it went to place p, would pay
//   - what it exchanges with the ranks that are placed, and
//   - at least half of what it exchanges with the others (each such pair is counted at both ends): its heaviest
//     partners on the nearest seats. A place has as many seats as the lightest of the others fit into the room that is
//     left there; on p itself, next to i. The fuller the places, the fewer the seats, and the better the bound.
// The sum over all ranks of the cheapest place is the bound. The rank with the fewest places that still allow a better
// mapping is placed next. As long as few places hold a rank, one place of those is enough that an automorphism of the
// machine carries onto each other while it leaves the places alone that hold one.
//
// A node takes microseconds where one of the relaxation of branch_and_bound.cpp, with its slots for all ranks that a
// place might hold, takes milliseconds; the bound is weaker.
#include <topowise/mapper/exact/load_search.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/symmetry.hpp>

namespace topowise {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr double kNothingOpen = std::numeric_limits<double>::infinity();

std::vector<Place> places_of(std::span<const Room> rooms) {
  std::vector<Place> places;
  for (const Room& room : rooms) places.push_back(room.place);
  return places;
}

/// Costs, with what places bear on the diagonal.
std::vector<double> costs_and_room(const Instance& instance, std::span<const Room> rooms) {
  std::vector<double> matrix = instance.cost;
  for (std::size_t p = 0; p < rooms.size(); ++p) matrix[p * rooms.size() + p] = static_cast<double>(rooms[p].capacity);
  return matrix;
}

/// Indices of a row of a matrix in the order of its entries.
template <class Order>
std::vector<std::size_t> sorted_row(std::span<const double> row, Order order) {
  std::vector<std::size_t> indices(row.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::ranges::stable_sort(indices, order, [&](std::size_t index) { return row[index]; });
  return indices;
}

class Search {
 public:
  Search(const MapProblem& problem, const Mapping& start, std::size_t nodes, const Deadline& deadline)
      : problem_(problem),
        deadline_(deadline),
        nodes_left_(nodes),
        rooms_(rooms(problem)),
        instance_(make_instance(problem, places_of(rooms_))),
        symmetry_(costs_and_room(instance_, rooms_), rooms_.size()),
        n_(instance_.ranks),
        m_(rooms_.size()),
        room_of_(n_, kNowhere),
        seats_(m_),
        answer_{.mapping = start, .cost = cost_of(problem, start)} {
    for (const Room& room : rooms_) left_.push_back(static_cast<std::int64_t>(room.capacity));
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < n_; ++k) bytes_.push_back(instance_.flow[i * n_ + k] + instance_.flow[k * n_ + i]);
      heaviest_.push_back(sorted_row(std::span(bytes_).subspan(i * n_, n_), std::ranges::greater()));
    }
    for (std::size_t p = 0; p < m_; ++p) {
      for (std::size_t q = 0; q < m_; ++q)
        nearer_.push_back(std::min(instance_.cost[p * m_ + q], instance_.cost[q * m_ + p]));
      nearest_.push_back(sorted_row(std::span(nearer_).subspan(p * m_, m_), std::ranges::less()));
      // The place itself comes first, whatever others are at no cost.
      std::erase(nearest_[p], p);
      nearest_[p].insert(nearest_[p].begin(), p);
    }
  }

  MapperAnswer run(double at_least) {
    Level root{.pays = std::vector<double>(n_ * m_, 0.0)};
    for (const FixedRank& fixed : problem_.fixed) {
      const auto room = std::ranges::find(rooms_, fixed.place, &Room::place) - rooms_.begin();
      root = place(root, fixed.rank.index(), static_cast<std::size_t>(room));
    }
    const double open = answer_.cost <= at_least ? kNothingOpen : explore(root);
    answer_.lower_bound = std::min(answer_.cost, std::max(at_least, open));
    answer_.proven_optimal = open == kNothingOpen;
    return answer_;
  }

 private:
  struct Level {
    double cost = 0;           ///< of the ranks that are placed, among each other
    std::vector<double> pays;  ///< [rank][room]: what the rank there exchanges with those
    std::size_t placed = 0;
  };
  struct Child {
    std::size_t room = 0;
    double bound = 0;
  };
  struct Choice {
    std::size_t rank = 0;
    std::vector<Child> children;
    double bound = kNothingOpen;  ///< of the node
  };

  /// A bound that reaches this leaves no room for a better mapping: costs come in steps, and sums of them are rounded.
  [[nodiscard]] double limit() const {
    const double rounding = 1e-9 * std::max(1.0, answer_.cost);
    return answer_.cost - std::max(rounding, instance_.step * (1 - 1e-6) - rounding);
  }

  [[nodiscard]] std::int64_t load(std::size_t rank) const { return load_of(problem_, rank); }

  Level place(const Level& level, std::size_t rank, std::size_t room) {
    Level next{.cost = level.cost + level.pays[rank * m_ + room], .pays = level.pays, .placed = level.placed + 1};
    for (std::size_t i = 0; i < n_; ++i) {
      const double out = instance_.flow[i * n_ + rank];
      const double in = instance_.flow[rank * n_ + i];
      if (out == 0 && in == 0) continue;
      for (std::size_t p = 0; p < m_; ++p)
        next.pays[i * m_ + p] += out * instance_.cost[p * m_ + room] + in * instance_.cost[room * m_ + p];
    }
    room_of_[rank] = room;
    left_[room] -= load(rank);
    return next;
  }

  void take_back(std::size_t rank, std::size_t room) {
    room_of_[rank] = kNowhere;
    left_[room] += load(rank);
  }

  /// Returns a lower bound of what was not searched, infinity if nothing is left.
  double explore(const Level& level) {
    if (level.placed == n_) {
      record(level.cost);
      return kNothingOpen;
    }
    if (stopped_ || nodes_left_ == 0 || deadline_.passed()) {
      stopped_ = true;
      return level.cost;
    }
    --nodes_left_;
    const Choice choice = choose(level);
    double open = kNothingOpen;
    for (const Child& child : choice.children) {
      if (child.bound >= limit()) continue;
      if (stopped_) {
        open = std::min(open, child.bound);
        continue;
      }
      const Level below = place(level, choice.rank, child.room);
      open = std::min(open, std::max(child.bound, explore(below)));
      take_back(choice.rank, child.room);
    }
    return open;
  }

  void count_seats() {
    lightest_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      if (room_of_[i] == kNowhere) lightest_.push_back(load(i));
    }
    std::ranges::sort(lightest_);
    std::partial_sum(lightest_.begin(), lightest_.end(), lightest_.begin());
    for (std::size_t p = 0; p < m_; ++p) seats_[p] = most_within(left_[p]);
  }

  [[nodiscard]] std::size_t most_within(std::int64_t room) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(lightest_, room) - lightest_.begin());
  }

  /// What `rank` on `room` at least exchanges with the others that are not placed. Infinity if those have no seats.
  [[nodiscard]] double least_with_others(std::size_t rank, std::size_t room) const {
    std::size_t at = 0;
    std::size_t seats = most_within(left_[room] - load(rank));
    double sum = 0;
    for (const std::size_t other : heaviest_[rank]) {
      if (other == rank || room_of_[other] != kNowhere) continue;
      while (seats == 0) {
        if (++at == m_) return kNothingOpen;
        seats = seats_[nearest_[room][at]];
      }
      --seats;
      sum += bytes_[rank * n_ + other] * nearer_[room * m_ + nearest_[room][at]];
    }
    return sum;
  }

  /// No children if nothing better can be below.
  Choice choose(const Level& level) {
    count_seats();
    std::vector<double> price(n_ * m_, kNothingOpen);
    std::vector<double> least(n_, kNothingOpen);
    double bound = level.cost;
    for (std::size_t i = 0; i < n_; ++i) {
      if (room_of_[i] != kNowhere) continue;
      for (std::size_t p = 0; p < m_; ++p) {
        if (left_[p] < load(i)) continue;
        price[i * m_ + p] = level.pays[i * m_ + p] + least_with_others(i, p) / 2;
        least[i] = std::min(least[i], price[i * m_ + p]);
      }
      bound += least[i];
    }
    Choice best;
    if (bound >= limit()) return best;
    const std::vector<std::uint32_t> alike = alike_rooms(level);
    double most_lost = -1;
    for (std::size_t i = 0; i < n_; ++i) {
      if (room_of_[i] != kNowhere) continue;
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

  /// For each room the first of those like it; empty where it is not worth while to ask.
  [[nodiscard]] std::vector<std::uint32_t> alike_rooms(const Level& level) const {
    constexpr std::size_t kFew = 4;
    if (level.placed > problem_.fixed.size() + kFew) return {};
    std::vector<std::uint32_t> taken;
    for (const std::size_t room : room_of_) {
      if (room != kNowhere && std::ranges::find(taken, room) == taken.end())
        taken.push_back(static_cast<std::uint32_t>(room));
    }
    return symmetry_.representatives(taken);
  }

  void record(double cost) {
    if (cost >= limit()) return;
    answer_.mapping = in_rooms(rooms_, room_of_);
    answer_.cost = cost_of(problem_, answer_.mapping);
  }

  const MapProblem& problem_;
  const Deadline& deadline_;
  std::size_t nodes_left_;
  bool stopped_ = false;
  std::vector<Room> rooms_;
  Instance instance_;  ///< every place one slot
  Symmetry symmetry_;
  std::size_t n_;
  std::size_t m_;
  std::vector<std::size_t> room_of_;  ///< by rank
  std::vector<std::int64_t> left_;    ///< by room
  std::vector<std::size_t> seats_;
  std::vector<std::int64_t> lightest_;              ///< [k]: load of the k + 1 lightest ranks that are not placed
  std::vector<double> bytes_;                       ///< [rank][rank], both ways
  std::vector<double> nearer_;                      ///< [room][room], the cheaper way
  std::vector<std::vector<std::size_t>> heaviest_;  ///< partners of a rank
  std::vector<std::vector<std::size_t>> nearest_;   ///< rooms around a room
  MapperAnswer answer_;
};

}  // namespace

MapperAnswer load_search(const MapProblem& problem, const Mapping& start, std::size_t nodes, double at_least,
                         const Deadline& deadline) {
  return Search(problem, start, nodes, deadline).run(at_least);
}

}  // namespace topowise
