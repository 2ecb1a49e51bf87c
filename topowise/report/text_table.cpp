// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/text_table.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

/// Wide letters (UAX #11: W and F) of the scripts of East Asia, and emoji, take two columns; accents that join the
/// letter in front of them take none.
std::size_t columns_of(char32_t point) {
  if ((point >= 0x300 && point <= 0x36f) || point == 0x200b) return 0;
  const bool is_wide = (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) ||
                       (point >= 0xac00 && point <= 0xd7a3) || (point >= 0xf900 && point <= 0xfaff) ||
                       (point >= 0xfe30 && point <= 0xfe6f) || (point >= 0xff00 && point <= 0xff60) ||
                       (point >= 0xffe0 && point <= 0xffe6) || (point >= 0x1f300 && point <= 0x1faff) ||
                       (point >= 0x20000 && point <= 0x3fffd);
  return is_wide ? 2 : 1;
}

/// Takes columns off the widest ones until a line has at most `most`.
void make_narrower(std::vector<std::size_t>& widths, std::size_t most) {
  constexpr std::size_t kLeast = 16;  // narrower columns cannot be read
  const auto total = [&] {
    std::size_t sum = 0;
    for (const std::size_t width : widths) sum += width > 0 ? width + 2 : 0;
    return sum;
  };
  while (total() > most) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kLeast) return;
    --*widest;
  }
}

/// A cell in lines of at most `width` columns, where its blanks allow that.
std::vector<std::string> broken(const std::string& cell, std::size_t width) {
  if (display_width(cell) <= width) return {cell};
  std::vector<std::string> lines;
  for (const std::string_view word : split_blanks(cell)) {
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(std::string(word)) > width)
      lines.emplace_back(word);
    else
      lines.back() += " " + std::string(word);
  }
  return lines;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(rest));
    width += length > 1 ? columns_of(utf8_code_point(rest.substr(0, length))) : 1;
    rest.remove_prefix(length);
  }
  return width;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.heading = printable(column.heading);
}

std::string Table::text(const std::string& begin_heading, const std::string& end_heading, std::size_t most) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] > 0) widths[c] = std::max(widths[c], display_width(columns_[c].heading));
  }
  if (most != kNoLimit) make_narrower(widths, most);
  const auto line = [&](auto cell) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string content = cell(c);
      const std::string padding(widths[c] - std::min(widths[c], display_width(content)), ' ');
      text += "  ";
      text += columns_[c].align == Align::right ? padding + content : content + padding;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  std::string result = begin_heading + line([&](std::size_t c) { return columns_[c].heading; }) + end_heading + "\n";
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> parts;
    std::size_t lines = 1;
    for (std::size_t c = 0; c < row.size(); ++c) {
      parts.push_back(broken(row[c], widths[c]));
      lines = std::max(lines, parts.back().size());
    }
    for (std::size_t l = 0; l < lines; ++l)
      result += line([&](std::size_t c) { return l < parts[c].size() ? parts[c][l] : std::string(); }) + "\n";
  }
  return result;
}

}  // namespace topowise
