// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/text_lines.hpp>

#include <fmt/format.h>

#include <utility>

namespace topowise {

TextLines::TextLines(std::string where, std::string_view text, std::size_t longest)
    : where_(std::move(where)), text_(text) {
  for (std::size_t begin = 0; begin < text.size(); ++size_) {
    if (size_ % kStep == 0) begins_.push_back(begin);
    const std::size_t end = begin + length(text.substr(begin));
    if (end - begin > longest)
      throw Error(ExitStatus::bad_input,
                  {{where_, {size_ + 1, 0}, fmt::format("a line of more than {} bytes", longest), {}, {}}});
    begin = end;
  }
}

std::size_t TextLines::length(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::string_view TextLines::operator[](std::size_t index) const {
  if (index >= size_) return {};
  if (index < last_ || index - last_ > index % kStep) {
    last_ = index - index % kStep;
    last_begin_ = begins_[index / kStep];
  }
  for (; last_ < index; ++last_) last_begin_ += length(text_.substr(last_begin_));
  std::string_view line = text_.substr(last_begin_, length(text_.substr(last_begin_)));
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Diagnostic TextLines::at(std::size_t index, std::string_view cell, std::string what, std::string hint) const {
  Diagnostic diagnostic{where_, {index + 1, 0}, std::move(what), {}, std::move(hint)};
  if (index < size_) {
    const std::string_view line = (*this)[index];
    diagnostic.source_line = std::string(line.substr(0, 4096));
    const auto offset = cell.data() - line.data();
    if (!cell.empty() && offset >= 0 && static_cast<std::size_t>(offset) < line.size())
      diagnostic.position.column = static_cast<std::size_t>(offset) + 1;
  }
  return diagnostic;
}

}  // namespace topowise
