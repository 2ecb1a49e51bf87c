// SPDX-License-Identifier: BSD-3-Clause
// `nvidia-smi topo -p2p`: which GPUs can read each other's memory. It does not tell how they are joined.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/topology_source/node/gpu_identities.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

[[nodiscard]] std::size_t gpus_in(const SmiTable& table);
/// What such a table tells: a line for the pairs that cannot reach each other, and one for those of which the driver
/// does not know.
[[nodiscard]] std::vector<std::string> peer_warnings(const std::string& where, const SmiTable& table);

/// Reads such a table; nothing if the text is none. Pairs that cannot reach each other make one warning.
[[nodiscard]] std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text);

}  // namespace topowise
