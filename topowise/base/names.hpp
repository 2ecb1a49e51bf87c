// SPDX-License-Identifier: BSD-3-Clause
// The names in a table whose rows have one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace topowise {

/// `before`, then the names of the rows in their order.
template <class Rows>
[[nodiscard]] std::vector<std::string> names_of(const Rows& rows, std::vector<std::string> before = {}) {
  std::vector<std::string> names = std::move(before);
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace topowise
