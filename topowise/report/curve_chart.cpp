// SPDX-License-Identifier: BSD-3-Clause
// The horizontal axis is logarithmic where sizes of messages grow by factors; the vertical one is linear as a rule and
// contains 0, because what is shown are gains, which may be losses.
#include <topowise/report/curve_chart.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr double kFieldWidth = 380, kFieldHeight = 220;
constexpr double kLeft = 62, kTop = 44, kBottom = 34, kGap = 24;
constexpr double kChartWidth = kLeft + kFieldWidth + kGap;
constexpr double kHead = 44, kFoot = 34;
constexpr double kSwatch = 24, kLetter = 6.4, kSmallLetter = 5.8, kBetween = 18, kLegendLine = 15;
constexpr std::size_t kChartsInARow = 2;
constexpr std::size_t kStyles = 6;

// Colours by Okabe and Ito, "Color Universal Design" (2008): they can be distinguished in all common forms of colour
// blindness.
constexpr std::string_view kStyle = R"(
  svg { color-scheme: light dark; --ink: #1d2329; --soft: #55606b; --paper: #fff; --line: #cfd6dd; --c0: #b84f00; --c1: #0068a8; --c2: #007a5a; --c3: #a0407a; --c4: #7a6a00; --c5: #1d2329 }
  @media (prefers-color-scheme: dark) { svg { --ink: #e4e8ec; --soft: #a9b3bd; --paper: #14181c; --line: #3c4650; --c0: #f0a03c; --c1: #62b5f5; --c2: #3fc79a; --c3: #e08cc0; --c4: #d8c64a; --c5: #e4e8ec } }
  text { fill: var(--ink); font: 12px system-ui, sans-serif } text.small { font-size: 10.5px; fill: var(--soft) } text.strong { font-weight: 600 } text.title { font-size: 15px; font-weight: 600 }
  .paper { fill: var(--paper) } path { fill: none } path.axis { stroke: var(--soft) } path.grid { stroke: var(--line) }
  .c0 { stroke: var(--c0) } .c1 { stroke: var(--c1); stroke-dasharray: 7 3 } .c2 { stroke: var(--c2); stroke-dasharray: 2 3 } .c3 { stroke: var(--c3); stroke-dasharray: 8 3 2 3 } .c4 { stroke: var(--c4); stroke-dasharray: 12 4 } .c5 { stroke: var(--c5); stroke-dasharray: 4 2 }
  .mark { stroke-dasharray: none }
  .b0 { fill: var(--c0) } .b1 { fill: var(--c1) } .b2 { fill: var(--c2) } .b3 { fill: var(--c3) } .b4 { fill: var(--c4) } .b5 { fill: var(--c5) }
)";

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// A step of 1, 2 or 5 times a power of ten that divides the span into six parts at most.
double step_of(const Span& span) {
  constexpr double kMostSteps = 6;
  const double least = (span.high - span.low) / kMostSteps;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

/// The places of the legend's entries, relative to its upper left corner.
std::vector<std::pair<double, double>> legend_places(const CurveChart& chart) {
  std::vector<std::pair<double, double>> places;
  double x = 0;
  double y = 0;
  for (const Curve& curve : chart.curves) {
    const double width = kSwatch + 6 + kLetter * static_cast<double>(curve.name.size()) + kBetween;
    if (x > 0 && x + width > kFieldWidth + kBetween) {
      x = 0;
      y += kLegendLine;
    }
    places.emplace_back(x, y);
    x += width;
  }
  return places;
}

double height_of(const CurveChart& chart) {
  const auto legend = legend_places(chart);
  return kTop + kFieldHeight + kBottom + (legend.empty() ? 0 : legend.back().second + kLegendLine);
}

class Field {
 public:
  Field(const CurveChart& chart, double x, double y, Svg& svg)
      : chart_(chart), left_(x + kLeft), top_(y + kTop), svg_(svg) {
    for (const Curve& curve : chart.curves) {
      const double half = form_of(curve) == CurveForm::bars ? width_of_bar(curve) / 2 : 0;
      for (const CurvePoint& point : curve.points) {
        if (!is_shown(point)) continue;
        across_.take(along_axis(point.x - half));
        across_.take(along_axis(point.x + half));
        for (const double value : {point.y, point.low, point.high}) up_.take(drawn(value));
      }
    }
    if (!chart.y_is_logarithmic || !(up_.high >= up_.low)) up_.take(0);
    if (up_.high <= up_.low) up_.high = up_.low + 1;
    if (!(across_.high >= across_.low)) across_ = {0, 1};
    if (across_.high <= across_.low) across_.high = across_.low + 1;
    step_ = chart.y_is_logarithmic ? std::max(1.0, step_of(up_)) : step_of(up_);
    up_.low = std::floor(up_.low / step_ + 1e-9) * step_;
    up_.high = std::ceil(up_.high / step_ - 1e-9) * step_;
  }

  void draw() {
    svg_.text(left_, top_ - 26, chart_.title, Svg::Anchor::start, "strong");
    svg_.text(left_, top_ - 10, fmt::format("{} over {}", chart_.y_name, chart_.x_name), Svg::Anchor::start, "small");
    axes();
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) curve(chart_.curves[i], i % kStyles);
    legend();
  }

 private:
  [[nodiscard]] bool is_shown(const CurvePoint& point) const {
    return std::isfinite(point.x) && (chart_.x_is_linear || point.x > 0);
  }
  [[nodiscard]] double along_axis(double x) const { return chart_.x_is_linear ? x : std::log2(x); }
  [[nodiscard]] double at_x(double x) const {
    return left_ + kFieldWidth * (along_axis(x) - across_.low) / (across_.high - across_.low);
  }
  [[nodiscard]] CurveForm form_of(const Curve& curve) const {
    const bool can_stand = chart_.x_is_linear && !chart_.y_is_logarithmic;
    return curve.form == CurveForm::bars && !can_stand ? CurveForm::points : curve.form;
  }
  static double width_of_bar(const Curve& curve) {
    double width = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < curve.points.size(); ++i)
      width = std::min(width, std::abs(curve.points[i].x - curve.points[i - 1].x));
    return std::isfinite(width) && width > 0 ? width : 1;
  }
  /// The place of `y`, which is given as it is drawn: the value itself or its logarithm.
  [[nodiscard]] double at_y(double y) const { return top_ + kFieldHeight * (up_.high - y) / (up_.high - up_.low); }
  [[nodiscard]] double drawn(double y) const { return chart_.y_is_logarithmic ? std::log10(y) : y; }
  [[nodiscard]] std::string y_label(double y) const {
    constexpr double kPlain = 4;  // beyond it powers are easier to read
    if (!chart_.y_is_logarithmic) return fmt::format("{:.4g}", y);
    return y < kPlain ? fmt::format("{:.4g}", std::pow(10.0, y)) : fmt::format("1e{:.4g}", y);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    svg_.path(fmt::format("M{:.5g} {:.5g}L{:.5g} {:.5g}", x1, y1, x2, y2), 1, style);
  }

  void axes() {
    const auto steps = static_cast<int>(std::lround((up_.high - up_.low) / step_));
    for (int i = 0; i <= steps; ++i) {
      const double value = up_.low + step_ * i;
      const bool is_zero = std::abs(value) < step_ / 2;
      line(left_, at_y(value), left_ + kFieldWidth, at_y(value), is_zero ? "axis" : "grid");
      svg_.text(left_ - 6, at_y(value) + 4, y_label(is_zero ? 0.0 : value), Svg::Anchor::end, "small");
    }
    constexpr double kMostLabels = 7;
    const double every =
        chart_.x_is_linear ? step_of(across_) : std::max(1.0, std::ceil((across_.high - across_.low) / kMostLabels));
    const double first =
        chart_.x_is_linear ? std::ceil(across_.low / every - 1e-9) * every : std::ceil(across_.low - 1e-9);
    for (int i = 0; first + i * every <= across_.high + 1e-9 * every; ++i) {
      const double value = first + i * every;
      const double x = chart_.x_is_linear ? (std::abs(value) < every / 2 ? 0.0 : value) : std::exp2(value);
      line(at_x(x), top_ + kFieldHeight, at_x(x), top_ + kFieldHeight + 4, "axis");
      svg_.text(at_x(x), top_ + kFieldHeight + 16, x_label(x), Svg::Anchor::middle, "small");
    }
  }

  void curve(const Curve& curve, std::size_t style) {
    std::string way;
    const std::string name = fmt::format("c{}", style);
    for (const CurvePoint& point : curve.points) {
      if (!is_shown(point) || !std::isfinite(drawn(point.y))) continue;
      const double x = at_x(point.x);
      const double y = at_y(drawn(point.y));
      const std::string words = fmt::format("{}, {}: {:.4g}", curve.name, x_label(point.x), point.y);
      if (form_of(curve) == CurveForm::bars) {
        const double half = width_of_bar(curve) / 2;
        const double left = at_x(point.x - half);
        svg_.rect(left, std::min(y, at_y(0)), std::max(0.5, at_x(point.x + half) - left - 1), std::abs(y - at_y(0)),
                  fmt::format("b{}", style), 1, words);
        continue;
      }
      way += fmt::format("{}{:.5g} {:.5g}", way.empty() ? "M" : "L", x, y);
      if (point.high > point.low)
        svg_.path(fmt::format("M{0:.5g} {1:.5g}L{0:.5g} {2:.5g}", x, at_y(drawn(point.low)), at_y(drawn(point.high))),
                  1, name + " mark");
      if (form_of(curve) != CurveForm::line) mark(x, y, style, name, words);
    }
    if (!way.empty() && form_of(curve) != CurveForm::points) svg_.path(way, 1.8, name);
  }

  [[nodiscard]] std::string x_label(double x) const {
    return chart_.x_is_bytes ? size_label(x) : fmt::format("{:.4g}", x);
  }

  void mark(double x, double y, std::size_t style, const std::string& name, const std::string& words) {
    // A cross, a square, a triangle, a diamond, a plus, a triangle upside down. Marks distinguish curves where print
    // has no colours.
    constexpr std::array<std::string_view, kStyles> kWays{
        "M{0} {2}L{1} {3}M{0} {3}L{1} {2}",  "M{0} {2}L{1} {2}L{1} {3}L{0} {3}Z", "M{0} {3}L{4} {2}L{1} {3}Z",
        "M{0} {5}L{4} {2}L{1} {5}L{4} {3}Z", "M{0} {5}L{1} {5}M{4} {2}L{4} {3}",  "M{0} {2}L{4} {3}L{1} {2}Z"};
    constexpr double kHalf = 2.8;
    const auto number = [](double value) { return fmt::format("{:.5g}", value); };
    svg_.path(fmt::format(fmt::runtime(kWays[style]), number(x - kHalf), number(x + kHalf), number(y - kHalf),
                          number(y + kHalf), number(x), number(y)),
              1.4, name + " mark", 1, words);
  }

  void legend() {
    const std::vector<std::pair<double, double>> places = legend_places(chart_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double x = left_ + places[i].first;
      const double y = top_ + kFieldHeight + kBottom + places[i].second;
      line_of(i, x, y - 4, chart_.curves[i].name);
      svg_.text(x + kSwatch + 6, y, chart_.curves[i].name);
    }
  }

  void line_of(std::size_t curve, double x, double y, const std::string& name) {
    const std::string style = fmt::format("c{}", curve % kStyles);
    const CurveForm form = form_of(chart_.curves[curve]);
    if (form == CurveForm::marked_line || form == CurveForm::line)
      svg_.path(fmt::format("M{:.5g} {:.5g}L{:.5g} {:.5g}", x, y, x + kSwatch, y), 1.8, style);
    if (form == CurveForm::marked_line || form == CurveForm::points)
      mark(x + kSwatch / 2, y, curve % kStyles, style, name);
    if (form == CurveForm::bars) svg_.rect(x, y - 6, kSwatch, 12, fmt::format("b{}", curve % kStyles));
  }

  const CurveChart& chart_;
  double left_, top_;
  Svg& svg_;
  Span across_, up_;
  double step_ = 1;
};

/// Adds what a file needs and a page already has: the name space and the style.
std::string as_file(const std::string& drawing) {
  constexpr std::string_view kBegin = "<svg ";
  const std::size_t body = drawing.find('\n') + 1;
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" {}<style>{}</style>\n{}",
                     drawing.substr(kBegin.size(), body - kBegin.size()), kStyle, drawing.substr(body));
}

/// The note in lines that fit into the width, because a command with its variables is long. A single word may still be
/// too long.
std::vector<std::string> note_lines(const std::string& note, double width) {
  const auto most = static_cast<std::size_t>((width - 2 * kGap) / kSmallLetter);
  std::vector<std::string> lines;
  for (const std::string_view word : split(note, ' ')) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > most)
      lines.emplace_back(word);
    else
      lines.back() += fmt::format(" {}", word);
  }
  return lines;
}

}  // namespace

std::string size_label(double bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  constexpr double kStep = 1024;
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= kStep && std::fmod(bytes, kStep) == 0) {
    bytes /= kStep;
    ++unit;
  }
  return fmt::format("{:.7g} {}", bytes, kUnits[unit]);
}

std::string curve_figure(const std::string& title, const std::string& note, std::span<const CurveChart> charts) {
  const std::size_t columns = std::min(kChartsInARow, charts.size());
  std::vector<double> row_tops{kHead};
  for (std::size_t i = 0; i < charts.size(); i += columns) {
    double tallest = 0;
    for (const CurveChart& chart : charts.subspan(i, std::min(columns, charts.size() - i)))
      tallest = std::max(tallest, height_of(chart));
    row_tops.push_back(row_tops.back() + tallest);
  }
  const double width = kChartWidth * static_cast<double>(columns) + kGap;
  const std::vector<std::string> lines = note_lines(note, width);
  const double height = row_tops.back() + kFoot + kLegendLine * static_cast<double>(lines.size() - 1);
  Svg svg(width, height, title);
  svg.rect(0, 0, width, height, "paper");
  svg.text(kGap, kHead - 16, title, Svg::Anchor::start, "title");
  for (std::size_t i = 0; i < charts.size(); ++i)
    Field(charts[i], kChartWidth * static_cast<double>(i % columns), row_tops[i / columns], svg).draw();
  for (std::size_t i = 0; i < lines.size(); ++i)
    svg.text(kGap, row_tops.back() + kFoot - 12 + kLegendLine * static_cast<double>(i), lines[i], Svg::Anchor::start,
             "small");
  return as_file(std::move(svg).finish());
}

}  // namespace topowise
