// SPDX-License-Identifier: BSD-3-Clause
// Counts of things in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace topowise {

/// "1 rank", "2 ranks"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace topowise
