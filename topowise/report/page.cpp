// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/page.hpp>

#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

// The style sheet of the page.

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2329; --soft: #55606b; --paper: #fff; --raised: #f5f7f9; --line: #cfd6dd; --before: #b84f00; --after: #0068a8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #a9b3bd; --paper: #14181c; --raised: #1e242a; --line: #3c4650; --before: #f0a03c; --after: #62b5f5; }
}
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1180px; margin: 0 auto; padding: 1.5em 1em 3em; overflow-wrap: break-word }
h1 { font-size: 1.7em; line-height: 1.2; margin: .2em 0 .4em } h2 { font-size: 1.2em; margin: 2em 0 .5em; padding-top: .6em; border-top: 1px solid var(--line) } p { max-width: 50em; margin: .5em 0 }
figure { margin: 1em 0 } figcaption, caption, .soft { font-size: .9em; color: var(--soft); text-align: left; max-width: 60em } caption { padding-bottom: .4em }
.worth { font-size: 1.15em; font-weight: 600 } .words { margin: .3em 0; padding: 0; list-style: none }
.columns { display: flex; flex-wrap: wrap; gap: 0 3em } .columns > section { flex: 1 1 28em; min-width: 0 }
.row { display: flex; flex-wrap: wrap; gap: 1em 2em } .row > * { flex: 0 1 auto; min-width: 0; max-width: 100% }
.scroll { overflow-x: auto; max-width: 100% } .scroll:focus-visible { outline: 2px solid var(--after) }
svg { max-width: 100%; height: auto; display: block }
table { border-collapse: collapse; margin: .8em 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .25em 1em .25em 0; border-bottom: 1px solid var(--line) } th { font-weight: 600 } .number { text-align: right } th, td:not(:last-child) { white-space: nowrap } td.number { white-space: nowrap } td:last-child { overflow-wrap: anywhere }
pre, code { font: 13px/1.45 ui-monospace, monospace } pre { background: var(--raised); padding: .6em .8em; margin: .4em 0 1em; overflow-x: auto; border-radius: 4px }
details { border: 1px solid var(--line); border-radius: 4px; margin: .4em 0; padding: .3em .8em } summary { cursor: pointer; padding: .15em 0 } details[open] > summary { margin-bottom: .5em }
.legend { display: flex; flex-wrap: wrap; gap: .2em 1.4em; margin: .4em 0; padding: 0; list-style: none; font-size: .9em }
.swatch { display: inline-block; width: 1.1em; height: .8em; margin-right: .4em; border: 1px solid var(--ink) } .swatch.before { background: var(--before) } .swatch.after { background: var(--after) }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg text.small { font-size: 10.5px; fill: var(--soft) } svg text.strong { font-weight: 600 }
.before { fill: var(--before) } .after { fill: var(--after) }
.frame { fill: none; stroke: var(--line) } .block { fill: none; stroke: var(--soft); stroke-width: .8 }
.place { fill: var(--raised); stroke: var(--after); stroke-width: 1.5 } .inner { fill: var(--paper); stroke: var(--soft) }
.free { fill: var(--paper); stroke: var(--soft); stroke-dasharray: 3 3 }
.side { display: none }
path { fill: none } path.before { fill: none; stroke: var(--before) } path.after { fill: none; stroke: var(--after) } path.idle { stroke: var(--line) }
@media screen and (max-width: 640px) {
  .broad { display: none } .side { display: block } body { padding: 1em .6em 2em } pre { white-space: pre-wrap; overflow-wrap: anywhere } table { font-size: .74em; line-height: 1.35 }
  th, td, td.number, th:not(:last-child), td:not(:last-child) { white-space: normal; overflow-wrap: break-word; padding-right: .6em } td:last-child { overflow-wrap: anywhere }
}
@media print {
  @page { size: A4; margin: 9mm 11mm }
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --raised: #f5f7f9; --line: #bbb; --before: #b84f00; --after: #0068a8 }
  body { font-size: 8.3pt; line-height: 1.27; padding: 0; max-width: none } h1 { font-size: 15pt } h2 { font-size: 11pt; margin: 1em 0 .3em; break-after: avoid }
  figure { margin: .4em 0 } figure .scroll { break-inside: avoid } tr { break-inside: avoid } th, td { padding: .08em .7em .08em 0 }
  .row { gap: .3em 1em } .pair .row { flex-wrap: nowrap } .scroll { overflow: visible } .pair svg { width: 64mm } .bars svg { width: 84mm; max-height: 60mm } .wires svg { max-height: 52mm } .places svg { max-height: 84mm } .small .row { flex-wrap: nowrap } .small .scroll { flex: 1 1 0 } table { margin: .3em 0; font-size: 7.5pt; line-height: 1.2 } pre { margin: .2em 0 .4em; padding: .2em .4em; white-space: pre-wrap; font-size: 7.5pt }
  svg { min-width: 0 !important; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .columns { flex-wrap: nowrap; gap: 2em } .columns > section { flex: 1 1 0 } .columns h2 { margin-top: .4em }
  details { border: 0; padding: 0; margin: 0 } details:not([open]), .each, .screen { display: none } details[open] > summary { margin: 0 } .swatch { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
)";

/// CSS for light, dark and paper. Before is orange, after is blue: two colours that can be distinguished in all common
/// forms of colour blindness (Okabe and Ito, Color Universal Design, 2008). Drawings also say in words which is which.
std::string_view page_style() {
  return kStyle;
}

using Rows = std::vector<std::vector<std::string>>;

/// True for "12", "-3.5 %", "+1 B", but not for a PCI bus id or a date.
bool is_number(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return !cell.empty() && is_digit(cell.front()) && cell.find(':') == std::string_view::npos;
}

/// Whether all cells below the heading are numbers or empty.
bool is_column_of_numbers(const Rows& rows, std::size_t column) {
  bool found = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (column >= rows[i].size() || rows[i][column].empty()) continue;
    if (!is_number(rows[i][column])) return false;
    found = true;
  }
  return found;
}

std::string row_of(const Rows& rows, std::size_t i) {
  std::string row = "<tr>";
  const std::string_view tag = i == 0 ? "th" : "td";
  for (std::size_t c = 0; c < rows[i].size(); ++c) {
    row += fmt::format("<{0}{1}{2}>{3}</{0}>", tag, i == 0 ? " scope=\"col\"" : "",
                       is_column_of_numbers(rows, c) ? " class=\"number\"" : "", escaped(rows[i][c]));
  }
  return row + "</tr>\n";
}

}  // namespace

Page::Page(std::string_view title)
    : out_(fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" "
                       "/>\n<title>{0}</title>\n<style>{1}</style>\n"
                       "</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
                       escaped(title), page_style())) {}

void Page::heading(std::string_view words) {
  out_ += fmt::format("<h2>{}</h2>\n", escaped(words));
}

void Page::paragraph(std::string_view words, std::string_view style) {
  out_ += fmt::format("<p{}>{}</p>\n", style.empty() ? "" : fmt::format(" class=\"{}\"", style), escaped(words));
}

void Page::list(const std::vector<std::string>& lines) {
  out_ += "<ul class=\"words soft\">\n";
  for (const std::string& line : lines) out_ += fmt::format("<li>{}</li>\n", escaped(line));
  out_ += "</ul>\n";
}

void Page::legend(std::string_view before, std::string_view after) {
  out_ += fmt::format(
      "<ul class=\"legend\"><li><span class=\"swatch before\"></span>{}</li>"
      "<li><span class=\"swatch after\"></span>{}</li></ul>\n",
      escaped(before), escaped(after));
}

void Page::drawing(std::string_view svg, std::string_view caption, std::string_view style) {
  drawings({std::string(svg)}, caption, style);
}

void Page::drawings(const std::vector<std::string>& svgs, std::string_view caption, std::string_view style) {
  out_ += fmt::format("<figure class=\"{}\">\n<div class=\"row\">\n", style);
  // A drawing that is too wide scrolls, with the keyboard as well.
  for (const std::string& svg : svgs) out_ += fmt::format("<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n", svg);
  out_ += fmt::format("</div>\n<figcaption>{}</figcaption>\n</figure>\n", escaped(caption));
}

void Page::table(const Rows& rows, std::string_view caption) {
  out_ += fmt::format("<div class=\"scroll\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n", escaped(caption));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < 2) out_ += i == 0 ? "<thead>\n" : "</thead>\n<tbody>\n";
    out_ += row_of(rows, i);
  }
  out_ += rows.size() > 1 ? "</tbody>\n</table>\n</div>\n" : "</thead>\n</table>\n</div>\n";
}

void Page::code(std::string_view lines) {
  out_ += fmt::format("<pre tabindex=\"0\">{}</pre>\n", escaped_lines(lines));
}

void Page::begin_fold(std::string_view summary, bool open, std::string_view style) {
  out_ +=
      fmt::format("<details{}{}>\n<summary>{}</summary>\n", style.empty() ? "" : fmt::format(" class=\"{}\"", style),
                  open ? " open=\"open\"" : "", escaped(summary));
}

void Page::end_fold() {
  out_ += "</details>\n";
}

void Page::begin_columns() {
  out_ += "<div class=\"columns\">\n<section>\n";
}

void Page::next_column() {
  out_ += "</section>\n<section>\n";
}

void Page::end_columns() {
  out_ += "</section>\n</div>\n";
}

std::string Page::finish() && {
  return std::move(out_) + "</main>\n</body>\n</html>\n";
}

}  // namespace topowise
