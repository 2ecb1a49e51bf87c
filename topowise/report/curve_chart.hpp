// SPDX-License-Identifier: BSD-3-Clause
// Curves over the size of messages or another number, as figures of papers show them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace topowise {

struct CurvePoint {
  double x = 0;  ///< above 0, unless the axis is linear
  double y = 0;
  double low = 0, high = 0;  ///< spread; no mark if both are `y`
};

enum class CurveForm : unsigned char {
  marked_line,
  line,    ///< for many points
  points,  ///< without a line
  bars,    ///< from 0, as wide as the distance of the two nearest points; points on a logarithmic axis
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
  CurveForm form = CurveForm::marked_line;
};

/// One field with axes.
struct CurveChart {
  std::string title;
  std::string x_name;             ///< "message"
  bool x_is_bytes = true;         ///< true: the axis is written in KiB and MiB
  std::string y_name;             ///< with the unit: "improvement, %"
  bool y_is_logarithmic = false;  ///< true: values must be above 0
  std::vector<Curve> curves;
  bool x_is_linear = false;  ///< true: x may be any number
};

/// A size in the largest binary unit that divides it: "4 B", "16 KiB", "1000 B".
[[nodiscard]] std::string size_label(double bytes);

/// An SVG file that needs no other: charts side by side, `title` above, `note` below. Light and dark follow the
/// reader's preference; curves differ in colour, dash and mark, and their names are in a legend. At least one chart.
[[nodiscard]] std::string curve_figure(const std::string& title, const std::string& note,
                                       std::span<const CurveChart> charts);

}  // namespace topowise
