// SPDX-License-Identifier: BSD-3-Clause
// Slurm's topology.yaml: a list of topologies. Only one of them is read.
#pragma once

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>

namespace topowise {

[[nodiscard]] bool looks_like_slurm_yaml(const TextLines& lines);

/// The topology with `cluster_default: true`, else the first one. Throws Error(bad_input).
[[nodiscard]] NetworkTree read_slurm_yaml(const TextLines& lines, Warnings& warnings);

}  // namespace topowise
