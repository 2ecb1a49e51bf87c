// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

std::string summary(const std::vector<Diagnostic>& diagnostics) {
  return diagnostics.empty() ? std::string("unknown error") : diagnostics.front().what;
}

std::string location(const Diagnostic& diagnostic) {
  std::string text = diagnostic.where;
  if (diagnostic.position.line > 0) text += fmt::format(":{}", diagnostic.position.line);
  if (diagnostic.position.column > 0) text += fmt::format(":{}", diagnostic.position.column);
  return text.empty() ? text : text + ": ";
}

/// The line with its number, and a caret under the column. Long lines are cut around the column.
std::string quoted_line(const Diagnostic& diagnostic) {
  constexpr std::size_t kWidth = 96;
  const std::size_t column = diagnostic.position.column > 0 ? diagnostic.position.column - 1 : 0;
  const std::size_t begin = column > kWidth / 2 ? column - kWidth / 2 : 0;
  const std::string_view line =
      std::string_view(diagnostic.source_line).substr(std::min(begin, diagnostic.source_line.size()), kWidth);
  std::string text = fmt::format("\n{:>5} | {}", diagnostic.position.line, printable(line));
  if (diagnostic.position.column == 0) return text;
  const std::size_t ahead = column - begin;
  const std::string before = printable(line.substr(0, ahead));
  const auto continued = static_cast<std::size_t>(std::ranges::count_if(before, continues_utf8));
  const std::size_t beyond = ahead - std::min(ahead, line.size());
  return text + fmt::format("\n      | {:>{}}", '^', before.size() - continued + beyond + 1);
}

}  // namespace

std::string Diagnostic::render(std::string_view severity) const {
  // All of these parts may quote what was read from outside, so they are made printable.
  std::string text = fmt::format("{}: {}", severity, printable(location(*this) + what));
  if (!source_line.empty() && position.line > 0) text += quoted_line(*this);
  if (!hint.empty()) text += "\nhint: " + printable(hint);
  return text;
}

Error::Error(ExitStatus status, std::string what, std::string hint)
    : std::runtime_error(what),
      status_(status),
      diagnostics_{Diagnostic{{}, {}, std::move(what), {}, std::move(hint)}} {}

Error::Error(ExitStatus status, std::vector<Diagnostic> diagnostics)
    : std::runtime_error(summary(diagnostics)), status_(status), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::throw_if_any() const {
  if (!found_.empty()) throw Error(ExitStatus::bad_input, found_);
}

Error bad_input(std::string what, std::string hint) {
  return {ExitStatus::bad_input, std::move(what), std::move(hint)};
}
Error usage_error(std::string what, std::string hint) {
  return {ExitStatus::usage, std::move(what), std::move(hint)};
}
Error not_available(std::string what, std::string hint) {
  return {ExitStatus::not_available, std::move(what), std::move(hint)};
}

}  // namespace topowise
