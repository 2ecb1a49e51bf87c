// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A mapping as text that a launcher reads: rankfile, hostfile, Slurm map, environment.
///
/// @code
/// std::ofstream("rankfile") << topowise::launcher_text(best.mapping, machine, "openmpi-rankfile");
/// @endcode
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>

namespace topowise {

/// The text that `launcher`, one of launcher_names(), reads.
/// @throws Error usage for an unknown name; bad_input for a mapping that does not fit the machine, or that the launcher
///   cannot express.
[[nodiscard]] std::string launcher_text(const Mapping& mapping, const Topology& machine, std::string_view launcher);

/// "openmpi-rankfile", "slurm-gpu-map" and so on, sorted.
[[nodiscard]] std::vector<std::string> launcher_names();

}  // namespace topowise
