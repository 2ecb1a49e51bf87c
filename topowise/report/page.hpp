// SPDX-License-Identifier: BSD-3-Clause
// One HTML page that needs no other file, no script and no network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// Writes a page. Escapes every text except drawings, which are finished SVG.
class Page {
 public:
  explicit Page(std::string_view title);

  void heading(std::string_view words);
  /// `style`: "soft" for what is said beside the point, "screen" for what is not printed.
  void paragraph(std::string_view words, std::string_view style = {});
  /// Lines that explain words of the drawing above them.
  void list(const std::vector<std::string>& lines);
  /// Colours that the drawings use, and what they mean: before and after.
  void legend(std::string_view before, std::string_view after);
  /// `style` is the class of the figure: "bars", "pair", "wires" and "small" are printed smaller.
  void drawing(std::string_view svg, std::string_view caption, std::string_view style = {});
  /// Two or more drawings side by side where the window is wide enough.
  void drawings(const std::vector<std::string>& svgs, std::string_view caption, std::string_view style = {});
  /// The first row is the heading; columns of numbers are aligned to the right.
  void table(const std::vector<std::vector<std::string>>& rows, std::string_view caption);
  /// Commands or the text of a file, as it is.
  void code(std::string_view lines);
  /// A click on `summary` unfolds what is added before end_fold(). What is folded is not printed; a fold of the class
  /// "each" is never printed.
  void begin_fold(std::string_view summary, bool open = false, std::string_view style = {});
  void end_fold();

  /// What is added before end_columns(), in two parts, is side by side where the window is wide enough.
  void begin_columns();
  void next_column();
  void end_columns();

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace topowise
