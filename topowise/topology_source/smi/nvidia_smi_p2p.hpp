// SPDX-License-Identifier: BSD-3-Clause
// `nvidia-smi topo -p2p`: which GPUs can read each other's memory. It does not tell how they are joined.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/topology_source/node/gpu_identities.hpp>

namespace topowise {

/// Reads such a table; nothing if the text is none. Pairs that cannot reach each other make one warning.
[[nodiscard]] std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text);

}  // namespace topowise
