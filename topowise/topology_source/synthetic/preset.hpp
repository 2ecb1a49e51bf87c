// SPDX-License-Identifier: BSD-3-Clause
// Well-known machines by name: `preset:dgx1-v100`. The source of each number is beside it, in presets/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/synthetic/presets/preset_entry.hpp>

namespace topowise {

/// All presets, sorted by name.
[[nodiscard]] std::span<const Preset> presets();
/// Networks of large machines, whose places are whole compute nodes, in a table of their own: they have up to 158,976.
[[nodiscard]] std::span<const Preset> network_presets();
/// Both, sorted by name.
[[nodiscard]] std::vector<Preset> all_presets();

/// The machine of that name. Throws Error(bad_input) with a suggestion for an unknown name.
[[nodiscard]] Topology read_preset(std::string_view name);

}  // namespace topowise
