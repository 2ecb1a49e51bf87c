// SPDX-License-Identifier: BSD-3-Clause
// As much of YAML as configuration files need: block maps and lists by indentation, plain and quoted scalars, flow
// lists of scalars, comments.
#pragma once

#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>

namespace topowise {

/// One value: a scalar, a list of items, or a map, whose items have keys. Views into the text.
struct YamlValue {
  std::size_t line = 0;
  std::string_view scalar;
  std::vector<YamlValue> items;
  std::vector<std::string_view> keys;  ///< of a map: one for each item

  /// The value of a key, or nullptr.
  [[nodiscard]] const YamlValue* find(std::string_view key) const;
  /// The scalar of a key, or "".
  [[nodiscard]] std::string_view scalar_of(std::string_view key) const;
};

/// Throws Error(bad_input) that points at the first line that is not of this subset.
[[nodiscard]] YamlValue parse_yaml(const TextLines& lines);

}  // namespace topowise
