// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/grid_shape.hpp>

#include <algorithm>
#include <limits>

#include <topowise/mapper/problem/product.hpp>

namespace topowise {
namespace {

/// Bytes times steps; infinite if a message goes further than to a neighbour, or no time is left. Adds up the bytes
/// along each axis.
double steps(const Traffic& traffic, const Sizes& sizes, std::array<double, kMostAxes>& weight,
             const Deadline& deadline) {
  constexpr std::size_t kBetweenLooks = 1 << 16;
  double sum = 0;
  std::size_t seen = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (++seen % kBetweenLooks == 0 && deadline.passed()) return std::numeric_limits<double>::infinity();
    const Point from = point_of(entry.source.index(), sizes);
    const Point to = point_of(entry.destination.index(), sizes);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::size_t step = from[axis] > to[axis] ? from[axis] - to[axis] : to[axis] - from[axis];
      if (std::min(step, sizes[axis] - step) > 1) return std::numeric_limits<double>::infinity();
      if (step == 0) continue;
      weight[axis] += entry.bytes.value();
      sum += entry.bytes.value();
    }
  }
  return sum;
}

void list_products(std::size_t n, std::size_t axes, Sizes& begun, std::vector<Sizes>& found) {
  if (n == 1 || axes == 0) {
    if (n == 1 && !begun.empty()) found.push_back(begun);
    return;
  }
  for (std::size_t factor = 2; factor <= n; ++factor) {
    if (n % factor != 0) continue;
    begun.push_back(factor);
    list_products(n / factor, axes - 1, begun, found);
    begun.pop_back();
  }
}

/// The grid of a product whose ranks are in another order.
std::optional<Grid> grid_of_product(const Traffic& traffic) {
  const std::optional<Product> product = find_product(traffic);
  if (!product || product->axes.size() > kMostAxes) return std::nullopt;
  Grid grid;
  grid.at.resize(traffic.ranks());
  for (std::size_t axis = 0; axis < product->axes.size(); ++axis) {
    const ProductAxis& each = product->axes[axis];
    grid.sizes.push_back(each.size);
    grid.weight[axis] = each.weight * edges_along(each, traffic.ranks());
    for (std::size_t rank = 0; rank < traffic.ranks(); ++rank)
      grid.at[rank][axis] = static_cast<std::uint32_t>(product->number_of(rank) / each.stride % each.size);
  }
  return grid;
}

}  // namespace

Point point_of(std::size_t number, const Sizes& sizes) {
  Point point{};
  for (std::size_t axis = sizes.size(); axis-- > 0; number /= sizes[axis])
    point[axis] = static_cast<std::uint32_t>(number % sizes[axis]);
  return point;
}

std::vector<Sizes> products(std::size_t n, std::size_t axes) {
  std::vector<Sizes> found;
  Sizes begun;
  list_products(n, axes, begun, found);
  std::ranges::stable_sort(found, {}, &Sizes::size);
  return found;
}

std::optional<Grid> find_grid(const Traffic& traffic, const Deadline& deadline) {
  constexpr std::size_t kFewRanks = 4096;  // for more ranks three axes are enough
  Grid grid;
  double fewest = std::numeric_limits<double>::infinity();
  for (const Sizes& sizes : products(traffic.ranks(), traffic.ranks() <= kFewRanks ? kMostAxes : 3)) {
    std::array<double, kMostAxes> weight{};
    const double sum = steps(traffic, sizes, weight, deadline);
    if (deadline.passed()) return std::nullopt;
    if (sum >= fewest) continue;
    fewest = sum;
    grid.sizes = sizes;
    grid.weight = weight;
  }
  if (grid.sizes.empty()) return grid_of_product(traffic);
  grid.at.reserve(traffic.ranks());
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) grid.at.push_back(point_of(rank, grid.sizes));
  return grid;
}

}  // namespace topowise
