// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/markup.hpp>

#include <array>
#include <iterator>

#include <fmt/format.h>

#include <topowise/base/text.hpp>

namespace topowise {

namespace {

/// A wide drawing shrinks with its window, but not below this share of its size, so that words stay readable. Below
/// that it scrolls.
constexpr double kSmallestScale = 0.7;

std::string without_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  return without_markup(printable(text));
}

std::string escaped_lines(std::string_view text) {
  return without_markup(printable_lines(text));
}

Svg::Svg(double width, double height, std::string_view role)
    : out_(fmt::format("<svg role=\"img\" aria-label=\"{0}\" width=\"{1:.0f}\" height=\"{2:.0f}\" "
                       "viewBox=\"0 0 {1:.0f} {2:.0f}\" style=\"min-width:{3:.0f}px\">\n",
                       escaped(role), width, height, width * kSmallestScale)) {}

void Svg::rect(double x, double y, double width, double height, std::string_view style, double opacity,
               std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_),
                 "<rect class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\"", style, x, y, width,
                 height);
  if (opacity < 1) fmt::format_to(std::back_inserter(out_), " fill-opacity=\"{:.3g}\"", opacity);
  if (tooltip.empty()) {
    out_ += "/>\n";
  } else {
    fmt::format_to(std::back_inserter(out_), "><title>{}</title></rect>\n", escaped(tooltip));
  }
}

void Svg::path(std::string_view way, double width, std::string_view style, double opacity, std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_),
                 "<path class=\"{}\" d=\"{}\" stroke-width=\"{:.3g}\" stroke-opacity=\"{:.3g}\">", style, way, width,
                 opacity);
  if (!tooltip.empty()) fmt::format_to(std::back_inserter(out_), "<title>{}</title>", escaped(tooltip));
  out_ += "</path>\n";
}

void Svg::text(double x, double y, std::string_view words, Anchor anchor, std::string_view style) {
  constexpr std::array<std::string_view, 3> kAnchors{"start", "middle", "end"};
  fmt::format_to(std::back_inserter(out_),
                 "<text class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"{}\">{}</text>\n", style, x, y,
                 kAnchors[static_cast<std::size_t>(anchor)], escaped(words));
}

std::string Svg::finish() && {
  return std::move(out_) + "</svg>\n";
}

}  // namespace topowise
