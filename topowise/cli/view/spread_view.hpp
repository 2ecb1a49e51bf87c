// SPDX-License-Identifier: BSD-3-Clause
// How far the groups of a job are spread: tables and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <topowise/cli/terminal.hpp>
#include <topowise/graph/group_spread.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::cli {

/// Rows of cells, the first one the heads: kind, groups, ranks, bytes, and a column for each kind of part.
[[nodiscard]] std::vector<std::vector<std::string>> spread_rows(std::span<const GroupSpread> spread);
/// The same before and after: "4.0 -> 1.0".
[[nodiscard]] std::vector<std::vector<std::string>> spread_rows(std::span<const GroupSpread> before,
                                                                std::span<const GroupSpread> after);
/// Writes the key "spread".
void write_spread(JsonWriter& writer, std::span<const GroupSpread> spread);

/// Such rows as a table, numbers to the right.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows, const Terminal& terminal);

/// One line for each kind of groups that the traffic knows: how many, of how many ranks, which share of their bytes.
[[nodiscard]] std::vector<std::vector<std::string>> group_rows(const Traffic& traffic);

}  // namespace topowise::cli
