// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/comparison.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace topowise::benchmark {
namespace {

constexpr double kPercent = 100;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool same_question(const ComparedMapping& a, const ComparedMapping& b) {
  return a.workload == b.workload && a.weight == b.weight && a.bytes == b.bytes;
}

/// A row and the row that it is compared with.
struct Compared {
  const ComparedMapping& row;
  const ComparedMapping& base;
  double seconds, base_seconds;

  Compared(const ComparedMapping& one, const ComparedMapping& first)
      : row(one), base(first), seconds(median(one.seconds)), base_seconds(median(first.seconds)) {}

  [[nodiscard]] bool is_base() const { return &row == &base; }
  [[nodiscard]] double improvement() const { return kPercent * (1 - seconds / base_seconds); }
  [[nodiscard]] double improvement_of(double value) const { return kPercent * (1 - value / base_seconds); }
  /// Whether the ranges of both runs' times overlap. Nothing where there is no range: for predictions, and for one run.
  [[nodiscard]] std::optional<bool> ranges_overlap() const {
    if (is_base() || row.kind == Kind::predicted || row.seconds.size() < 2) return std::nullopt;
    const auto [fastest, slowest] = std::ranges::minmax(row.seconds);
    const auto [base_fastest, base_slowest] = std::ranges::minmax(base.seconds);
    return fastest <= base_slowest && base_fastest <= slowest;
  }
  /// How many iterations gain as much time as the mapping took. Nothing without a gain, where the ranges overlap, or on
  /// a simulated clock.
  [[nodiscard]] std::optional<std::int64_t> iterations() const {
    constexpr double kEndless = 1e15;
    if (is_base() || !row.mapping_seconds || !(seconds < base_seconds)) return std::nullopt;
    const double needed = std::ceil(*row.mapping_seconds / (base_seconds - seconds));
    if (needed >= kEndless || row.kind == Kind::simulated || ranges_overlap().value_or(false)) return std::nullopt;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(needed));
  }
};

Cell number_if(bool known, double value) {
  return known ? Cell(value) : Cell(std::monostate{});
}

/// A predicted row has no fastest and slowest time, and its time is not in a second column.
std::vector<Cell> cells_of(const Compared& compared) {
  const ComparedMapping& row = compared.row;
  const bool by_clock = row.kind != Kind::predicted;
  const auto [fastest, slowest] = std::ranges::minmax(row.seconds);
  std::optional<double> model;
  std::optional<double> model_gain;
  if (by_clock) model = row.predicted_seconds;
  if (model && compared.base.predicted_seconds && !compared.is_base())
    model_gain = kPercent * (1 - *model / *compared.base.predicted_seconds);
  return {row.workload,
          static_cast<std::int64_t>(row.ranks),
          std::int64_t{row.weight},
          static_cast<std::int64_t>(row.bytes),
          row.mapping,
          std::string(to_string(row.kind)),
          compared.seconds,
          number_if(by_clock, fastest),
          number_if(by_clock, slowest),
          number_if(!compared.is_base(), compared.improvement()),
          cell_or_none(model),
          cell_or_none(model_gain),
          row.hop_bytes,
          cell_or_none(compared.is_base() ? std::nullopt : row.mapping_seconds),
          cell_or_none(compared.iterations()),
          by_clock ? Cell(row.right) : Cell(std::monostate{}),
          cell_or_none(compared.ranges_overlap())};
}

CurvePoint point_of(const Compared& compared) {
  const auto [fastest, slowest] = std::ranges::minmax(compared.row.seconds);
  return {static_cast<double>(compared.row.bytes), compared.improvement(), compared.improvement_of(slowest),
          compared.improvement_of(fastest)};
}

/// Keeps charts and curves in the order in which they are first named.
class Charts {
 public:
  Charts(std::string y_name, bool logarithmic) : y_name_(std::move(y_name)), logarithmic_(logarithmic) {}
  void add(const std::string& chart, const std::string& curve, const CurvePoint& point) {
    auto at = std::ranges::find(charts_, chart, &CurveChart::title);
    if (at == charts_.end()) at = charts_.insert(at, {chart, "bytes of a message", true, y_name_, logarithmic_, {}});
    auto line = std::ranges::find(at->curves, curve, &Curve::name);
    if (line == at->curves.end()) line = at->curves.insert(line, {curve, {}});
    line->points.push_back(point);
  }
  [[nodiscard]] std::vector<CurveChart> all() && { return std::move(charts_); }

 private:
  std::string y_name_;
  bool logarithmic_;
  std::vector<CurveChart> charts_;
};

/// Charts of the times themselves, for results where nothing is compared or no mapping pays.
std::vector<CurveChart> charts_of_times(const std::vector<ComparedMapping>& rows, const std::string& kind) {
  Charts charts(fmt::format("time of an iteration in s ({})", kind), true);
  for (const ComparedMapping& row : rows) {
    const auto [fastest, slowest] = std::ranges::minmax(row.seconds);
    charts.add(fmt::format("{}, w = {}", row.workload, row.weight), row.mapping,
               {static_cast<double>(row.bytes), median(row.seconds), fastest, slowest});
  }
  return std::move(charts).all();
}

}  // namespace

ResultTable compare_mappings(const std::vector<ComparedMapping>& rows, Drawn drawn) {
  ResultTable table;
  table.columns = {"workload",
                   "ranks",
                   "weight",
                   "bytes",
                   "mapping",
                   "kind",
                   "time_s",
                   "fastest_s",
                   "slowest_s",
                   "improvement_percent",
                   "predicted_s",
                   "predicted_improvement_percent",
                   "hop_bytes",
                   "mapping_measured_s",
                   "pays_after_iterations",
                   "right",
                   "ranges_overlap"};
  const std::string kind(rows.empty() ? std::string_view() : to_string(rows.front().kind));
  const bool shows_gain = drawn == Drawn::improvement;
  Charts charts(fmt::format("{} ({})", shows_gain ? "improvement in %" : "iterations that pay for the mapping", kind),
                !shows_gain);
  const ComparedMapping* base = nullptr;
  for (const ComparedMapping& row : rows) {
    if (base == nullptr || !same_question(*base, row)) base = &row;
    const Compared compared(row, *base);
    table.rows.push_back(cells_of(compared));
    if (compared.is_base()) continue;
    const std::string question = fmt::format("{}, w = {}", row.workload, row.weight);
    if (shows_gain) charts.add(question, row.mapping, point_of(compared));
    if (!shows_gain && compared.iterations()) {
      const auto y = static_cast<double>(*compared.iterations());
      charts.add(fmt::format("{}, {} ranks", row.mapping, row.ranks), question,
                 {static_cast<double>(row.bytes), y, y, y});
    }
  }
  table.charts = std::move(charts).all();
  if (table.charts.empty()) table.charts = charts_of_times(rows, kind);
  return table;
}

}  // namespace topowise::benchmark
