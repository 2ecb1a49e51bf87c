// SPDX-License-Identifier: BSD-3-Clause
// Pieces of HTML and SVG. Colours are classes of the page's style sheet, so that they follow light and dark.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// Text as it may be between tags and in quoted attributes; control bytes and broken UTF-8 replaced by '?'.
[[nodiscard]] std::string escaped(std::string_view text);

/// Like escaped(), for a text of several lines, whose line ends and TABs stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// A drawing; lengths in pixels, y downwards.
class Svg {
 public:
  enum class Anchor : unsigned char { start, middle, end };

  /// Screen readers read `role` to users who do not see the drawing.
  Svg(double width, double height, std::string_view role);

  /// `tooltip` shows under the pointer.
  void rect(double x, double y, double width, double height, std::string_view style, double opacity = 1,
            std::string_view tooltip = {});
  /// A stroke along `way` (SVG path commands), `width` pixels thick.
  void path(std::string_view way, double width, std::string_view style, double opacity = 1,
            std::string_view tooltip = {});
  void text(double x, double y, std::string_view words, Anchor anchor = Anchor::start, std::string_view style = {});

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace topowise
