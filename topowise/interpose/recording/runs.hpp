// SPDX-License-Identifier: BSD-3-Clause
// Member lists as they are recorded: arithmetic progressions, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {

/// Greedy: each run is as long as it can be. Members of another job (profile::kOutside) make runs of their own.
[[nodiscard]] std::vector<profile::Run> compress(std::span<const std::int32_t> ranks);

}  // namespace topowise::interpose
