// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/page.hpp>

#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>
#include <topowise/report/style.hpp>

namespace topowise {
namespace {

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
