// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/drawing.hpp>

#include <fmt/format.h>

#include <limits>

#include <topowise/predict/objective/level_traffic.hpp>
#include <topowise/report/level_bars.hpp>
#include <topowise/report/machine_drawing.hpp>

namespace topowise {
namespace {

constexpr std::string_view kStyle = R"(
.topowise { --ink: #222; --line: #bbb; --before: #c8553d; --after: #2a7f62; overflow-x: auto }
@media (prefers-color-scheme: dark) {
  .topowise { --ink: #ddd; --line: #555; --before: #e07a5f; --after: #57b894 }
}
.topowise svg { max-width: none }
.topowise svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
.topowise svg .small { font-size: 10px; opacity: .8 } .topowise svg .strong { font-weight: 600 }
.topowise .before { fill: var(--before) } .topowise .after { fill: var(--after) }
.topowise .frame { fill: none; stroke: var(--line) }
.topowise .place { fill: var(--after); fill-opacity: .18; stroke: var(--after) }
.topowise .free { fill: none; stroke: var(--line); stroke-dasharray: 3 3 }
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
