// SPDX-License-Identifier: BSD-3-Clause
// One function for each file of this folder: it gives the machines that the file knows.
#pragma once

#include <span>

#include <topowise/topology_source/synthetic/presets/preset_entry.hpp>

namespace topowise::preset_group {

[[nodiscard]] std::span<const Preset> pcie_trees();
[[nodiscard]] std::span<const Preset> pcie_servers();
[[nodiscard]] std::span<const Preset> cube_meshes();
[[nodiscard]] std::span<const Preset> nvlink_groups();
[[nodiscard]] std::span<const Preset> nvswitch_nodes();
[[nodiscard]] std::span<const Preset> blackwell();
[[nodiscard]] std::span<const Preset> instinct_nodes();
[[nodiscard]] std::span<const Preset> max_series_nodes();
[[nodiscard]] std::span<const Preset> other_vendors();
[[nodiscard]] std::span<const Preset> paper_clusters();
[[nodiscard]] std::span<const Preset> networks();

}  // namespace topowise::preset_group
