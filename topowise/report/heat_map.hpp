// SPDX-License-Identifier: BSD-3-Clause
// How much the places send to each other, as a picture. Bytes near the diagonal travel between near places.
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
  std::size_t cells = 0;      ///< cells in a row
  std::vector<double> bytes;  ///< row-major, by sending place
  double most = 0;            ///< the most bytes of a cell
  std::size_t group = 0;      ///< cells of every group, or run, in a row; 0 where groups do not consist of whole cells
  std::size_t run = 0;        ///< places of every run that a level holds together, if lines separate runs; else 0
};

/// The cells: at most 96 in a row. Groups of equal size never end inside a cell unless they are smaller than a cell.
/// Where several places share a cell, and groups are smaller than a cell or differ in size, lines separate runs of
/// places that a higher level holds together.
[[nodiscard]] HeatCells heat_cells(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                                   const std::vector<PlaceGroup>& groups);

/// An SVG drawing: sending places go downwards, receiving places to the right. `style` is the class of a filled cell;
/// its opacity is the square root of its share of `most`. Lines separate the groups; the scale is below.
[[nodiscard]] std::string heat_map(const HeatCells& cells, double most, std::string_view title, std::string_view style);

}  // namespace topowise
