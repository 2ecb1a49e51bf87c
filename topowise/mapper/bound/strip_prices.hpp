// SPDX-License-Identifier: BSD-3-Clause
// How little a strip can be cut into groups of equally many cells, by prices of its columns.
#pragma once

#include <optional>
#include <vector>

#include <topowise/mapper/problem/strip.hpp>

namespace topowise {

/// The price of a cell, by column: whatever `strip.cells` cells form a group, the group keeps no more bytes among them
/// (counting one of the ranks of each cell) than they cost. The sum of all prices is as small as it can be. Nothing if
/// the strip is too large to look at.
[[nodiscard]] std::optional<std::vector<double>> strip_prices(const Strip& strip);

/// Bytes between ranks of different groups of a product of `ranks`, at least, if each group has exactly `group`; 0 if
/// no strip says.
[[nodiscard]] double strip_cut(const Product& product, std::size_t ranks, std::size_t group);

}  // namespace topowise
