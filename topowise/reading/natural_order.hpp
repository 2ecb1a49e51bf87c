// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include <topowise/base/text.hpp>

namespace topowise {

/// Orders names with numbers in them as people count: node2 before node10.
struct NaturalOrder {
  bool operator()(std::string_view a, std::string_view b) const {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
      if (is_digit(a[i]) && is_digit(b[j])) {
        const std::string_view x = number_at(a, i);
        const std::string_view y = number_at(b, j);
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
      } else if (a[i] != b[j]) {
        return a[i] < b[j];
      } else {
        ++i;
        ++j;
      }
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;  // equal except for leading zeros
  }

 private:
  /// The digits from `at` on, without leading zeros. `at` moves behind them.
  static std::string_view number_at(std::string_view text, std::size_t& at) {
    while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
  }
};

}  // namespace topowise
