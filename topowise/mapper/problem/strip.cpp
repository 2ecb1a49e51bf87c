// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/strip.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace topowise {
namespace {

std::optional<Strip> strip_of(const Product& product, std::size_t across, std::size_t along, std::size_t group) {
  Strip strip{.across = product.axes[across], .along = product.axes[along]};
  double hold = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < product.axes.size(); ++i) {
    const ProductAxis& axis = product.axes[i];
    if (axis.weight <= 0) return std::nullopt;
    if (i == across || i == along) continue;
    strip.whole.push_back(axis);
    strip.ranks_of_a_cell *= axis.size;
    hold = std::min(hold, axis.is_cycle ? 2 * axis.weight : axis.weight);  // some line of the axis is parted
  }
  if (!strip.whole.empty()) strip.hold = hold;
  if (group % strip.ranks_of_a_cell != 0) return std::nullopt;
  strip.cells = group / strip.ranks_of_a_cell;
  const bool goes_round = strip.across.is_cycle && strip.cells >= strip.columns();
  if (strip.cells == 0 || strip.cells >= strip.rows() || goes_round) return std::nullopt;
  return strip;
}

}  // namespace

double Strip::bytes() const {
  const std::size_t ranks = columns() * rows() * ranks_of_a_cell;
  return across.weight * edges_along(across, ranks) + along.weight * edges_along(along, ranks);
}

std::vector<Strip> strips_of(const Product& product, std::size_t group) {
  std::vector<Strip> strips;
  for (std::size_t across = 0; across < product.axes.size(); ++across) {
    for (std::size_t along = 0; along < product.axes.size(); ++along) {
      if (across == along) continue;
      if (const std::optional<Strip> strip = strip_of(product, across, along, group)) strips.push_back(*strip);
    }
  }
  return strips;
}

}  // namespace topowise
