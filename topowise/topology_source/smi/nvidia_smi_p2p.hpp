// SPDX-License-Identifier: BSD-3-Clause
// `nvidia-smi topo -p2p`: which GPUs can read each other's memory, and nothing of how they are joined.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/topology_source/node/gpu_identities.hpp>

namespace topowise {

/// Nothing if the text is no such table. Pairs that cannot reach each other are one warning.
[[nodiscard]] std::optional<GpuIdentities> read_smi_p2p(const std::string& where, std::string_view text);

}  // namespace topowise
