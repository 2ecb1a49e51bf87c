// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/block_lines.hpp>

#include <fmt/format.h>

#include <utility>

namespace topowise {
namespace {

constexpr std::size_t kShown = 4096;  ///< longer lines are not shown with an error

}  // namespace

bool BlockLines::next() {
  ++number_;
  kept_.clear();
  bool ended = false;
  while (!ended) {
    if (block_.empty()) block_ = input_.next();
    if (block_.empty()) {
      line_ = kept_;
      if (!kept_.empty()) break;
      --number_;
      return false;
    }
    const std::size_t end = block_.find('\n');
    ended = end != std::string_view::npos;
    line_ = block_.substr(0, end);
    if (line_.size() > longest_ - kept_.size()) {
      line_ = {};
      fail({}, fmt::format("a line of more than {} bytes", longest_));
    }
    block_.remove_prefix(ended ? end + 1 : block_.size());
    if (ended && kept_.empty()) break;
    kept_ += line_;
    line_ = kept_;
  }
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

Diagnostic BlockLines::at(std::string_view cell, std::string what, std::string hint) const {
  const std::size_t column = cell.empty() ? 0 : static_cast<std::size_t>(cell.data() - line_.data()) + 1;
  return {input_.where(),
          {number_, column},
          std::move(what),
          line_.size() <= kShown ? std::string(line_) : std::string(),
          std::move(hint)};
}

void BlockLines::fail(std::string_view cell, std::string what, std::string hint) const {
  throw Error(ExitStatus::bad_input, {at(cell, std::move(what), std::move(hint))});
}

}  // namespace topowise
