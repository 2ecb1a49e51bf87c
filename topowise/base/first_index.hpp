// SPDX-License-Identifier: BSD-3-Clause
// Binary search over numbers, for what is sorted but stands in no array.
#pragma once

#include <cstddef>

namespace topowise {

/// The first i of [begin, end) that is not before; `end` if all are. All i that are before come first.
template <class IsBefore>
[[nodiscard]] std::size_t first_index(std::size_t begin, std::size_t end, IsBefore is_before) {
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (is_before(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace topowise
