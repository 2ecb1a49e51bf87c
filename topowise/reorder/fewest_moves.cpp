// SPDX-License-Identifier: BSD-3-Clause
// Goes from the root down. A part of the machine and the part that it hands its ranks to have children of the same
// shapes. Which child hands its ranks to which is an assignment problem, whose entries are the ranks that can stay
// below.
#include <topowise/reorder/fewest_moves.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <topowise/mapper/bound/assignment.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

/// Above this number of parts a matching is made pair by pair, because the exact one takes time by the third power.
constexpr std::size_t kMostExact = 256;

using Ranks = std::vector<std::size_t>;

/// Which parts are alike: equal numbers for equal shapes.
std::vector<std::size_t> shapes_of(const Hierarchy& machine) {
  using Shape = std::tuple<std::size_t, double, double, std::vector<std::size_t>>;
  std::map<Shape, std::size_t> numbers;
  std::vector<std::size_t> shapes;
  for (const Hierarchy::Node& node : machine.nodes) {
    std::vector<std::size_t> below;
    for (const std::size_t child : node.children) below.push_back(shapes[child]);
    std::ranges::sort(below);
    const auto fresh = numbers.size();
    const Shape shape{node.capacity, node.weight_out, node.weight_in, std::move(below)};
    shapes.push_back(numbers.try_emplace(shape, fresh).first->second);
  }
  return shapes;
}

/// Where the ranks of a mapping are in the tree.
class Standing {
 public:
  Standing(const Hierarchy& machine, const Mapping& mapping)
      : middle_(machine.nodes.size(), 0), count_(middle_.size(), 0) {
    std::size_t places = 0;
    for (const Hierarchy::Node& node : machine.nodes)
      if (node.place) places = std::max(places, node.place->index() + 1);
    path_of_place_.resize(places);
    std::vector<std::size_t> path;
    walk(machine, machine.nodes.size() - 1, path);
    for (std::size_t rank = 0; rank < mapping.ranks(); ++rank) {
      path_of_rank_.push_back(&path_of_place_[mapping[Rank(rank)].index()]);
      std::size_t node = machine.nodes.size() - 1;
      count(node, rank);
      for (const std::size_t child : *path_of_rank_.back()) count(node = machine.nodes[node].children[child], rank);
    }
    for (std::size_t node = 0; node < middle_.size(); ++node)
      middle_[node] /= static_cast<double>(std::max<std::size_t>(count_[node], 1));
  }

  /// The child, of the rank's part at this depth, below which the rank stands.
  [[nodiscard]] std::size_t child(std::size_t rank, std::size_t depth) const { return (*path_of_rank_[rank])[depth]; }
  /// How far apart the mean ranks below two parts are; 0 where one of them has no ranks.
  [[nodiscard]] double apart(std::size_t node, const Standing& other, std::size_t other_node) const {
    if (count_[node] == 0 || other.count_[other_node] == 0) return 0;
    return std::abs(middle_[node] - other.middle_[other_node]);
  }
  [[nodiscard]] double middle(std::size_t node) const { return middle_[node]; }

 private:
  void walk(const Hierarchy& machine, std::size_t at, std::vector<std::size_t>& path) {
    const Hierarchy::Node& node = machine.nodes[at];
    if (node.place) path_of_place_[node.place->index()] = path;
    for (std::size_t child = 0; child < node.children.size(); ++child) {
      path.push_back(child);
      walk(machine, node.children[child], path);
      path.pop_back();
    }
  }
  void count(std::size_t node, std::size_t rank) {
    middle_[node] += static_cast<double>(rank);
    ++count_[node];
  }

  std::vector<std::vector<std::size_t>> path_of_place_;
  std::vector<const std::vector<std::size_t>*> path_of_rank_;
  std::vector<double> middle_;
  std::vector<std::size_t> count_;
};

/// Children of two parts that are alike in shape, and how many ranks can stay where one hands its ranks to the other.
struct Choice {
  std::vector<std::size_t> rows;     ///< children of the part that hands on, by their place in its list
  std::vector<std::size_t> columns;  ///< children of the part that takes
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> kept;  ///< by row and column; absent: none
};

class FewestMoves {
 public:
  FewestMoves(const Hierarchy& machine, const Mapping& found, const Mapping& now)
      : machine_(machine), shapes_(shapes_of(machine)), found_(machine, found), now_(machine, now) {}

  /// The place to which each place hands what it holds, by the place's number.
  std::map<std::size_t, Place> run(std::size_t ranks) {
    Ranks all(ranks);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::size_t root = machine_.nodes.size() - 1;
    hand_on({root, root, 0}, all);
    return std::move(goes_to_);
  }

 private:
  /// Two parts of one shape, equally deep below the root.
  struct Pair {
    std::size_t from;
    std::size_t to;
    std::size_t depth;
  };

  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t node) const {
    return machine_.nodes[node].children;
  }
  [[nodiscard]] Pair below(const Pair& pair, std::size_t from, std::size_t to) const {
    return {children(pair.from)[from], children(pair.to)[to], pair.depth + 1};
  }

  /// `ranks`: those that are below `from` as found and below `to` now. The result has them by children of the two.
  [[nodiscard]] std::map<std::pair<std::size_t, std::size_t>, Ranks> shared(const Pair& pair,
                                                                            const Ranks& ranks) const {
    std::map<std::pair<std::size_t, std::size_t>, Ranks> by_children;
    for (const std::size_t rank : ranks)
      by_children[{found_.child(rank, pair.depth), now_.child(rank, pair.depth)}].push_back(rank);
    return by_children;
  }

  /// How many of the ranks can stay.
  [[nodiscard]] std::size_t kept(const Pair& pair, const Ranks& ranks) const {
    if (ranks.empty() || children(pair.from).empty()) return ranks.size();
    const auto by_children = shared(pair, ranks);
    std::size_t sum = 0;
    for (const auto& [from, to] : match(pair, by_children)) {
      if (const auto ranks_below = by_children.find({from, to}); ranks_below != by_children.end())
        sum += kept(below(pair, from, to), ranks_below->second);
    }
    return sum;
  }

  void hand_on(const Pair& pair, const Ranks& ranks) {
    if (children(pair.from).empty()) {
      goes_to_.emplace(machine_.nodes[pair.from].place->index(), *machine_.nodes[pair.to].place);
      return;
    }
    const auto by_children = shared(pair, ranks);
    for (const auto& [from, to] : match(pair, by_children)) {
      const auto ranks_below = by_children.find({from, to});
      hand_on(below(pair, from, to), ranks_below == by_children.end() ? Ranks{} : ranks_below->second);
    }
  }

  /// Children of `from` and the children of `to` that they hand their ranks to.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match(
      const Pair& pair, const std::map<std::pair<std::size_t, std::size_t>, Ranks>& by_children) const {
    std::map<std::size_t, Choice> by_shape;
    for (std::size_t k = 0; k < children(pair.from).size(); ++k) {
      by_shape[shapes_[children(pair.from)[k]]].rows.push_back(k);
      by_shape[shapes_[children(pair.to)[k]]].columns.push_back(k);
    }
    for (const auto& [ends, ranks] : by_children) {
      const Pair next = below(pair, ends.first, ends.second);
      if (shapes_[next.from] == shapes_[next.to]) by_shape[shapes_[next.from]].kept[ends] = kept(next, ranks);
    }
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    for (const auto& [shape, choice] : by_shape) {
      const auto part = choice.rows.size() > kMostExact ? match_greedily(pair, choice) : match_exactly(pair, choice);
      matched.insert(matched.end(), part.begin(), part.end());
    }
    return matched;
  }

  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match_exactly(const Pair& pair,
                                                                               const Choice& choice) const {
    const std::size_t n = choice.rows.size();
    std::vector<double> costs(n * n);
    double most_apart = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Pair next = below(pair, choice.rows[i], choice.columns[j]);
        costs[i * n + j] = found_.apart(next.from, now_, next.to);
        most_apart = std::max(most_apart, costs[i * n + j]);
      }
    }
    const double one_rank = (most_apart + 1) * static_cast<double>(n);  // is worth more than any order of the rest
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto stay = choice.kept.find({choice.rows[i], choice.columns[j]});
        if (stay != choice.kept.end()) costs[i * n + j] -= one_rank * static_cast<double>(stay->second);
      }
    }
    Assignment assignment;
    assignment.reduce(costs.data(), n, n);
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    for (std::size_t i = 0; i < n; ++i)
      matched.emplace_back(choice.rows[i], choice.columns[static_cast<std::size_t>(assignment.column_of_row()[i])]);
    return matched;
  }

  /// Matches the pair that keeps the most first; what is left is matched in order.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match_greedily(const Pair& pair,
                                                                                const Choice& choice) const {
    std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> pairs;
    for (const auto& [ends, ranks] : choice.kept) pairs.emplace_back(ranks, ends);
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& each) { return each.first; });
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    std::vector<bool> given(children(pair.from).size(), false);
    std::vector<bool> taken(given.size(), false);
    for (const auto& [ranks, ends] : pairs) {
      if (given[ends.first] || taken[ends.second]) continue;
      given[ends.first] = taken[ends.second] = true;
      matched.push_back(ends);
    }
    std::vector<std::size_t> rows = choice.rows;
    std::vector<std::size_t> columns = choice.columns;
    std::erase_if(rows, [&](std::size_t row) { return given[row]; });
    std::erase_if(columns, [&](std::size_t column) { return taken[column]; });
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return found_.middle(children(pair.from)[row]); });
    std::ranges::stable_sort(columns, {}, [&](std::size_t column) { return now_.middle(children(pair.to)[column]); });
    for (std::size_t i = 0; i < rows.size(); ++i) matched.emplace_back(rows[i], columns[i]);
    return matched;
  }

  const Hierarchy& machine_;
  std::vector<std::size_t> shapes_;
  Standing found_;
  Standing now_;
  std::map<std::size_t, Place> goes_to_;
};

}  // namespace

Mapping fewest_moves(const Hierarchy& machine, const Mapping& found, const Mapping& now) {
  const std::map<std::size_t, Place> goes_to = FewestMoves(machine, found, now).run(found.ranks());
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < found.ranks(); ++rank) places.push_back(goes_to.at(found[Rank(rank)].index()));
  return Mapping(std::move(places));
}

Hierarchy equally_far(const MapProblem& problem) {
  Hierarchy machine;
  Hierarchy::Node root;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    root.capacity += each.capacity;
    root.children.push_back(machine.nodes.size());
    machine.nodes.push_back(
        {.weight_out = 1, .weight_in = 1, .capacity = each.capacity, .children = {}, .place = each.place});
  }
  machine.nodes.push_back(std::move(root));
  return machine;
}

}  // namespace topowise
