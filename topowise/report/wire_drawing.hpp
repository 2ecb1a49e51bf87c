// SPDX-License-Identifier: BSD-3-Clause
// The wires of a machine, as thick as they are full.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/report/drawing_form.hpp>
#include <topowise/report/wire_graph.hpp>

namespace topowise {

/// Boxes of a layer that a drawing can show.
constexpr std::size_t kMostBoxesInARow = 36;

[[nodiscard]] bool can_draw(const WireGraph& graph);

/// Where a window of 500 pixels shows it without scrolling.
[[nodiscard]] bool fits_narrow_window(const WireGraph& graph);

/// An SVG drawing with the ranks on their places. `load` is the share of each link (LinkShares::before or after),
/// `style` the class of the lines; a narrow drawing lies on its side, its places stand in a column. The graph must be
/// one that can_draw().
[[nodiscard]] std::string wire_drawing(const Topology& topology, const WireGraph& graph, const Mapping& mapping,
                                       const std::vector<double>& load, std::string_view title, std::string_view style,
                                       DrawingForm form = DrawingForm::wide);

}  // namespace topowise
