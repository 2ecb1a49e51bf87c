// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Drawings for a page or a notebook: SVG text that needs no other file.
///
/// @code
/// std::cout << "<style>" << topowise::drawing_style() << "</style><div class=\"topowise\">"
///           << topowise::draw_machine(machine, best.mapping) << "</div>";
/// @endcode
#pragma once

#include <string>
#include <string_view>

#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>
#include <topowise/traffic.hpp>

namespace topowise {

/// The machine as boxes in boxes, with the ranks of the mapping on their places; without a mapping all places are free.
/// Empty for machines of more than 256 places, because no one could read that drawing.
/// @throws Error bad_input for a place that the machine has not.
[[nodiscard]] std::string draw_machine(const Topology& machine, const Mapping& mapping = Mapping({}));

/// Bytes by level of the machine, nearest first: one bar of each of the two mappings.
/// @throws Error bad_input for a mapping that lacks a rank or names a place that the machine has not.
[[nodiscard]] std::string draw_levels(const Traffic& traffic, const Topology& machine, const Mapping& before,
                                      const Mapping& after);

/// The colours and lines of the drawings, as CSS for what is in an element of the class "topowise".
[[nodiscard]] std::string_view drawing_style();

}  // namespace topowise
