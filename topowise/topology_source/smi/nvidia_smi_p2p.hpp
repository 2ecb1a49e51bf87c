// SPDX-License-Identifier: BSD-3-Clause
// `nvidia-smi topo -p2p`: which GPUs can read each other's memory. It does not say how they are joined.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/topology_source/node/gpu_identities.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

/// What such a table states of pairs of its GPUs, which are numbered in its order.
struct PeerReport {
  std::size_t gpus = 0;
  std::set<std::pair<std::size_t, std::size_t>> refused;  ///< smaller number first
  std::vector<std::string> warnings;  ///< a line for the refused pairs, and one for those of which nothing is known
  std::string assumption;             ///< what a use of the table rests on; empty if it refuses nothing
};
/// `text` around the table may show the command that printed it. A table of another capability than reading ("-p2p n",
/// NVLink) refuses nothing.
[[nodiscard]] PeerReport read_peers(const std::string& where, std::string_view text, const SmiTable& table);

/// Reads such a table; nothing if the text is none.
[[nodiscard]] std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text);

}  // namespace topowise
