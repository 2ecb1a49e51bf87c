// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges by the congestion model (Martinasso et al., SC'16, section VIII): how much the order of the messages
// matters, and what the fastest one is worth to a program that exchanges halos again and again.
#include <algorithm>
#include <cmath>

#include <topowise/base/text.hpp>
#include <topowise/benchmark/congestion/halo_orders.hpp>
#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

using benchmark::Cell;
using benchmark::HaloPhase;
using benchmark::HaloTimes;
using benchmark::ResultTable;

/// Halo exchanges of one time step of COSMO (section VIII-A): the paper says which of the 312 exchanges are below 100
/// KB, and that messages have 40 to 254 KB; it prints no sizes.
constexpr std::string_view kCosmo = "30x254KB,60x40KB,90x254KB,70x40KB,62x254KB";

constexpr std::string_view kPaperMachine = "preset:cs-storm-t2";
constexpr std::string_view kAlone = "one process predicts";

std::vector<int> parse_extents(std::string_view text) {
  constexpr std::int64_t kMost = 4096;
  std::vector<int> extents;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<std::int64_t> extent = parse_integer(trim(part));
    if (!extent || *extent < 1 || *extent > kMost)
      throw Arguments::wrong("--halo", fmt::format("'{}' is no grid", printable(text)), "--halo 2x4,2x2x2");
    extents.push_back(static_cast<int>(*extent));
  }
  if (std::ranges::all_of(extents, [](int extent) { return extent == 1; }))
    throw Arguments::wrong("--halo", fmt::format("in '{}' nobody has a neighbour", printable(text)),
                           "--halo 2x4,2x2x2");
  return extents;
}

std::vector<HaloPhase> parse_sequence(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::vector<HaloPhase> phases;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t times = part.find('x');
    const auto count = parse_integer(trim(part.substr(0, std::min(times, part.size()))));
    const auto bytes = parse_bytes(times == std::string_view::npos ? std::string_view() : trim(part.substr(times + 1)));
    if (!count || *count < 1 || *count > kMost || !bytes || !(bytes->value() >= 1) ||
        bytes->value() != std::floor(bytes->value()))
      throw Arguments::wrong("--sequence",
                             fmt::format("'{}' is no number of exchanges and whole bytes", printable(part)),
                             fmt::format("--sequence {}", kCosmo));
    phases.push_back({static_cast<std::size_t>(*count), *bytes, {}, {}});
  }
  return phases;
}

Option halo_option() {
  return {"--halo", "GRIDS", "measurement", "grids with open boundaries, rank r on place r [2x4,2x2x2]"};
}

std::string halo_text(const Arguments& arguments, std::string_view fallback) {
  return arguments.has("--halo") ? arguments.text("--halo") : std::string(fallback);
}

/// The machine under the model that the options name.
CongestionModel model_of(const Arguments& arguments, const Terminal& terminal) {
  const CongestionParameters parameters = congestion_parameters(arguments);
  const Topology machine =
      read_topology(arguments.has("--topology") ? arguments.text("--topology") : std::string(kPaperMachine));
  for (const std::string& warning : machine.warnings()) terminal.warn(warning);
  return {machine, arguments.one_of("--model", parse_congestion_model), parameters};
}

ResultTable empty_table(std::string name, std::string title, const CongestionModel& model) {
  ResultTable table{.name = std::move(name),
                    .title = std::move(title),
                    .facts = {},
                    .columns = {},
                    .rows = {},
                    .charts = {},
                    .notes = {}};
  table.facts = {{"machine", model.topology().name()},
                 {"model", models_used(model)},
                 {"link_bytes_per_s", model.unit().value()},
                 {"kind", std::string(to_string(benchmark::Kind::predicted))}};
  return table;
}

/// Adds the rows of a grid. If there are more than a few orders that are the same for all ranks, only the fastest and
/// the slowest of these get a row.
void add_times(ResultTable& table, const std::string& grid, const HaloTimes& times) {
  constexpr double kWhole = 1e15;  // above it the digits are not exact
  const auto row = [&](std::string order, double orders, Seconds time) {
    const Cell count = orders < kWhole ? Cell(static_cast<std::int64_t>(orders)) : Cell(orders);
    table.rows.push_back({grid, std::move(order), count, time.value(), time / times.alone, time / times.fastest});
  };
  row(times.proven ? "fastest" : "fastest found", times.orders, times.fastest);
  if (times.median) row("median", times.orders, *times.median);
  if (times.slowest) row("slowest", times.orders, *times.slowest);
  constexpr std::size_t kMostShown = 8;
  for (std::size_t i = 0; i < times.uniform.size(); ++i) {
    const bool shown = times.uniform.size() <= kMostShown || i == 0 || i + 1 == times.uniform.size();
    if (shown)
      row("all " + times.uniform[i].directions, static_cast<double>(times.uniform[i].count), times.uniform[i].time);
  }
}

ExitStatus run_orders(const Arguments& arguments, Terminal& terminal) {
  check_delivery(arguments);
  const std::string grids = halo_text(arguments, "2x4,2x2x2");
  std::vector<std::vector<int>> all;
  for (const std::string_view grid : split(grids, ',')) all.push_back(parse_extents(grid));
  const std::vector<std::size_t> sizes = benchmark_sizes(arguments, "300MiB");
  if (sizes.size() != 1) throw Arguments::wrong("--sizes", "the orders are those of one size", "--sizes 300MiB");
  CongestionModel model = model_of(arguments, terminal);
  ResultTable table = empty_table("halo-orders", "Orders of the messages of a halo exchange", model);
  table.facts.emplace_back("bytes", static_cast<std::int64_t>(sizes.back()));
  table.columns = {"grid", "order", "orders", "time_s", "alone_is_1", "fastest_is_1"};
  CurveChart chart{"time of all orders, fastest first",
                   "share of the orders, %",
                   false,
                   "predicted time, one message = 1",
                   false,
                   {},
                   true};
  for (std::size_t g = 0; g < all.size(); ++g) {
    const HaloTimes times = benchmark::halo_times(model, all[g], Bytes(static_cast<double>(sizes.back())));
    const std::string name(split(grids, ',')[g]);
    add_times(table, name, times);
    if (!times.curve.empty()) chart.curves.push_back({name, times.curve, CurveForm::line});
  }
  if (!chart.curves.empty()) table.charts.push_back(std::move(chart));
  deliver(arguments, table, 1, terminal);
  return ExitStatus::done;
}

ExitStatus run_sequence(const Arguments& arguments, Terminal& terminal) {
  check_delivery(arguments);
  const std::vector<int> extents = parse_extents(halo_text(arguments, "2x4"));
  std::vector<HaloPhase> phases = parse_sequence(arguments.text("--sequence"));
  const std::string order = arguments.has("--directions") ? arguments.text("--directions")
                            : extents.size() == 2         ? "N,S,E,W"
                                                          : "";
  if (order.empty())
    throw usage_error("--directions: in which order does the program serve its neighbours?",
                      "--directions 0-,0+,1-,1+,2-,2+");
  const std::vector<int> directions = benchmark::parse_directions(order, extents.size());
  CongestionModel model = model_of(arguments, terminal);
  benchmark::predict_phases(model, extents, directions, phases);
  ResultTable table = empty_table("halo-sequence", "Halo exchanges, as given and in the fastest order", model);
  table.facts.emplace_back("order", order);
  table.columns = {"phase", "exchanges", "bytes", "given_s", "best_s", "given_over_best"};
  Curve ratio{"as given / fastest", {}, CurveForm::line};
  std::size_t position = 0;
  Seconds given;
  Seconds best;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const HaloPhase& phase = phases[p];
    table.rows.push_back({std::to_string(p), static_cast<std::int64_t>(phase.exchanges),
                          static_cast<std::int64_t>(phase.bytes.value()), phase.given.value(), phase.best.value(),
                          phase.given / phase.best});
    const double y = phase.given / phase.best;
    for (const std::size_t x : {position, position + phase.exchanges})
      ratio.points.push_back({static_cast<double>(x), y, y, y});
    position += phase.exchanges;
    given += phase.given * static_cast<double>(phase.exchanges);
    best += phase.best * static_cast<double>(phase.exchanges);
  }
  table.rows.push_back(
      {std::string("all"), static_cast<std::int64_t>(position), Cell{}, given.value(), best.value(), given / best});
  table.charts.push_back(
      {"by position in the program", "exchange", false, "ratio of predicted times", false, {std::move(ratio)}, true});
  if (!arguments.has("--sequence"))
    table.notes.emplace_back(
        "the sequence is COSMO's as far as the paper gives it: phases of 254 KB for those above 100 KB, 40 KB for "
        "those "
        "below");
  deliver(arguments, table, 1, terminal);
  return ExitStatus::done;
}

std::vector<Option> options_with(std::vector<Option> options) {
  options.insert(options.begin(), {topology_option(), halo_option()});
  options.insert(options.end(), {congestion_model_option(), link_bandwidth_option(), tau_option()});
  for (const Option& option : delivery_options()) options.push_back(option);
  return options;
}

}  // namespace

Benchmark halo_orders_benchmark() {
  return {.name = "halo-orders",
          .summary = "times of the orders of a halo exchange, predicted",
          .figures = "SC'16, figures 8, 9 and 11",
          .options = options_with({sizes_option()}),
          .alone = kAlone,
          .run = run_orders};
}

Benchmark halo_sequence_benchmark() {
  return {.name = "halo-sequence",
          .summary = "halo exchanges of a program, as given and in the fastest order, predicted",
          .figures = "SC'16, figure 10",
          .options = options_with(
              {{"--sequence", "LIST", "measurement", "exchanges and bytes of a message, phase by phase", kCosmo},
               {"--directions", "LIST", "measurement", "in which every rank serves its neighbours [N,S,E,W]"}}),
          .alone = kAlone,
          .run = run_sequence};
}

}  // namespace topowise::cli
