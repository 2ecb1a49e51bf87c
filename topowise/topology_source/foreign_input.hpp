// SPDX-License-Identifier: BSD-3-Clause
// Files that are often taken for a description of a machine and are none: named, with the way to a right one.
#pragma once

#include <optional>
#include <string_view>

namespace topowise {

struct ForeignInput {
  std::string_view what;  ///< "a log of NCCL"
  std::string_view hint;
};

/// What the beginning of a text shows it to be; nothing if it is no known wrong input.
[[nodiscard]] std::optional<ForeignInput> foreign_input(std::string_view head);

}  // namespace topowise
