// SPDX-License-Identifier: BSD-3-Clause
// One HTML page that needs no other file and no network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topowise {

class Page {
 public:
  explicit Page(std::string_view title);

  void heading(std::string_view words);
  void paragraph(std::string_view words);
  /// What `escaped` must not touch: a finished drawing.
  void drawing(std::string_view svg, std::string_view caption);
  /// Two or more drawings side by side where the window is wide enough.
  void drawings(const std::vector<std::string>& svgs, std::string_view caption);
  /// The first row is the heading; numbers stand to the right.
  void table(const std::vector<std::vector<std::string>>& rows);

  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace topowise
