// SPDX-License-Identifier: BSD-3-Clause
// Recognises files that are often taken for a description of a machine but are none, and says how to get a right one.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/reading/foreign_input.hpp>

namespace topowise {

/// What a wrong input is, by the beginning of its text; nothing if it is no known wrong input.
[[nodiscard]] std::optional<ForeignInput> foreign_input(std::string_view head);

}  // namespace topowise
