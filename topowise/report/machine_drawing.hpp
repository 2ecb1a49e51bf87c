// SPDX-License-Identifier: BSD-3-Clause
// The machine as boxes in boxes, with the ranks where they are mapped.
#pragma once

#include <string>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/report/drawing_form.hpp>

namespace topowise {

/// The most places that machine_drawing() can show.
constexpr std::size_t kMostDrawnPlaces = 256;

/// An SVG drawing: a box for every vertex that has places below it, a filled one for every place with ranks, a dashed
/// one for a free place. The machine must have at most kMostDrawnPlaces.
[[nodiscard]] std::string machine_drawing(const Topology& topology, const Mapping& mapping,
                                          DrawingForm form = DrawingForm::wide);

}  // namespace topowise
