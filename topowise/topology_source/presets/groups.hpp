// SPDX-License-Identifier: BSD-3-Clause
// One function per file of this folder: the machines that it knows.
#pragma once

#include <span>

#include <topowise/topology_source/preset.hpp>

namespace topowise::preset_group {

[[nodiscard]] std::span<const Preset> pcie_trees();
[[nodiscard]] std::span<const Preset> cube_meshes();

}  // namespace topowise::preset_group
