// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/heat_map.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <topowise/predict/objective/mapped_traffic.hpp>
#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostCells = 96;
constexpr double kSide = 480;
constexpr double kMargin = 40;

/// Places [first, last] of a cell.
std::string range_of(std::size_t cell, std::size_t cells, std::size_t places) {
  const std::size_t first = (cell * places + cells - 1) / cells;
  const std::size_t last = ((cell + 1) * places - 1) / cells;
  return first == last ? fmt::format("place {}", first) : fmt::format("places {}-{}", first, last);
}

}  // namespace

std::string heat_map(const Traffic& traffic, const Topology& topology, const Mapping& mapping, std::string_view title,
                     std::string_view style) {
  const std::size_t places = topology.place_count();
  const std::size_t cells = std::min(places, kMostCells);
  std::vector<double> bytes(cells * cells, 0.0);
  for_each_mapped(traffic, topology, mapping, [&](Bytes amount, Place from, Place to) {
    bytes[from.index() * cells / places * cells + to.index() * cells / places] += amount.value();
  });
  const double most = bytes.empty() ? 0.0 : std::ranges::max(bytes);
  Svg svg(kSide + 2 * kMargin, kSide + 2 * kMargin, title);
  svg.text(kMargin, kMargin - 22, title, Svg::Anchor::start, "strong");
  svg.text(kMargin, kMargin - 6, "to place 0 ...", Svg::Anchor::start, "small");
  svg.rect(kMargin, kMargin, kSide, kSide, "frame");
  const double side = kSide / static_cast<double>(std::max<std::size_t>(1, cells));
  for (std::size_t i = 0; i < cells; ++i) {
    for (std::size_t j = 0; j < cells; ++j) {
      const double amount = bytes[i * cells + j];
      if (amount <= 0) continue;
      // The root makes small amounts visible beside large ones.
      svg.rect(kMargin + static_cast<double>(j) * side, kMargin + static_cast<double>(i) * side, side, side, style,
               std::sqrt(amount / most),
               fmt::format("{} to {}: {}", range_of(i, cells, places), range_of(j, cells, places),
                           to_string(Bytes(amount))));
    }
  }
  return std::move(svg).finish();
}

}  // namespace topowise
