// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/page.hpp>

#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #bbb; --before: #c8553d; --after: #2a7f62; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #181a1b; --line: #555; --before: #e07a5f; --after: #57b894; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
figure { margin: 1em 0; overflow-x: auto } figcaption { font-size: .9em; opacity: .8 }
.row { display: flex; flex-wrap: wrap; gap: 2em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2em .9em .2em 0; border-bottom: 1px solid var(--line) } .number { text-align: right }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg .small { font-size: 10px; opacity: .8 }
svg .strong { font-weight: 600 }
.before { fill: var(--before) } .after { fill: var(--after) }
.frame { fill: none; stroke: var(--line) } .place { fill: var(--after); fill-opacity: .18; stroke: var(--after) }
.free { fill: none; stroke: var(--line); stroke-dasharray: 3 3 }
)";

bool is_number(std::string_view cell) {
  return !cell.empty() && (is_digit(cell.front()) || (cell.front() == '-' && cell.size() > 1 && is_digit(cell[1])));
}

std::string row_of(const std::vector<std::string>& cells, const std::vector<std::string>& numbers,
                   std::string_view tag) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool right = i < numbers.size() && is_number(numbers[i]);
    row += fmt::format("<{0}{1}>{2}</{0}>", tag, right ? " class=\"number\"" : "", escaped(cells[i]));
  }
  return row + "</tr>\n";
}

}  // namespace

Page::Page(std::string_view title)
    : out_(fmt::format(
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n"
          "</head>\n<body>\n<h1>{0}</h1>\n",
          escaped(title), kStyle)) {}

void Page::heading(std::string_view words) {
  out_ += fmt::format("<h2>{}</h2>\n", escaped(words));
}

void Page::paragraph(std::string_view words) {
  out_ += fmt::format("<p>{}</p>\n", escaped(words));
}

void Page::drawing(std::string_view svg, std::string_view caption) {
  out_ += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, escaped(caption));
}

void Page::drawings(const std::vector<std::string>& svgs, std::string_view caption) {
  std::string row = "<div class=\"row\">\n";
  for (const std::string& svg : svgs) row += svg;
  drawing(row + "</div>\n", caption);
}

void Page::table(const std::vector<std::vector<std::string>>& rows) {
  out_ += "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out_ += row_of(rows[i], rows[i == 0 ? rows.size() - 1 : i], i == 0 ? "th" : "td");
  out_ += "</table>\n";
}

std::string Page::finish() && {
  return std::move(out_) + "</body>\n</html>\n";
}

}  // namespace topowise
