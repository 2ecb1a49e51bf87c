// SPDX-License-Identifier: BSD-3-Clause
// Draws the wires of a machine: the fuller a wire, the thicker its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/report/drawing_form.hpp>
#include <topowise/report/wire_graph.hpp>

namespace topowise {

/// The most boxes of a layer that a drawing can show.
constexpr std::size_t kMostBoxesInARow = 36;

[[nodiscard]] bool can_draw(const WireGraph& graph);

/// True if a window of 500 pixels shows the wide drawing without scrolling.
[[nodiscard]] bool fits_narrow_window(const WireGraph& graph);

/// An SVG drawing with the ranks on their places. `load` is the share of each link (LinkShares::before or after),
/// `style` the class of the lines; a narrow drawing lies on its side, with its places in a column. can_draw() must be
/// true for the graph.
[[nodiscard]] std::string wire_drawing(const Topology& topology, const WireGraph& graph, const Mapping& mapping,
                                       const std::vector<double>& load, std::string_view title, std::string_view style,
                                       DrawingForm form = DrawingForm::wide);

}  // namespace topowise
