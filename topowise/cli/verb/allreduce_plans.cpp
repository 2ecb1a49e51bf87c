// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/allreduce_plans.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/plan/simulation.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/curve_chart.hpp>

namespace topowise::cli {
namespace {

using collective::Movement;

constexpr int kSimulatedRuns = 200;

struct Row {
  std::string_view algorithm;
  int ranks = 0;
  Movement moved;
};

collective::Plan plan_of(std::size_t algorithm, int ranks, int gpus) {
  return collective::algorithms()[algorithm].plan_for(collective::layout_in_turn(ranks, std::min(ranks, gpus)));
}

int fewest(int ranks) {
  return std::min(2, ranks);
}

std::vector<Row> rows_of(std::span<const std::size_t> algorithms, int ranks, int gpus) {
  std::vector<Row> rows;
  for (const std::size_t algorithm : algorithms) {
    for (int r = fewest(ranks); r <= ranks; ++r)
      rows.push_back({collective::algorithms()[algorithm].name, r, movement(plan_of(algorithm, r, gpus))});
  }
  return rows;
}

std::string csv(const std::vector<Row>& rows) {
  std::string text = "algorithm,ranks,gpu_vectors,host_vectors,bus_vectors\n";
  for (const Row& row : rows)
    text += fmt::format("{},{},{},{},{}\n", row.algorithm, row.ranks, row.moved.gpu, row.moved.host, row.moved.bus);
  return text;
}

std::string json(const std::vector<Row>& rows, int gpus, bool right) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.bench-allreduce-plans/1").key("gpus").value(gpus);
  writer.key("right").value(right).key("plans").array();
  for (const Row& row : rows) {
    writer.object(JsonWriter::Layout::row).key("algorithm").value(row.algorithm).key("ranks").value(row.ranks);
    writer.key("gpu_vectors").value(row.moved.gpu).key("host_vectors").value(row.moved.host);
    writer.key("bus_vectors").value(row.moved.bus).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

/// One curve for each algorithm; algorithms that move the same bytes share one.
CurveChart chart(std::string title, const std::vector<Row>& rows, std::int64_t Movement::*memory) {
  CurveChart chart{.title = std::move(title),
                   .x_name = "processes",
                   .x_is_bytes = false,
                   .y_name = "reads and writes, in sizes of the vector",
                   .x_is_linear = true};
  for (const Row& row : rows) {
    if (chart.curves.empty() || chart.curves.back().name != row.algorithm)
      chart.curves.push_back({.name = std::string(row.algorithm)});
    const auto y = static_cast<double>(row.moved.*memory);
    chart.curves.back().points.push_back({static_cast<double>(row.ranks), y, y, y});
  }
  const auto same = [](const CurvePoint& a, const CurvePoint& b) { return a.x == b.x && a.y == b.y; };
  std::vector<Curve> different;
  for (Curve& curve : chart.curves) {
    const auto same_curve = std::ranges::find_if(
        different, [&](const Curve& other) { return std::ranges::equal(other.points, curve.points, same); });
    if (same_curve == different.end())
      different.push_back(std::move(curve));
    else
      same_curve->name += ", " + curve.name;
  }
  chart.curves = std::move(different);
  return chart;
}

}  // namespace

AllreducePlans allreduce_plans(std::span<const std::size_t> algorithms, int ranks, int gpus) {
  AllreducePlans plans;
  std::string text;
  for (const std::size_t algorithm : algorithms) {
    const collective::Plan plan = plan_of(algorithm, ranks, gpus);
    const std::string wrong = collective::simulate_many(plan, kSimulatedRuns);
    text += fmt::format(
        "{}{}\n\n", describe(plan),
        wrong.empty() ? fmt::format("right in {} simulated orders of events", kSimulatedRuns) : "WRONG: " + wrong);
    plans.right = plans.right && wrong.empty();
  }
  const std::vector<Row> rows = rows_of(algorithms, ranks, gpus);
  plans.forms = {
      .name = "allreduce-plans",
      .title = fmt::format("bytes that allreduce moves, {} to {} processes on {} GPU{}, computed", fewest(ranks), ranks,
                           gpus, gpus == 1 ? "" : "s"),
      .text = std::move(text),
      .json = json(rows, gpus, plans.right),
      .csv = csv(rows),
      .charts = {chart("in GPU memory", rows, &Movement::gpu), chart("in host memory", rows, &Movement::host)}};
  return plans;
}

}  // namespace topowise::cli
