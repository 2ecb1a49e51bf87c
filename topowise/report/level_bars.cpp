// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/level_bars.hpp>

#include <fmt/format.h>

#include <topowise/report/markup.hpp>

namespace topowise {
namespace {

constexpr double kLeft = 116;
constexpr double kBar = 330;
constexpr double kRow = 50;
constexpr double kThick = 18;

class Bars {
 public:
  Bars(std::size_t rows, Bytes total, std::string_view role)
      : total_(total), svg_(kLeft + kBar + 134, kRow * static_cast<double>(rows) + 10, role) {}

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
    svg_.text(kLeft + kBar * share + 6, y + kThick - 5, fmt::format("{:.1f} %, {}", 100 * share, to_string(bytes)));
  }

  Bytes total_;
  Svg svg_;
  double y_ = 5;
};

std::string share(Bytes part, Bytes whole) {
  return fmt::format("{:.1f} %", whole.value() > 0 ? 100 * (part / whole) : 0.0);
}

std::string words_for(const Topology& topology, const LevelTraffic& before, const LevelTraffic& after, Bytes total) {
  std::string words = "Share of the bytes by level, before and after";
  for (std::size_t level = 0; level < topology.levels().size(); ++level) {
    words += fmt::format("; {}: {}, {}", to_string(topology.levels()[level]), share(before.by_level[level], total),
                         share(after.by_level[level], total));
  }
  return words;
}

}  // namespace

std::string level_bars(const Topology& topology, const LevelTraffic& before, const LevelTraffic& after) {
  const bool shared = before.within.value() > 0 || after.within.value() > 0;
  Bytes total = before.within;
  for (const Bytes bytes : before.by_level) total += bytes;
  Bars bars(topology.levels().size() + (shared ? 1 : 0), total, words_for(topology, before, after, total));
  if (shared) bars.row("same place", before.within, after.within);
  for (std::size_t level = 0; level < topology.levels().size(); ++level) {
    bars.row(fmt::format("level {} ({})", level, to_string(topology.levels()[level])), before.by_level[level],
             after.by_level[level]);
  }
  return std::move(bars).finish();
}

}  // namespace topowise
