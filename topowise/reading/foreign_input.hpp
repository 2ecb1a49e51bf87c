// SPDX-License-Identifier: BSD-3-Clause
// Files that are often given and are not read: what each is, and what to give instead. Every family of sources has a
// table of them.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace topowise {

struct ForeignInput {
  std::string_view what;  ///< "a log of NCCL"
  std::string_view hint;
};

/// One row of such a table.
struct ForeignMark {
  bool (*fits)(std::string_view head);  ///< looks at the first 64 KiB at most
  ForeignInput input;
};

/// What the first row says that fits; nothing if none does.
template <class Rows>
[[nodiscard]] std::optional<ForeignInput> foreign_input_of(const Rows& marks, std::string_view head) {
  const auto found = std::ranges::find_if(marks, [&](const ForeignMark& mark) { return mark.fits(head); });
  return found == std::ranges::end(marks) ? std::nullopt : std::optional(found->input);
}

}  // namespace topowise
