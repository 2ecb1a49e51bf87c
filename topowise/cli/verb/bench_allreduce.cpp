// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <topowise/base/names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/collective/amortisation.hpp>
#include <topowise/collective/measure_collectives.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/plan/crossings.hpp>
#include <topowise/collective/plan/simulation.hpp>
#include <topowise/collective/tuning.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/curve_chart.hpp>

namespace topowise::cli {
namespace {

using collective::Collective;

/// The collectives that are measured, as `run --collectives-on-gpu` calls them.
struct MeasuredCollective {
  std::string_view name;
  Collective collective;
};
constexpr std::array kMeasured{
    MeasuredCollective{"allreduce", Collective::allreduce}, MeasuredCollective{"reduce", Collective::reduce},
    MeasuredCollective{"bcast", Collective::broadcast}, MeasuredCollective{"allgather", Collective::allgather},
    MeasuredCollective{"reduce_scatter_block", Collective::reduce_scatter}};

std::string_view word_for(Collective collective) {
  return std::ranges::find(kMeasured, collective, &MeasuredCollective::collective)->name;
}

/// `bench collective NAME`, or `bench allreduce`.
struct Asked {
  Collective collective = Collective::allreduce;
  std::string_view benchmark;  ///< "collective": its results have the name of the collective in them
};
Asked asked_by(const Arguments& arguments) {
  if (arguments.verb().name == "allreduce") return {.benchmark = "allreduce"};
  const std::string name = arguments.operand(0);
  const auto found = std::ranges::find(kMeasured, name, &MeasuredCollective::name);
  if (found == kMeasured.end())
    throw usage_error(unknown_name("collective", name, names_of(kMeasured)),
                      fmt::format("topowise bench collective {}", kMeasured.front().name));
  return {found->collective, "collective"};
}

// What they print and save.

constexpr std::string_view kBaseline = "staged-host";  ///< the way in which MPI libraries reduce

struct AllreduceTimes {
  Asked asked;
  const collective::MeasureOptions& options;
  const collective::Measurement& measured;
  bool amortise = false;  ///< also print figure 3 of the paper
  bool tune = false;      ///< also say which algorithm is the fastest
};

constexpr double kMicro = 1e6;

std::string_view name_of(const collective::AlgorithmTimes& times) {
  return collective::algorithms()[times.algorithm].name;
}

using Calls = std::optional<std::uint64_t>;

/// How many calls pay for the initialisation of an algorithm at one size; nothing if no number of calls does, or if no
/// baseline was measured.
Calls amortised(const collective::Measurement& measured, const collective::AlgorithmTimes& times, std::size_t size) {
  const auto baseline = std::ranges::find(measured.algorithms, kBaseline, name_of);
  if (baseline == measured.algorithms.end()) return std::nullopt;
  return calls_to_amortise(times, *baseline, size);
}

std::string words(const Calls& calls) {
  return calls ? std::to_string(*calls) : std::string("never");
}

using Share = std::optional<double>;

Share share_of(const AllreduceTimes& all, const collective::SizeTimes& times) {
  return collective::share_of_memory_bound(all.measured, all.options, times);
}

/// A cell of the table; empty where the memory was not measured.
std::string share_cell(const Share& share) {
  return share ? fmt::format(" {:>11.1f}%", *share * 100) : std::string();
}

std::string json(const AllreduceTimes& all) {
  JsonWriter writer;
  writer.object().key("schema").value(fmt::format("topowise.bench-{}/1", all.asked.benchmark));
  if (all.asked.benchmark == "collective") writer.key("collective").value(word_for(all.asked.collective));
  writer.key("device").value(all.measured.device);
  writer.key("gpus").value(all.measured.gpus).key("ranks").value(all.options.ranks);
  writer.key("repetitions").value(all.options.repetitions).key("memory_bytes_per_s");
  if (all.measured.memory.value() > 0)
    writer.value(all.measured.memory.value());
  else
    writer.null();
  writer.key("algorithms").array();
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    writer.object().key("name").value(name_of(times)).key("available").value(times.used);
    if (!times.used) writer.key("why").text_or_null(times.why_not);
    writer.key("initialisation_s").value(times.initialisation.value()).key("sizes").array();
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      writer.object(JsonWriter::Layout::row).key("bytes").value(one.bytes).key("mean_s").value(one.mean.value());
      writer.key("min_s").value(one.least.value()).key("max_s").value(one.most.value());
      writer.key("right").value(one.right);
      writer.key("amortised_calls").value_or_null(amortised(all.measured, times, size));
      writer.key("bound_share").value_or_null(share_of(all, one)).end();
    }
    writer.end().end();
  }
  writer.end().key("fastest").array();
  for (const collective::Tuning::Size& size : fastest(all.options, all.measured).sizes) {
    writer.object(JsonWriter::Layout::row).key("bytes").value(size.bytes);
    writer.key("algorithm").value(collective::algorithms()[size.algorithm].name).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

std::string csv(const AllreduceTimes& all) {
  std::string text = "algorithm,bytes,mean_s,min_s,max_s,right";
  text += all.amortise ? ",initialisation_s,amortised_calls\n" : "\n";
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      text += fmt::format("{},{},{},{},{},{}", name_of(times), one.bytes, one.mean.value(), one.least.value(),
                          one.most.value(), one.right ? "true" : "false");
      if (all.amortise)
        text += fmt::format(",{},{}", times.initialisation.value(), words(amortised(all.measured, times, size)));
      text += '\n';
    }
  }
  return text;
}

/// Figure 3 of the paper as a table: one column for each algorithm.
std::string amortisation_table(const AllreduceTimes& all) {
  std::vector<const collective::AlgorithmTimes*> columns;
  for (const collective::AlgorithmTimes& times : all.measured.algorithms)
    if (times.used && name_of(times) != kBaseline) columns.push_back(&times);
  std::string text = fmt::format(
      "\ncalls after which the initialisation has paid, beside {} that begins for free\n{:>12}", kBaseline, "bytes");
  for (const collective::AlgorithmTimes* times : columns) text += fmt::format(" {:>14}", name_of(*times));
  for (std::size_t size = 0; size < all.options.sizes.size(); ++size) {
    text += fmt::format("\n{:>12}", all.options.sizes[size]);
    for (const collective::AlgorithmTimes* times : columns)
      text += fmt::format(" {:>14}", words(amortised(all.measured, *times, size)));
  }
  return text + "\n";
}

std::string fastest_table(const AllreduceTimes& all) {
  std::string text = fmt::format("\n{:>12} fastest\n", "bytes");
  for (const collective::Tuning::Size& size : fastest(all.options, all.measured).sizes)
    text += fmt::format("{:>12} {}\n", size.bytes, collective::algorithms()[size.algorithm].name);
  return text;
}

std::string title(const AllreduceTimes& all) {
  const std::string_view what = all.asked.benchmark == "collective" ? word_for(all.asked.collective) : "";
  return fmt::format("{}{}{} on {} x {}, {} calls a size", what, what.empty() ? "" : ", ",
                     counted(all.options.ranks, "rank"), all.measured.gpus, all.measured.device,
                     all.options.repetitions);
}

/// A line for algorithms that are not available for one reason: at the first of them, so that each reason has one.
std::string lack_text(const AllreduceTimes& all, const collective::AlgorithmTimes& first, const Terminal& terminal) {
  std::vector<std::string> names;
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    if (times.used || times.why_not != first.why_not) continue;
    if (names.empty() && &times != &first) return {};
    names.emplace_back(terminal.bold(name_of(times)));
  }
  return fmt::format("\n{}: not available here{}{}\n", fmt::join(names, ", "), first.why_not.empty() ? "" : ": ",
                     first.why_not);
}

std::string table(const AllreduceTimes& all, const Terminal& terminal) {
  std::string text = title(all) + ", microseconds\n";
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    if (!times.used) {
      text += lack_text(all, times, terminal);
      continue;
    }
    text += fmt::format("\n{}, first call {:.0f}\n{:>12} {:>12} {:>12} {:>12}{}\n", terminal.bold(name_of(times)),
                        times.initialisation.value() * kMicro, "bytes", "mean", "min", "max",
                        all.measured.memory.value() > 0 ? "     of bound" : "");
    for (const collective::SizeTimes& one : times.timings)
      text += fmt::format("{:>12} {:>12.2f} {:>12.2f} {:>12.2f}{}{}\n", one.bytes, one.mean.value() * kMicro,
                          one.least.value() * kMicro, one.most.value() * kMicro, share_cell(share_of(all, one)),
                          one.right ? "" : "   WRONG RESULT");
  }
  return text;
}

/// The paper's figure 2, and with --amortise its figure 3.
std::vector<CurveChart> charts(const AllreduceTimes& all) {
  CurveChart mean{.title = "time of a call", .x_name = "vector", .y_name = "microseconds", .y_is_logarithmic = true};
  CurveChart calls{.title = "calls that pay for the initialisation",
                   .x_name = "vector",
                   .y_name = "calls",
                   .y_is_logarithmic = true};
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    Curve curve{.name = std::string(name_of(times))};
    Curve paid{.name = curve.name};
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      const auto x = static_cast<double>(one.bytes);
      if (one.mean.value() > 0)
        curve.points.push_back({x, one.mean.value() * kMicro, one.least.value() * kMicro, one.most.value() * kMicro});
      const Calls after = amortised(all.measured, times, size);
      const auto y = static_cast<double>(after.value_or(0));
      if (y > 0) paid.points.push_back({x, y, y, y});
    }
    if (!curve.points.empty()) mean.curves.push_back(std::move(curve));
    if (!paid.points.empty()) calls.curves.push_back(std::move(paid));
  }
  std::vector<CurveChart> drawn;
  if (!mean.curves.empty()) drawn.push_back(std::move(mean));
  if (all.amortise && !calls.curves.empty()) drawn.push_back(std::move(calls));
  return drawn;
}

ResultForms allreduce_forms(const AllreduceTimes& times, const Terminal& terminal) {
  ResultForms forms{.name = std::string(word_for(times.asked.collective)),
                    .title = title(times),
                    .text = table(times, terminal),
                    .json = json(times),
                    .csv = csv(times),
                    .charts = charts(times)};
  if (times.amortise) forms.text += amortisation_table(times);
  if (times.tune) forms.text += fastest_table(times);
  if (times.measured.device.starts_with("SIMULATED"))
    forms.notes.emplace_back("the GPUs are simulated: these times say nothing about a GPU");
  return forms;
}

// What --explain prints and saves: plans, and the bytes that they move. Nothing is measured.

struct AllreducePlans {
  ResultForms forms;
  bool right = true;  ///< the result was right in all simulated orders of events; if not, this program has a bug
};

using collective::Movement;

constexpr int kSimulatedRuns = 200;

/// The node for which plans are explained.
struct Node {
  int gpus = 1;
  int sockets = 0;  ///< 0: nothing is asked about sockets
};

struct Row {
  std::string_view algorithm;
  int ranks = 0;
  Movement moved;
  collective::Crossings crossed;
};

collective::Layout layout_of(const Node& node, int ranks) {
  return collective::layout_in_turn(ranks, node.gpus, std::max(1, node.sockets));
}

collective::Plan plan_of(Collective collective, std::size_t algorithm, int ranks, const Node& node) {
  return collective::algorithms()[algorithm].plan(collective, layout_of(node, ranks), 0);
}

Row row_of(Collective collective, std::size_t algorithm, int ranks, const Node& node) {
  const collective::Plan plan = plan_of(collective, algorithm, ranks, node);
  const collective::Layout layout = layout_of(node, ranks);
  return {collective::algorithms()[algorithm].name, ranks, movement(plan),
          crossings(plan, layout, sockets_of(layout, std::max(1, node.sockets)))};
}

int fewest(int ranks) {
  return std::min(2, ranks);
}

std::vector<Row> rows_of(Collective collective, std::span<const std::size_t> algorithms, int ranks, const Node& node) {
  std::vector<Row> rows;
  for (const std::size_t algorithm : algorithms) {
    for (int r = fewest(ranks); r <= ranks; ++r) rows.push_back(row_of(collective, algorithm, r, node));
  }
  return rows;
}

std::string csv(const std::vector<Row>& rows, const Node& node) {
  std::string text = "algorithm,ranks,gpu_vectors,host_vectors,bus_vectors";
  text += node.sockets > 0 ? ",between_gpus_vectors,between_sockets_vectors\n" : "\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{}", row.algorithm, row.ranks, row.moved.gpu, row.moved.host, row.moved.bus);
    if (node.sockets > 0) text += fmt::format(",{:.6g},{:.6g}", row.crossed.gpus, row.crossed.sockets);
    text += '\n';
  }
  return text;
}

/// What passes between GPUs and sockets, behind the line of bytes that begins a plan's text.
std::string crossed_text(const Row& row, const Node& node) {
  if (node.sockets == 0) return {};
  return fmt::format("between GPUs {:.4g} m, between {} {:.4g} m\n", row.crossed.gpus, counted(node.sockets, "socket"),
                     row.crossed.sockets);
}

std::string json(const Asked& asked, const std::vector<Row>& rows, const Node& node, bool right) {
  JsonWriter writer;
  writer.object().key("schema").value(fmt::format("topowise.bench-{}-plans/1", asked.benchmark));
  if (asked.benchmark == "collective") writer.key("collective").value(word_for(asked.collective));
  writer.key("gpus").value(node.gpus);
  if (node.sockets > 0) writer.key("sockets").value(node.sockets);
  writer.key("right").value(right).key("plans").array();
  for (const Row& row : rows) {
    writer.object(JsonWriter::Layout::row).key("algorithm").value(row.algorithm).key("ranks").value(row.ranks);
    writer.key("gpu_vectors").value(row.moved.gpu).key("host_vectors").value(row.moved.host);
    writer.key("bus_vectors").value(row.moved.bus);
    if (node.sockets > 0) {
      writer.key("between_gpus_vectors").value(row.crossed.gpus);
      writer.key("between_sockets_vectors").value(row.crossed.sockets);
    }
    writer.end();
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

/// The plans of the algorithms with these numbers. The curves and rows of bytes go from 2 ranks to `ranks`.
AllreducePlans allreduce_plans(const Asked& asked, std::span<const std::size_t> algorithms, int ranks,
                               const Node& node) {
  AllreducePlans plans;
  std::string text;
  for (const std::size_t algorithm : algorithms) {
    const collective::Plan plan = plan_of(asked.collective, algorithm, ranks, node);
    const std::string wrong = collective::simulate_many(plan, kSimulatedRuns);
    text += fmt::format(
        "{}{}{}\n\n", describe(plan), crossed_text(row_of(asked.collective, algorithm, ranks, node), node),
        wrong.empty() ? fmt::format("right in {} simulated orders of events", kSimulatedRuns) : "WRONG: " + wrong);
    plans.right = plans.right && wrong.empty();
  }
  const std::vector<Row> rows = rows_of(asked.collective, algorithms, ranks, node);
  plans.forms = {
      .name = fmt::format("{}-plans", word_for(asked.collective)),
      .title = fmt::format("bytes that {} moves, {} to {} processes on {} GPU{}, computed", word_for(asked.collective),
                           fewest(ranks), ranks, node.gpus, node.gpus == 1 ? "" : "s"),
      .text = std::move(text),
      .json = json(asked, rows, node, plans.right),
      .csv = csv(rows, node),
      .charts = {chart("in GPU memory", rows, &Movement::gpu), chart("in host memory", rows, &Movement::host)}};
  return plans;
}

constexpr std::int64_t kMostRanks = 64;
constexpr std::int64_t kMostSockets = 64;
constexpr int kUsualRanks = 4, kUsualRepetitions = 100, kUsualWarmUp = 10;

bool does(std::size_t algorithm, Collective collective) {
  return collective::algorithms()[algorithm].does(collective, collective::layout_in_turn(1));
}

std::vector<std::size_t> chosen_algorithms(const Arguments& arguments, Collective collective) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < collective::algorithms().size(); ++i)
    if (does(i, collective)) all.push_back(i);
  if (!arguments.has("--algorithm")) return all;
  const std::size_t one = collective::find_algorithm(arguments.text("--algorithm"));
  const std::size_t baseline = collective::find_algorithm(kBaseline);
  if (!does(one, collective))
    throw usage_error(fmt::format("--algorithm: {} does allreduce only", arguments.text("--algorithm")),
                      fmt::format("--algorithm {}", collective::algorithms()[all.back()].name));
  if (arguments.has("--amortise") && one != baseline) return {baseline, one};
  return {one};
}

collective::MeasureOptions options_of(const Arguments& arguments, Collective collective) {
  collective::MeasureOptions options{
      .ranks = arguments.has("--ranks") ? static_cast<int>(arguments.whole("--ranks", 1, kMostRanks)) : kUsualRanks,
      .gpus = arguments.has("--gpus") ? static_cast<int>(arguments.whole("--gpus", 1, kMostRanks)) : 0,
      .algorithms = chosen_algorithms(arguments, collective),
      .sizes = parse_sizes(arguments.text("--sizes")),
      .repetitions = count_or(arguments, "--repetitions", 1, kUsualRepetitions),
      .warm_up = count_or(arguments, "--warm-up", 0, kUsualWarmUp),
      .collective = collective};
  for (const std::size_t size : options.sizes) {
    if (size % sizeof(float) != 0)
      throw Arguments::wrong("--sizes", fmt::format("{} B are no whole number of floats", size), "--sizes 4B-16MiB");
  }
  return options;
}

ExitStatus explain(const Arguments& arguments, const Asked& asked, const collective::MeasureOptions& options,
                   Terminal& terminal) {
  for (const char* measured : {"--amortise", "--tune", "--sizes", "--repetitions", "--warm-up"}) {
    if (arguments.verb().option(measured) != nullptr && arguments.has(measured))
      throw usage_error(fmt::format("{} is about times, and --explain measures nothing", measured), "leave one out");
  }
  check_delivery(arguments);
  const int sockets = arguments.has("--sockets") ? static_cast<int>(arguments.whole("--sockets", 1, kMostSockets)) : 0;
  const AllreducePlans plans =
      allreduce_plans(asked, options.algorithms, options.ranks, {std::max(1, options.gpus), sockets});
  deliver(arguments, plans.forms, 1, terminal);
  return plans.right ? ExitStatus::done : ExitStatus::check_failed;
}

/// Only jobs' allreduce chooses by what is measured.
bool is_tuning(const Arguments& arguments) {
  return arguments.verb().option("--tune") != nullptr && arguments.has("--tune");
}

/// The path where --tune saves what it finds; empty without --tune.
std::string place_of_tuning(const Arguments& arguments) {
  if (!is_tuning(arguments)) return {};
  if (arguments.has("--algorithm"))
    throw usage_error("--tune: with one algorithm there is nothing to choose", "leave --algorithm out");
  std::string file = collective::tuning_file();
  if (file.empty())
    throw usage_error("--tune: there is no place for what it finds",
                      "set TOPOWISE_ALLREDUCE_TUNING to a file, or XDG_CACHE_HOME or HOME to a folder");
  return file;
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const Asked asked = asked_by(arguments);
  const collective::MeasureOptions options = options_of(arguments, asked.collective);
  if (arguments.has("--explain")) return explain(arguments, asked, options, terminal);
  if (arguments.has("--sockets"))
    throw usage_error("--sockets belongs to --explain: what is measured knows its machine", "add --explain");
  check_delivery(arguments);
  const std::string tuning = place_of_tuning(arguments);
  const collective::Measurement measured = collective::measure_collective(options);
  deliver(arguments,
          allreduce_forms({asked, options, measured, arguments.has("--amortise"), is_tuning(arguments)}, terminal), 1,
          terminal);
  if (!tuning.empty()) {
    collective::write_tuning(tuning, measured.machine, fastest(options, measured));
    terminal.note(fmt::format("jobs of {} ranks on {} GPUs will choose by {}", options.ranks,
                              std::min(options.ranks, measured.gpus), tuning));
  }
  bool right = true;
  for (const collective::AlgorithmTimes& times : measured.algorithms)
    right = right && std::ranges::all_of(times.timings, &collective::SizeTimes::right);
  if (!right) terminal.warn("a result is wrong: do not use this algorithm on this machine");
  const collective::AlgorithmTimes& last = measured.algorithms.back();  // the named one, if one was named
  if (arguments.has("--algorithm") && !last.used)
    throw not_available(fmt::format("{} is not available here{}{}", arguments.text("--algorithm"),
                                    last.why_not.empty() ? "" : ": ", last.why_not));
  return right ? ExitStatus::done : ExitStatus::check_failed;
}

/// The algorithms that can be measured. "auto" is not one of them: a benchmark measures what it is given.
std::vector<std::string> measured_algorithms() {
  return names_of(collective::algorithms());
}

}  // namespace

Benchmark allreduce_benchmark() {
  Benchmark row = collective_benchmark();
  row.name = "allreduce";
  row.summary = "sums of vectors in GPU memory";
  row.figures = "EuroMPI/Asia 2014";
  row.operands.clear();
  row.options.push_back(
      {"--tune", "", "output",
       "keep the fastest algorithm of each size: jobs on this machine with 'run --allreduce' choose by it"});
  return row;
}

Benchmark collective_benchmark() {
  Benchmark row{
      .name = "collective",
      .summary = "a collective on vectors in GPU memory: allreduce, reduce, bcast, allgather, reduce_scatter_block",
      .figures = {},
      .operands = {{"NAME", "the collective; the sizes of allgather and reduce_scatter_block are those of a share",
                    true, Completes::choices, [] { return names_of(kMeasured); }}},
      .options =
          {
              ranks_option(),
              gpus_option(),
              {.name = "--algorithm",
               .value = "NAME",
               .group = "measurement",
               .help = "only this one",
               .choices = measured_algorithms,
               .kind = "algorithm"},
              sizes_option(),
              repetitions_option(),
              warm_up_option(),
              {"--amortise", "", "output",
               "also print after how many calls an algorithm has made up for its initialisation; that of staged-host "
               "counts as free"},
              {"--explain", "", "output",
               "print the plans, checked in many orders of events, and the bytes that they move; measure nothing"},
              {"--sockets", "N", "output",
               "with --explain: on a node of N sockets, to which GPUs and processes are dealt out evenly, also print "
               "the bytes between GPUs and between sockets"},
          },
      .alone = "one process starts the others that it measures",
      .run = run};
  for (Option& option : delivery_options()) row.options.push_back(std::move(option));
  return row;
}

}  // namespace topowise::cli
