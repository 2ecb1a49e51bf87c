// SPDX-License-Identifier: BSD-3-Clause
// A level of the machine with m children divides the box of its group into m equal boxes: m is written as a product of
// one factor for each axis, which divides the box there. What a level costs depends on its boxes only, so the best
// chain of boxes from the whole product down to a place is found by dynamic programming over boxes. A group's number
// within its parent is that of its box within the parent's box.
#include <topowise/mapper/construct/product_tiling.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <topowise/mapper/construct/strip_tiling.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/product.hpp>
#include <topowise/mapper/problem/uniform_levels.hpp>

namespace topowise {
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
    }
    return (levels_[level].distance - within) * bytes;
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
  const std::optional<Product> product = find_product(problem.traffic);
  if (!product) return std::nullopt;
  const std::optional<std::vector<Factors>> chain = BoxTiling(*product, ranks, levels).run();
  if (!chain) return std::nullopt;
  std::vector<Place> place_of;
  place_of.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    place_of.push_back(places[position_of(product->number_of(rank), *product, *chain)].place);
  return Mapping(std::move(place_of));
}

std::optional<Mapping> tile_product(const MapProblem& problem, const Deadline& deadline) {
  std::optional<Mapping> boxes = tile_boxes(problem);
  std::optional<Mapping> bricks = tile_strips(problem, deadline);
  if (!boxes || (bricks && cost_of(problem, *bricks) < cost_of(problem, *boxes))) return bricks;
  return boxes;
}

}  // namespace topowise
