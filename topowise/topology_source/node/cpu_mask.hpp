// SPDX-License-Identifier: BSD-3-Clause
// Sets of processors as XML files write them: 32-bit words in hexadecimal, the highest first.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace topowise {

/// Most processors or memory nodes that a set may name.
inline constexpr std::size_t kLargestCpu = 1 << 16;

/// The sorted numbers in "00000000,00ffffff" (NCCL) or "0x00ffffff,,0x0000ffff" (hwloc; an empty word is 0). Nothing if
/// the text is not a mask, names more than kLargestCpu, or is hwloc's "0xf...f" (everything).
[[nodiscard]] std::optional<std::vector<std::size_t>> parse_mask(std::string_view text);

}  // namespace topowise
