// SPDX-License-Identifier: BSD-3-Clause
// Binary search over numbers, for sorted values that are computed and are in no array.
#pragma once

#include <cstddef>

namespace topowise {

/// The first i of [begin, end) for which `is_before` is false; `end` if there is none. All i for which it is true must
/// come first.
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
