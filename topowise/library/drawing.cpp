// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/drawing.hpp>

#include <fmt/format.h>

#include <limits>

#include <topowise/predict/objective/level_traffic.hpp>
#include <topowise/report/level_bars.hpp>
#include <topowise/report/machine_drawing.hpp>

namespace topowise {
namespace {

// Lines and letters have the colour of the text around them: a notebook's theme may be light where the desktop's is
// dark. The two other colours can be seen on a light and on a dark background.
constexpr std::string_view kStyle = R"(
.topowise { --before: #c76a00; --after: #2f86c9; overflow-x: auto }
.topowise svg { max-width: none }
.topowise svg text { fill: currentColor; font: 12px system-ui, sans-serif }
.topowise svg .small { font-size: 10px; opacity: .8 } .topowise svg .strong { font-weight: 600 }
.topowise .before { fill: var(--before) } .topowise .after { fill: var(--after) }
.topowise .swatch { display: inline-block; width: 1.1em; height: .8em; margin: 0 .4em 0 1em }
.topowise .swatch.before { background: var(--before) } .topowise .swatch.after { background: var(--after) }
.topowise .frame { fill: none; stroke: currentColor; stroke-opacity: .35 }
.topowise .place { fill: var(--after); fill-opacity: .18; stroke: var(--after) }
.topowise .free { fill: none; stroke: currentColor; stroke-opacity: .35; stroke-dasharray: 3 3 }
)";

void check_ranks(const Mapping& mapping, const Traffic& traffic, const Topology& machine) {
  if (mapping.ranks() < traffic.ranks())
    throw bad_input(fmt::format("the mapping has {} ranks, but the traffic {}", mapping.ranks(), traffic.ranks()));
  mapping.check(machine, std::numeric_limits<int>::max());
}

}  // namespace

std::string draw_machine(const Topology& machine, const Mapping& mapping) {
  mapping.check(machine, std::numeric_limits<int>::max());
  return machine.place_count() > kMostDrawnPlaces ? std::string() : machine_drawing(machine, mapping);
}

std::string draw_levels(const Traffic& traffic, const Topology& machine, const Mapping& before, const Mapping& after) {
  check_ranks(before, traffic, machine);
  check_ranks(after, traffic, machine);
  return level_bars(machine, level_traffic(traffic, machine, before), level_traffic(traffic, machine, after));
}

std::string_view drawing_style() {
  return kStyle;
}

}  // namespace topowise
