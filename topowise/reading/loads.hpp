// SPDX-License-Identifier: BSD-3-Clause
// The work of each rank, in whole numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// Reads a list, "4,1,8*2" (8*2: eight ranks of 2), or a file with one of these a line. `ranks`: how many they must be
/// for. Throws Error(usage), which begins with the option's name, for a list, and Error(bad_input) for a file.
[[nodiscard]] std::vector<int> read_loads(std::string_view option, const std::string& given,
                                          std::optional<std::size_t> ranks = {});

}  // namespace topowise
