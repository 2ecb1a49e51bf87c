// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/line_prefix.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// Only this much of a text is looked at, so that a head of the text and the whole of it have the same prefix.
constexpr std::size_t kWindow = std::size_t{32} << 10;

/// ">", or "node1:" if a blank or nothing follows it.
std::string_view prefix_of(std::string_view line) {
  if (line.starts_with('>')) return line.substr(0, 1);
  const std::size_t end = line.find(':');
  if (end == std::string_view::npos || end == 0) return {};
  const auto in_name = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; };
  const bool is_label = end + 1 == line.size() || is_blank(line[end + 1]);
  return is_label && std::ranges::all_of(line.substr(0, end), in_name) ? line.substr(0, end + 1) : std::string_view();
}

}  // namespace

std::string_view common_line_prefix(std::string_view text) {
  std::string_view rest = text.substr(0, kWindow);
  if (rest.size() < text.size()) rest = rest.substr(0, rest.rfind('\n') + 1);  // the last line may be cut
  std::string_view common;
  std::size_t lines = 0;
  while (!rest.empty()) {
    const std::string_view line = take_part(rest, '\n');
    if (trim(line).empty()) continue;
    const std::string_view prefix = prefix_of(line);
    if (prefix.empty() || (lines > 0 && prefix != common)) return {};
    common = prefix;
    ++lines;
  }
  return lines > 1 || common == ">" ? common : std::string_view();
}

std::string_view line_label(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  const std::string_view rest = line.substr(begin);
  if (rest.starts_with('>')) return {};
  if (!rest.starts_with('[')) {
    const std::size_t length = prefix_of(rest).size();
    return length > 0 ? line.substr(0, begin + length) : std::string_view();
  }
  const std::size_t bracket = rest.find(']');
  if (bracket == std::string_view::npos) return {};
  const std::size_t end = bracket + 1;
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    if (rest.substr(end).starts_with(stream)) return line.substr(0, begin + end + stream.size());
  }
  return end == rest.size() || is_blank(rest[end]) ? line.substr(0, begin + end) : std::string_view();
}

std::string without_line_prefix(std::string text) {
  const std::string prefix(common_line_prefix(text));
  if (prefix.empty()) return text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', begin));
    const auto line = std::span(text).subspan(begin, end - begin);
    if (std::string_view(line.data(), line.size()).starts_with(prefix)) {
      std::ranges::fill(line.first(prefix.size()), ' ');
      // YAML knows its mark "---" only at the begin of a line, so the mark is moved there.
      if (trim({line.data(), line.size()}) == "---") std::ranges::sort(line, std::ranges::greater());
    }
    begin = end + 1;
  }
  return text;
}

}  // namespace topowise
