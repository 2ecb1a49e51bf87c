// SPDX-License-Identifier: BSD-3-Clause
// The words for the values of an enumeration: one table by which they are written, read and listed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// `words` are in the order of the values, which begin at 0.
template <class Enum, std::size_t N>
struct EnumNames {
  std::array<std::string_view, N> words;

  [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
    return words[static_cast<std::size_t>(value)];
  }
  /// Nothing for another word.
  [[nodiscard]] constexpr std::optional<Enum> parse(std::string_view text) const {
    const auto found = std::ranges::find(words, text);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Enum>(found - words.begin()));
  }
  /// All words, as the choices of an option.
  [[nodiscard]] std::vector<std::string> list() const { return {words.begin(), words.end()}; }
};

}  // namespace topowise
