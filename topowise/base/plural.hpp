// SPDX-License-Identifier: BSD-3-Clause
// Counts of things in sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace topowise {

/// "1 rank", "2 ranks"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// "rank 3", "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 5 more"
[[nodiscard]] std::string list_of_ranks(std::span<const std::size_t> ranks);

}  // namespace topowise
