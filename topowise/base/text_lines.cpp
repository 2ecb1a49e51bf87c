// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/text_lines.hpp>

#include <algorithm>
#include <utility>

namespace topowise {

TextLines::TextLines(std::string where, std::string_view text) : where_(std::move(where)) {
  lines_.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);  // growing would take as much again
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    begin = end + 1;
  }
}

Diagnostic TextLines::at(std::size_t index, std::string_view cell, std::string what, std::string hint) const {
  Diagnostic diagnostic{where_, {index + 1, 0}, std::move(what), {}, std::move(hint)};
  if (index < lines_.size()) {
    const std::string_view line = lines_[index];
    diagnostic.source_line = std::string(line.substr(0, 4096));
    const auto offset = cell.data() - line.data();
    if (!cell.empty() && offset >= 0 && static_cast<std::size_t>(offset) < line.size())
      diagnostic.position.column = static_cast<std::size_t>(offset) + 1;
  }
  return diagnostic;
}

}  // namespace topowise
