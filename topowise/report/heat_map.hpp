// SPDX-License-Identifier: BSD-3-Clause
// How much the places send to each other, as a picture: what stands near the diagonal stays near.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/report/place_groups.hpp>

namespace topowise {

/// Bytes between places, summed to cells of `merged` x `merged` places.
struct HeatCells {
  std::size_t places = 0;
  std::size_t merged = 1;
  std::size_t cells = 0;      ///< in a row
  std::vector<double> bytes;  ///< row-major, by sending place
  double most = 0;            ///< of a cell
  std::size_t group = 0;      ///< cells of every group, or run, in a row; 0 where they are no blocks of cells
  std::size_t run = 0;        ///< places of every run that a level holds together, where lines part these; else 0
};

/// 96 cells in a row at most; cells end where groups of equal size end. Where groups are smaller than a cell, lines
/// part runs of places that a higher level holds together.
[[nodiscard]] HeatCells heat_cells(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                                   const std::vector<PlaceGroup>& groups);

/// An SVG drawing, sending places downwards, receiving ones to the right; `style` is the class of a filled cell, the
/// root of its share of `most` its opacity. Lines part the groups; below stands the scale.
[[nodiscard]] std::string heat_map(const HeatCells& cells, double most, std::string_view title, std::string_view style);

}  // namespace topowise
