// SPDX-License-Identifier: BSD-3-Clause
// A level of the machine with m children divides the box of its group into m equal boxes: m is written as a product of
// one factor for each axis, which divides the box there. What a level costs depends on its boxes only, so the best
// chain of boxes from the whole product down to a place is found by dynamic programming over boxes. A group's number
// within its parent is that of its box within the parent's box.
#include <topowise/mapper/construct/product_tiling.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <topowise/mapper/bound/strip_prices.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/product.hpp>
#include <topowise/mapper/problem/uniform_levels.hpp>

namespace topowise {

// The strip is filled from its first row on. The frontier says how far each column is filled; what comes next is a
// piece that covers the lowest column (of several the first) and lies on the frontier in all its columns. A piece has a
// run of rows in each of its columns, and runs side by side lie one within the other, so it keeps all that its counts
// can keep. What its cells cost more than that, by the prices of strip_prices, is its loss: a tiling without loss is
// optimal, and of all tilings the one with the least loss keeps most.
//
// All frontiers that can be reached at little loss are the vertices of a graph, pieces its arcs, all equally long. The
// cheapest walk of each number of pieces follows from those that are shorter by one (the layers of Bellman's equation).
// Long walks end up on the loop with the least loss a piece. A strip that goes round is such a loop, repeated; one
// with ends is a walk from the flat frontier to the flat frontier, into which the loop is put as often as it fits.

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Piece {
  std::size_t first = 0;           ///< column
  std::vector<std::uint8_t> runs;  ///< rows in each column
  double loss = 0;
};

/// All connected counts of cells on all columns; of many, those with the least loss.
class Pieces {
 public:
  Pieces(const Strip& strip, std::span<const double> prices) : strip_(strip), prices_(prices) {
    std::vector<std::uint8_t> runs;
    extend(runs, strip.cells);
    const std::size_t most = 16 * strip.columns();
    std::ranges::stable_sort(all_, {}, &Piece::loss);
    if (all_.size() > most) all_.resize(most);
  }
  [[nodiscard]] std::vector<Piece> take() && { return std::move(all_); }

 private:
  void extend(std::vector<std::uint8_t>& runs, std::size_t left) {
    if (left == 0) return add(runs);
    if (runs.size() == strip_.columns()) return;
    for (std::size_t run = 1; run <= left; ++run) {
      runs.push_back(static_cast<std::uint8_t>(run));
      extend(runs, left - run);
      runs.pop_back();
    }
  }

  void add(const std::vector<std::uint8_t>& runs) {
    double kept = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      kept += strip_.along.weight * (runs[i] - 1);
      if (i > 0) kept += strip_.across.weight * std::min(runs[i - 1], runs[i]);
    }
    const std::size_t starts = strip_.across.is_cycle ? strip_.columns() : strip_.columns() - runs.size() + 1;
    for (std::size_t first = 0; first < starts; ++first) {
      double cost = 0;
      for (std::size_t i = 0; i < runs.size(); ++i) cost += prices_[(first + i) % strip_.columns()] * runs[i];
      all_.push_back({first, runs, std::max(0.0, cost - kept)});
    }
  }

  const Strip& strip_;
  std::span<const double> prices_;
  std::vector<Piece> all_;
};

using Frontier = std::string;  ///< rows filled in each column, above the least

bool lies_on(const Frontier& frontier, const Piece& piece) {
  for (std::size_t i = 1; i < piece.runs.size(); ++i) {
    const int low = frontier[(piece.first + i - 1) % frontier.size()];
    const int next_low = frontier[(piece.first + i) % frontier.size()];
    const int top = low + piece.runs[i - 1];
    const int next_top = next_low + piece.runs[i];
    const bool inside = next_low <= low && top <= next_top;
    const bool around = low <= next_low && next_top <= top;
    if (!inside && !around) return false;
  }
  return true;
}

Frontier raised(Frontier frontier, const Piece& piece) {
  for (std::size_t i = 0; i < piece.runs.size(); ++i)
    frontier[(piece.first + i) % frontier.size()] += static_cast<char>(piece.runs[i]);
  const char least = *std::ranges::min_element(frontier);
  for (char& rows : frontier) rows -= least;
  return frontier;
}

/// Frontiers that can be reached at the least loss from the flat one, which is the first.
class Frontiers {
 public:
  struct Arc {
    std::uint32_t to = 0;
    std::uint32_t piece = 0;
  };

  /// Fewer where the deadline passes.
  Frontiers(std::span<const Piece> pieces, std::size_t columns, const Deadline& deadline)
      : pieces_(pieces), covering_(columns) {
    for (std::uint32_t p = 0; p < pieces.size(); ++p) {
      for (std::size_t i = 0; i < pieces[p].runs.size(); ++i) covering_[(pieces[p].first + i) % columns].push_back(p);
    }
    explore(Frontier(columns, 0), deadline);
  }

  [[nodiscard]] std::size_t size() const { return frontiers_.size(); }
  [[nodiscard]] const Frontier& operator[](std::size_t at) const { return frontiers_[at]; }
  [[nodiscard]] const std::vector<Arc>& arcs_of(std::size_t at) const { return arcs_[at]; }

 private:
  struct Seen {
    double loss = kNever;
    std::uint32_t number = kNone;  ///< once it is known that no way to it is cheaper
  };
  struct Open {
    double loss;
    std::size_t order;  ///< among equals the one that was found first comes first
    Frontier frontier;
    bool operator>(const Open& other) const { return std::tie(loss, order) > std::tie(other.loss, other.order); }
  };

  /// Runs Dijkstra's algorithm until there are enough frontiers.
  void explore(Frontier flat, const Deadline& deadline) {
    constexpr std::size_t kMost = 12'000;
    std::unordered_map<Frontier, Seen> seen;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    seen[flat].loss = 0;
    open.push({0, 0, std::move(flat)});
    for (std::size_t found = 1; !open.empty() && frontiers_.size() < kMost && !deadline.passed();) {
      const Open next = open.top();
      open.pop();
      Seen& at = seen[next.frontier];
      if (at.number != kNone) continue;
      at.number = static_cast<std::uint32_t>(frontiers_.size());
      frontiers_.push_back(next.frontier);
      for_each_piece_on(next.frontier, [&](std::uint32_t piece, Frontier to) {
        Seen& reached = seen[to];
        if (next.loss + pieces_[piece].loss >= reached.loss) return;
        reached.loss = next.loss + pieces_[piece].loss;
        open.push({reached.loss, found++, std::move(to)});
      });
    }
    for (const Frontier& frontier : frontiers_) {
      std::vector<Arc>& arcs = arcs_.emplace_back();
      for_each_piece_on(frontier, [&](std::uint32_t piece, const Frontier& to) {
        if (const auto at = seen.find(to); at != seen.end() && at->second.number != kNone)
          arcs.push_back({at->second.number, piece});
      });
    }
  }

  template <class Visit>
  void for_each_piece_on(const Frontier& frontier, const Visit& visit) const {
    const auto lowest = static_cast<std::size_t>(std::ranges::min_element(frontier) - frontier.begin());
    for (const std::uint32_t piece : covering_[lowest]) {
      if (lies_on(frontier, pieces_[piece])) visit(piece, raised(frontier, pieces_[piece]));
    }
  }

  std::span<const Piece> pieces_;
  std::vector<std::vector<std::uint32_t>> covering_;  ///< pieces, by column
  std::vector<Frontier> frontiers_;
  std::vector<std::vector<Arc>> arcs_;
};

/// Pieces one after the other, and the frontiers before each and after the last.
struct Walk {
  std::vector<std::uint32_t> at;
  std::vector<std::uint32_t> pieces;
};

/// The cheapest walks from the flat frontier, by number of pieces and by where they end.
class Walks {
 public:
  Walks(const Frontiers& graph, std::span<const Piece> pieces, std::size_t most)
      : graph_(graph), pieces_(pieces), loss_{std::vector<double>(graph.size(), kNever)} {
    loss_[0][0] = 0;
    while (loss_.size() <= most && add_layer()) {
    }
  }

  [[nodiscard]] std::size_t longest() const { return loss_.size() - 1; }
  [[nodiscard]] double loss(std::size_t count, std::uint32_t end) const { return loss_[count][end]; }
  [[nodiscard]] std::uint32_t cheapest_end() const {
    return static_cast<std::uint32_t>(std::ranges::min_element(loss_.back()) - loss_.back().begin());
  }
  [[nodiscard]] Walk to(std::size_t count, std::uint32_t end) const {
    Walk walk{.at = {end}};
    for (; count > 0; --count) {
      const Step& step = steps_[count - 1][walk.at.back()];
      walk.pieces.push_back(step.piece);
      walk.at.push_back(step.from);
    }
    std::ranges::reverse(walk.at);
    std::ranges::reverse(walk.pieces);
    return walk;
  }

 private:
  struct Step {
    std::uint32_t from = kNone;
    std::uint32_t piece = kNone;
  };

  /// Returns false if all walks end before, because no piece lies on the frontiers that they reached.
  bool add_layer() {
    const std::vector<double>& before = loss_.back();
    std::vector<double> after(graph_.size(), kNever);
    std::vector<Step> steps(graph_.size());
    for (std::uint32_t from = 0; from < graph_.size(); ++from) {
      if (before[from] == kNever) continue;
      for (const Frontiers::Arc& arc : graph_.arcs_of(from)) {
        const double loss = before[from] + pieces_[arc.piece].loss;
        if (loss >= after[arc.to]) continue;
        after[arc.to] = loss;
        steps[arc.to] = {from, arc.piece};
      }
    }
    if (std::ranges::all_of(after, [](double loss) { return loss == kNever; })) return false;
    loss_.push_back(std::move(after));
    steps_.push_back(std::move(steps));
    return true;
  }

  const Frontiers& graph_;
  std::span<const Piece> pieces_;
  std::vector<std::vector<double>> loss_;
  std::vector<std::vector<Step>> steps_;
};

/// Part of a walk that ends where it begins.
struct Loop {
  std::size_t begin = 0;
  std::size_t pieces = 0;
  double loss = kNever;
};

/// The loop with the least loss a piece, among those that fit into `rest` pieces a whole number of times.
Loop best_loop(const Walk& walk, std::span<const Piece> pieces, std::size_t rest) {
  Loop best;
  for (std::size_t begin = 0; begin < walk.pieces.size(); ++begin) {
    double loss = 0;
    for (std::size_t end = begin + 1; end <= walk.pieces.size(); ++end) {
      loss += pieces[walk.pieces[end - 1]].loss;
      const std::size_t length = end - begin;
      if (walk.at[begin] != walk.at[end] || rest % length != 0) continue;
      if (best.pieces == 0 || loss * static_cast<double>(best.pieces) < best.loss * static_cast<double>(length))
        best = {begin, length, loss};
    }
  }
  return best;
}

/// The pieces of a strip in order, and the frontier before the first of them.
struct Tiling {
  Frontier begin;
  std::vector<std::uint32_t> pieces;
  double loss = kNever;
};

Tiling least_loss(const Strip& strip, const Frontiers& graph, std::span<const Piece> pieces) {
  constexpr std::size_t kMostSteps = 20'000'000;
  const std::size_t count = strip.columns() * strip.rows() / strip.cells;
  std::size_t arcs = 1;
  for (std::size_t at = 0; at < graph.size(); ++at) arcs += graph.arcs_of(at).size();
  const Walks walks(graph, pieces, std::min(count, kMostSteps / arcs));
  Tiling best;
  const auto enter = [&](const Walk& walk, const Loop& loop, std::size_t times, bool alone) {
    const double base = alone ? 0 : walks.loss(walk.pieces.size(), 0);
    const double loss = base + (times > 0 ? loop.loss * static_cast<double>(times) : 0);
    if (loss >= best.loss) return;
    best = {graph[alone ? walk.at[loop.begin] : 0], {}, loss};
    const auto begin = walk.pieces.begin() + static_cast<std::ptrdiff_t>(loop.begin);
    if (!alone) best.pieces.assign(walk.pieces.begin(), begin);
    for (std::size_t i = 0; i < times; ++i)
      best.pieces.insert(best.pieces.end(), begin, begin + static_cast<std::ptrdiff_t>(loop.pieces));
    if (!alone) best.pieces.insert(best.pieces.end(), begin, walk.pieces.end());
  };
  for (std::size_t length = 1; length <= walks.longest(); ++length) {
    if (walks.loss(length, 0) >= best.loss) continue;
    const Walk walk = walks.to(length, 0);
    const Loop loop = best_loop(walk, pieces, count - length);
    if (loop.pieces > 0) enter(walk, loop, (count - length) / loop.pieces, false);
  }
  if (strip.along.is_cycle) {
    const Walk walk = walks.to(walks.longest(), walks.cheapest_end());
    const Loop loop = best_loop(walk, pieces, count);
    if (loop.pieces > 0) enter(walk, loop, count / loop.pieces, true);
  }
  return best;
}

/// A strip and its tiling.
struct Candidate {
  Strip strip;
  std::vector<std::uint32_t> group_of_cell;
};

/// The place of each rank: groups take the places in order, and so do the ranks of a group.
Mapping placed(const Candidate& candidate, const Product& product, std::size_t ranks,
               std::span<const PlaceCapacity> places) {
  const Strip& strip = candidate.strip;
  const std::size_t group = strip.cells * strip.ranks_of_a_cell;
  std::vector<std::size_t> filled(ranks / group, 0);
  std::vector<Place> place_of;
  place_of.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t number = product.number_of(rank);
    const std::size_t column = number / strip.across.stride % strip.columns();
    const std::size_t row = number / strip.along.stride % strip.rows();
    const std::size_t at = candidate.group_of_cell[row * strip.columns() + column];
    place_of.push_back(places[(at * group + filled[at]++) / places.front().capacity].place);
  }
  return Mapping(std::move(place_of));
}

/// Ranks of the smallest groups; 0 if there is another level within them or none around them.
std::size_t smallest_group(std::span<const UniformLevel> levels, std::size_t capacity) {
  if (capacity > 1) return levels.empty() ? 0 : capacity;
  return levels.size() > 1 ? levels.front().wider : 0;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> tile_strip(const Strip& strip, const Deadline& deadline) {
  constexpr std::size_t kMostCells = 14;  // each cell more doubles the number of forms
  const std::size_t all = strip.columns() * strip.rows();
  if (strip.cells > kMostCells || all % strip.cells != 0) return std::nullopt;
  const std::optional<std::vector<double>> prices = strip_prices(strip);
  if (!prices) return std::nullopt;
  const std::vector<Piece> pieces = Pieces(strip, *prices).take();
  const Frontiers frontiers(pieces, strip.columns(), deadline);
  if (deadline.passed()) return std::nullopt;
  const Tiling tiling = least_loss(strip, frontiers, pieces);
  if (tiling.loss == kNever) return std::nullopt;
  std::vector<std::uint32_t> group_of(all, 0);
  std::vector<std::size_t> filled(tiling.begin.begin(), tiling.begin.end());
  for (std::uint32_t group = 0; group < tiling.pieces.size(); ++group) {
    const Piece& piece = pieces[tiling.pieces[group]];
    for (std::size_t i = 0; i < piece.runs.size(); ++i) {
      const std::size_t column = (piece.first + i) % strip.columns();
      for (std::size_t row = 0; row < piece.runs[i]; ++row)
        group_of[filled[column]++ % strip.rows() * strip.columns() + column] = group;
    }
  }
  return group_of;
}

std::optional<Mapping> tile_strips(const MapProblem& problem, const Deadline& deadline) {
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  const std::vector<UniformLevel> levels = uniform_levels(problem, places);
  const std::size_t ranks = problem.traffic.ranks();
  if (levels.empty() || ranks != places.size() * places.front().capacity) return std::nullopt;
  const std::size_t group = smallest_group(levels, places.front().capacity);
  const std::optional<Product> product = group > 1 ? find_product(problem.traffic) : std::nullopt;
  if (!product) return std::nullopt;
  std::optional<Mapping> best;
  double least = kNever;
  for (const Strip& strip : strips_of(*product, group)) {
    if (deadline.passed()) return std::nullopt;
    std::optional<std::vector<std::uint32_t>> group_of_cell = tile_strip(strip, deadline);
    if (!group_of_cell) continue;
    Mapping mapping = placed({strip, *std::move(group_of_cell)}, *product, ranks, places);
    const double cost = cost_of(problem, mapping);
    if (cost >= least) continue;
    least = cost;
    best = std::move(mapping);
  }
  return best;
}

namespace {

using Box = std::vector<std::size_t>;      ///< ranks along each axis
using Factors = std::vector<std::size_t>;  ///< boxes along each axis

class BoxTiling {
 public:
  BoxTiling(const Product& product, std::size_t ranks, std::span<const UniformLevel> levels)
      : product_(product), ranks_(ranks), levels_(levels.rbegin(), levels.rend()) {}

  /// The factors of each level, from the outermost in; nothing if there is no way, or if there are too many.
  [[nodiscard]] std::optional<std::vector<Factors>> run() {
    Box box;
    for (const ProductAxis& axis : product_.axes) box.push_back(axis.size);
    if (best(0, box).cost == kNever || tried_ > kMostTries) return std::nullopt;
    std::vector<Factors> chain;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      chain.push_back(best(level, box).factors);
      for (std::size_t axis = 0; axis < box.size(); ++axis) box[axis] /= chain.back()[axis];
    }
    return chain;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kMostTries = 200'000;  ///< a hypercube of twenty dimensions has more
  struct Choice {
    double cost = kNever;  ///< of this level and those within
    Factors factors;
  };

  [[nodiscard]] std::size_t children(std::size_t level) const { return levels_[level].wider / levels_[level].reach; }

  /// Bytes between boxes, times what a level adds to the distance.
  [[nodiscard]] double cost_of(std::size_t level, const Box& box) const {
    const double within = level + 1 < levels_.size() ? levels_[level + 1].distance : 0;
    double bytes = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const ProductAxis& axis = product_.axes[i];
      const std::size_t boxes = axis.size / box[i];
      const std::size_t cuts = boxes == 1 ? 0 : axis.is_cycle ? boxes : boxes - 1;
      bytes += axis.weight * static_cast<double>(cuts * (ranks_ / axis.size));
      bytes += axis.of_all * static_cast<double>(ranks_ * (axis.size - box[i])) / 2;
      if (axis.across > 0) {
        const std::size_t inside = box[i - 1] * (box[i] - 1);  // partners of each rank
        bytes += bytes_across(product_, i, ranks_) - axis.across * static_cast<double>(ranks_ * inside) / 2;
      }
      if (axis.link > 0) bytes += bytes_of_links(product_, i, ranks_) - links_inside(i, box);
    }
    return (levels_[level].distance - within) * bytes;
  }

  /// Bytes of links inside of boxes: only where these have whole lines of the axis before.
  [[nodiscard]] double links_inside(std::size_t i, const Box& box) const {
    if (box[i - 1] < product_.axes[i - 1].size) return 0;
    if (box[i] == product_.axes[i].size) return bytes_of_links(product_, i, ranks_);
    const std::size_t lines = ranks_ / product_.axes[i - 1].size;
    return product_.axes[i].link * static_cast<double>(lines - lines / box[i]);
  }

  const Choice& best(std::size_t level, const Box& box) {
    const auto [at, is_new] = known_.try_emplace({level, box});
    if (!is_new) return at->second;
    Choice choice;
    Factors factors(box.size(), 1);
    try_factors(level, box, 0, children(level), factors, choice);
    return known_[{level, box}] = std::move(choice);
  }

  void try_factors(std::size_t level, const Box& box, std::size_t axis, std::size_t left, Factors& factors,
                   Choice& choice) {
    if (axis == box.size()) {
      if (left == 1) consider(level, box, factors, choice);
      return;
    }
    for (std::size_t factor = 1; factor <= left && tried_ <= kMostTries; ++factor) {
      if (left % factor != 0 || box[axis] % factor != 0) continue;
      factors[axis] = factor;
      try_factors(level, box, axis + 1, left / factor, factors, choice);
    }
    factors[axis] = 1;
  }

  void consider(std::size_t level, Box box, const Factors& factors, Choice& choice) {
    if (++tried_ > kMostTries) return;
    for (std::size_t i = 0; i < box.size(); ++i) box[i] /= factors[i];
    const double own = cost_of(level, box);
    const double cost = own + (level + 1 < levels_.size() ? best(level + 1, box).cost : 0.0);
    if (cost < choice.cost) choice = {cost, factors};
  }

  const Product& product_;
  std::size_t ranks_;
  std::vector<UniformLevel> levels_;  ///< the outermost first
  std::map<std::pair<std::size_t, Box>, Choice> known_;
  std::size_t tried_ = 0;
};

/// The number of the place for a number of the product, from the number of the box that holds it on every level.
std::size_t position_of(std::size_t number, const Product& product, std::span<const Factors> chain) {
  std::vector<std::size_t> box;
  for (const ProductAxis& axis : product.axes) box.push_back(axis.size);
  std::size_t position = 0;
  for (const Factors& factors : chain) {
    for (std::size_t i = 0; i < box.size(); ++i) {
      const std::size_t inside = number / product.axes[i].stride % product.axes[i].size % box[i];
      box[i] /= factors[i];
      position = position * factors[i] + inside / box[i];
    }
  }
  return position;
}

}  // namespace

std::optional<Mapping> tile_boxes(const MapProblem& problem) {
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  const std::vector<UniformLevel> levels = uniform_levels(problem, places);
  const std::size_t ranks = problem.traffic.ranks();
  if (levels.empty() || ranks != places.size() * places.front().capacity) return std::nullopt;
  std::optional<Mapping> best;
  for (const auto& find : {find_product, find_product_of_groups}) {
    const std::optional<Product> product = find(problem.traffic);
    const std::optional<std::vector<Factors>> chain = product ? BoxTiling(*product, ranks, levels).run() : std::nullopt;
    if (!chain) continue;
    std::vector<Place> place_of;
    place_of.reserve(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      place_of.push_back(places[position_of(product->number_of(rank), *product, *chain)].place);
    Mapping mapping(std::move(place_of));
    if (!best || cost_of(problem, mapping) < cost_of(problem, *best)) best = std::move(mapping);
  }
  return best;
}

std::optional<Mapping> tile_product(const MapProblem& problem, const Deadline& deadline,
                                    const std::function<double()>& bound) {
  std::optional<Mapping> boxes = tile_boxes(problem);
  const double cost = boxes ? cost_of(problem, *boxes) : kNever;
  if (boxes && cost <= (bound ? bound() : 0)) return boxes;
  std::optional<Mapping> bricks = tile_strips(problem, deadline);
  if (!boxes || (bricks && cost_of(problem, *bricks) < cost)) return bricks;
  return boxes;
}

}  // namespace topowise
