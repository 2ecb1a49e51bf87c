// SPDX-License-Identifier: BSD-3-Clause
// A YAML text whose values know their place in it. Only the .cpp sees the YAML library.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>

namespace topowise {

/// One value: a scalar, a list of items, or a map of items with keys.
struct YamlValue {
  std::size_t line = 0;     ///< from 0
  std::string_view scalar;  ///< a view into that line, unless the text writes the scalar with escapes or folds
  std::vector<YamlValue> items;
  std::vector<std::string_view> keys;  ///< the keys of a map, one for each item

  /// The value of a key, or nullptr.
  [[nodiscard]] const YamlValue* find(std::string_view key) const;
  /// The scalar of a key, or "".
  [[nodiscard]] std::string_view scalar_of(std::string_view key) const;
};

class LocatedYaml {
 public:
  /// A text that is nested deeper than this, which no description of a machine is, is refused, so that readers may
  /// recurse.
  static constexpr std::size_t kDeepest = 32;
  /// Most bytes of a text. The library looks far ahead, and an open bracket costs it some hundred bytes. All names that
  /// a host list may stand for are shorter than this.
  static constexpr std::size_t kLargest = std::size_t{4} << 20;

  /// `lines` and their text must outlive it. Throws Error(bad_input) at the place where the text is not YAML, is nested
  /// too deeply, is too large, or uses an alias: a few aliases may stand for more than fits into memory.
  explicit LocatedYaml(const TextLines& lines);

  [[nodiscard]] const YamlValue& root() const { return root_; }

 private:
  YamlValue root_;
  std::deque<std::string> rewritten_;  ///< scalars that the text does not hold letter by letter
};

}  // namespace topowise
