// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/heat_map.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <topowise/predict/objective/mapped_traffic.hpp>
#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostCells = 96;
constexpr std::size_t kTicks = 8;
constexpr double kSide = 400;
constexpr double kLeft = 64;
constexpr double kTop = 62;
constexpr double kScale = 56;  ///< height of the scale of colours below the map
constexpr double kRight = 24;

/// The places of a cell, in words.
std::string range_of(std::size_t cell, const HeatCells& cells) {
  const std::size_t first = cell * cells.merged;
  const std::size_t last = std::min(first + cells.merged, cells.places) - 1;
  return first == last ? fmt::format("place {}", first) : fmt::format("places {}-{}", first, last);
}

/// How many places every group has; 0 if there is only one group, if groups differ in size, or if the places of a group
/// are not neighbours.
std::size_t size_of_groups(const std::vector<PlaceGroup>& groups) {
  if (groups.size() < 2) return 0;
  const std::size_t size = groups.front().places.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].places.size() != size || groups[g].places.front().index() != g * size ||
        groups[g].places.back().index() != (g + 1) * size - 1)
      return 0;
  }
  return size;
}

/// How many places the smallest runs have that are equal in size, that a level holds together, and that consist of
/// whole cells; 0 if there are none. On a cluster whose nodes are smaller than a cell, such a run is the places below
/// one switch.
std::size_t size_of_runs(const Topology& topology, std::size_t merged) {
  const std::size_t places = topology.place_count();
  std::vector<int> apart;  // level of each place and the next one
  for (std::size_t p = 0; p + 1 < places; ++p) apart.push_back(topology.level(Place(p), Place(p + 1)));
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const auto first = std::ranges::find_if(apart, [&](int between) { return between > level; });
    const std::size_t size = static_cast<std::size_t>(first - apart.begin()) + 1;
    if (size == places) return 0;
    if (size % merged != 0 || places % size != 0) continue;
    bool equal = true;
    for (std::size_t p = 0; p < apart.size() && equal; ++p) equal = (apart[p] > level) == ((p + 1) % size == 0);
    if (equal) return size;
  }
  return 0;
}

class Map {
 public:
  Map(const HeatCells& cells, std::string_view title, std::string_view role)
      : cells_(cells),
        step_(kSide / static_cast<double>(std::max<std::size_t>(1, cells.cells))),
        svg_(kLeft + kSide + kRight, kTop + kSide + kScale, role) {
    svg_.text(kLeft, 18, title, Svg::Anchor::start, "strong");
    svg_.text(kLeft + kSide / 2, 36, "receiving place", Svg::Anchor::middle, "small");
    svg_.text(8, kTop - 24, "sending", Svg::Anchor::start, "small");
    svg_.text(8, kTop - 10, "place", Svg::Anchor::start, "small");
  }

  void fill(double most, std::string_view style) {
    for (std::size_t i = 0; i < cells_.cells; ++i) {
      for (std::size_t j = 0; j < cells_.cells; ++j) {
        const double amount = cells_.bytes[i * cells_.cells + j];
        if (amount <= 0) continue;
        // The square root makes small amounts visible beside large ones.
        svg_.rect(at(j, kLeft), at(i, kTop), step_, step_, style, std::sqrt(amount / most),
                  fmt::format("{} to {}: {}", range_of(i, cells_), range_of(j, cells_), to_string(Bytes(amount))));
      }
    }
    svg_.rect(kLeft, kTop, kSide, kSide, "frame");
  }

  void ticks() {
    const std::size_t every = std::max<std::size_t>(1, (cells_.cells + kTicks - 1) / kTicks);
    for (std::size_t cell = 0; cell < cells_.cells; cell += every) {
      const std::string number = std::to_string(cell * cells_.merged);
      svg_.text(at(cell, kLeft) + step_ / 2, kTop - 6, number, Svg::Anchor::middle, "small");
      svg_.text(kLeft - 6, at(cell, kTop) + std::max(step_ / 2 + 4, 8.0), number, Svg::Anchor::end, "small");
    }
  }

  void borders() {
    if (cells_.group == 0) return;
    for (std::size_t cell = cells_.group; cell < cells_.cells; cell += cells_.group) {
      const double x = at(cell, kLeft);
      const double y = at(cell, kTop);
      svg_.path(
          fmt::format("M{:.5g} {:.5g}V{:.5g}M{:.5g} {:.5g}H{:.5g}", x, kTop, kTop + kSide, kLeft, y, kLeft + kSide),
          0.8, "block");
    }
  }

  void scale(double most, std::string_view style) {
    constexpr double kPatch = 78;
    double x = kLeft;
    for (const double share : {0.01, 0.1, 0.25, 0.5, 1.0}) {
      svg_.rect(x, kTop + kSide + 16, kPatch, 12, style, std::sqrt(share));
      svg_.rect(x, kTop + kSide + 16, kPatch, 12, "frame");
      svg_.text(x + kPatch / 2, kTop + kSide + 43, to_string(Bytes(share * most)), Svg::Anchor::middle, "small");
      x += kPatch + 2;
    }
  }

  [[nodiscard]] std::string finish() && { return std::move(svg_).finish(); }

 private:
  [[nodiscard]] double at(std::size_t cell, double origin) const { return origin + static_cast<double>(cell) * step_; }

  const HeatCells& cells_;
  double step_;
  Svg svg_;
};

}  // namespace

HeatCells heat_cells(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                     const std::vector<PlaceGroup>& groups) {
  HeatCells cells{.places = topology.place_count()};
  cells.merged = std::max<std::size_t>(1, (cells.places + kMostCells - 1) / kMostCells);
  const std::size_t size = size_of_groups(groups);
  while (size > 0 && cells.merged < cells.places && size % cells.merged != 0 && cells.merged % size != 0)
    ++cells.merged;
  cells.cells = (cells.places + cells.merged - 1) / cells.merged;
  if (size > 0 && size % cells.merged == 0) {
    cells.group = size / cells.merged;
  } else if (cells.merged > 1) {
    cells.run = size_of_runs(topology, cells.merged);
    cells.group = cells.run / cells.merged;
  }
  cells.bytes.assign(cells.cells * cells.cells, 0.0);
  for_each_mapped(traffic, topology, mapping, [&](Bytes amount, Place from, Place to) {
    cells.bytes[from.index() / cells.merged * cells.cells + to.index() / cells.merged] += amount.value();
  });
  cells.most = cells.bytes.empty() ? 0.0 : std::ranges::max(cells.bytes);
  return cells;
}

std::string heat_map(const HeatCells& cells, double most, std::string_view title, std::string_view style) {
  const std::size_t fullest = static_cast<std::size_t>(std::ranges::max_element(cells.bytes) - cells.bytes.begin());
  std::string role = fmt::format("{}: bytes from every place to every other; ", title);
  if (cells.most > 0) {
    role += fmt::format("most, {}, from {} to {}", to_string(Bytes(cells.most)), range_of(fullest / cells.cells, cells),
                        range_of(fullest % cells.cells, cells));
  } else {
    role += "none";
  }
  Map map(cells, title, role);
  map.fill(most, style);
  map.ticks();
  map.borders();
  if (most > 0) map.scale(most, style);
  return std::move(map).finish();
}

}  // namespace topowise
