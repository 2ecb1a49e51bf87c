// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/level_bars.hpp>

#include <fmt/format.h>

#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr double kLeft = 130;
constexpr double kBar = 560;
constexpr double kRow = 56;
constexpr double kThick = 18;

class Bars {
 public:
  Bars(std::size_t rows, Bytes total)
      : total_(total), svg_(kLeft + kBar + 220, kRow * static_cast<double>(rows) + 10, "bytes by level") {}

  void row(std::string_view name, Bytes before, Bytes after) {
    svg_.text(kLeft - 10, y_ + kThick + 6, name, Svg::Anchor::end);
    bar(y_, before, "before");
    bar(y_ + kThick + 2, after, "after");
    y_ += kRow;
  }

  [[nodiscard]] std::string finish() && { return std::move(svg_).finish(); }

 private:
  void bar(double y, Bytes bytes, std::string_view style) {
    const double share = total_.value() > 0 ? bytes / total_ : 0.0;
    svg_.rect(kLeft, y, kBar * share, kThick, style);
    svg_.text(kLeft + kBar * share + 6, y + kThick - 5, fmt::format("{:.1f} %  {}", 100 * share, to_string(bytes)));
  }

  Bytes total_;
  Svg svg_;
  double y_ = 5;
};

}  // namespace

std::string level_bars(const Topology& topology, const LevelTraffic& before, const LevelTraffic& after) {
  const bool shared = before.within.value() > 0 || after.within.value() > 0;
  Bytes total = before.within;
  for (const Bytes bytes : before.by_level) total += bytes;
  Bars bars(topology.levels().size() + (shared ? 1 : 0), total);
  if (shared) bars.row("same place", before.within, after.within);
  for (std::size_t level = 0; level < topology.levels().size(); ++level) {
    bars.row(fmt::format("level {} ({})", level, to_string(topology.levels()[level])), before.by_level[level],
             after.by_level[level]);
  }
  return std::move(bars).finish();
}

}  // namespace topowise
