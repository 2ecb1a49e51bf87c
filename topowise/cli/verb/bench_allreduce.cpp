// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/collective/amortisation.hpp>
#include <topowise/collective/measure.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/plan/simulation.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {
namespace {

constexpr std::int64_t kMostRanks = 64;
constexpr int kUsualRanks = 4, kUsualRepetitions = 100, kUsualWarmUp = 10;

std::string_view name_of(const collective::AlgorithmTimes& times) {
  return collective::algorithms()[times.algorithm].name;
}

constexpr std::string_view kBaseline = "staged-host";  ///< as MPI libraries reduce

std::vector<std::size_t> chosen_algorithms(const Arguments& arguments) {
  if (arguments.has("--algorithm")) {
    const std::size_t one = collective::find_algorithm(arguments.text("--algorithm"));
    const std::size_t baseline = collective::find_algorithm(kBaseline);
    if (arguments.has("--amortise") && one != baseline) return {baseline, one};
    return {one};
  }
  std::vector<std::size_t> all(collective::algorithms().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

collective::MeasureOptions options_of(const Arguments& arguments) {
  collective::MeasureOptions options{
      .ranks = arguments.has("--ranks") ? static_cast<int>(arguments.whole("--ranks", 1, kMostRanks)) : kUsualRanks,
      .gpus = arguments.has("--gpus") ? static_cast<int>(arguments.whole("--gpus", 1, kMostRanks)) : 0,
      .algorithms = chosen_algorithms(arguments),
      .sizes = parse_sizes(arguments.text("--sizes")),
      .repetitions = count_or(arguments, "--repetitions", 1, kUsualRepetitions),
      .warm_up = count_or(arguments, "--warm-up", 0, kUsualWarmUp)};
  for (const std::size_t size : options.sizes) {
    if (size % sizeof(float) != 0)
      throw Arguments::wrong("--sizes", fmt::format("{} B are no whole number of floats", size), "--sizes 4B-16MiB");
  }
  return options;
}

/// The plans, and what the simulation finds wrong with them: nothing, or this program has a bug.
ExitStatus explain(const collective::MeasureOptions& options, Terminal& terminal) {
  constexpr int kRuns = 200;
  const collective::Layout layout = collective::layout_in_turn(options.ranks, std::max(1, options.gpus));
  ExitStatus status = ExitStatus::done;
  for (const std::size_t algorithm : options.algorithms) {
    const collective::Plan plan = collective::algorithms()[algorithm].plan_for(layout);
    const std::string wrong = collective::simulate_many(plan, kRuns);
    terminal.print("{}{}\n\n", describe(plan),
                   wrong.empty() ? fmt::format("right in {} simulated orders of events", kRuns) : "WRONG: " + wrong);
    if (!wrong.empty()) status = ExitStatus::check_failed;
  }
  return status;
}

using Calls = std::optional<std::uint64_t>;

/// Of an algorithm and a size of the measurement; nothing where no number of calls pays, or no baseline was measured.
Calls amortised(const collective::Measurement& measured, const collective::AlgorithmTimes& times, std::size_t size) {
  const auto baseline = std::ranges::find(measured.algorithms, kBaseline, name_of);
  if (baseline == measured.algorithms.end()) return std::nullopt;
  return calls_to_amortise(times, *baseline, size);
}

std::string json(const collective::MeasureOptions& options, const collective::Measurement& measured) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.bench-allreduce/1").key("device").value(measured.device);
  writer.key("gpus").value(measured.gpus).key("ranks").value(options.ranks);
  writer.key("repetitions").value(options.repetitions).key("algorithms").array();
  for (const collective::AlgorithmTimes& times : measured.algorithms) {
    writer.object().key("name").value(name_of(times)).key("available").value(times.used);
    writer.key("initialisation_s").value(times.initialisation.value()).key("sizes").array();
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      writer.object(JsonWriter::Layout::row).key("bytes").value(one.bytes).key("mean_s").value(one.mean.value());
      writer.key("min_s").value(one.least.value()).key("max_s").value(one.most.value());
      const Calls calls = amortised(measured, times, size);
      writer.key("right").value(one.right).key("amortised_calls");
      (calls ? writer.value(*calls) : writer.null()).end();
    }
    writer.end().end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

void print_csv(const collective::Measurement& measured, bool amortise, Terminal& terminal) {
  terminal.print("algorithm,bytes,mean_s,min_s,max_s,right{}\n", amortise ? ",initialisation_s,amortised_calls" : "");
  for (const collective::AlgorithmTimes& times : measured.algorithms) {
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      terminal.print("{},{},{},{},{},{}", name_of(times), one.bytes, one.mean.value(), one.least.value(),
                     one.most.value(), one.right ? "true" : "false");
      const Calls calls = amortised(measured, times, size);
      if (amortise)
        terminal.print(",{},{}", times.initialisation.value(), calls ? std::to_string(*calls) : std::string("never"));
      terminal.print("\n");
    }
  }
}

/// Figure 3 of the paper: a column an algorithm.
void print_amortisation(const collective::MeasureOptions& options, const collective::Measurement& measured,
                        Terminal& terminal) {
  std::vector<const collective::AlgorithmTimes*> columns;
  for (const collective::AlgorithmTimes& times : measured.algorithms)
    if (times.used && name_of(times) != kBaseline) columns.push_back(&times);
  terminal.print("\ncalls after which the initialisation has paid, beside {} that begins for free\n{:>12}", kBaseline,
                 "bytes");
  for (const collective::AlgorithmTimes* times : columns) terminal.print(" {:>14}", name_of(*times));
  for (std::size_t size = 0; size < options.sizes.size(); ++size) {
    terminal.print("\n{:>12}", options.sizes[size]);
    for (const collective::AlgorithmTimes* times : columns) {
      const Calls calls = amortised(measured, *times, size);
      terminal.print(" {:>14}", calls ? std::to_string(*calls) : std::string("never"));
    }
  }
  terminal.print("\n");
}

void print_table(const collective::MeasureOptions& options, const collective::Measurement& measured,
                 Terminal& terminal) {
  constexpr double kMicro = 1e6;
  terminal.print("{} ranks on {} x {}, {} calls a size, microseconds\n", options.ranks, measured.gpus, measured.device,
                 options.repetitions);
  for (const collective::AlgorithmTimes& times : measured.algorithms) {
    if (!times.used) {
      terminal.print("\n{}: not available here\n", terminal.bold(name_of(times)));
      continue;
    }
    terminal.print("\n{}, first call {:.0f}\n{:>12} {:>12} {:>12} {:>12}\n", terminal.bold(name_of(times)),
                   times.initialisation.value() * kMicro, "bytes", "mean", "min", "max");
    for (const collective::SizeTimes& one : times.timings)
      terminal.print("{:>12} {:>12.2f} {:>12.2f} {:>12.2f}{}\n", one.bytes, one.mean.value() * kMicro,
                     one.least.value() * kMicro, one.most.value() * kMicro, one.right ? "" : "   WRONG RESULT");
  }
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const collective::MeasureOptions options = options_of(arguments);
  if (arguments.has("--explain")) return explain(options, terminal);
  const collective::Measurement measured = collective::measure_allreduce(options);
  if (measured.device.starts_with("SIMULATED"))
    terminal.warn("the GPUs are acted out: these times say nothing about a GPU");
  if (arguments.has("--json"))
    terminal.print("{}", json(options, measured));
  else if (arguments.has("--csv"))
    print_csv(measured, arguments.has("--amortise"), terminal);
  else
    print_table(options, measured, terminal);
  const bool table = !arguments.has("--json") && !arguments.has("--csv");
  if (table && arguments.has("--amortise")) print_amortisation(options, measured, terminal);
  bool right = true;
  for (const collective::AlgorithmTimes& times : measured.algorithms)
    right = right && std::ranges::all_of(times.timings, &collective::SizeTimes::right);
  if (!right) terminal.warn("a result is wrong: do not use this algorithm on this machine");
  return right ? ExitStatus::done : ExitStatus::check_failed;
}

/// "auto" is none: a benchmark measures what it is told.
std::vector<std::string> measured_algorithms() {
  std::vector<std::string> names;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) names.emplace_back(algorithm.name);
  return names;
}

}  // namespace

Benchmark allreduce_benchmark() {
  return {.name = "allreduce",
          .summary = "sums of vectors in GPU memory",
          .figures = "EuroMPI/Asia 2014",
          .options =
              {ranks_option(),
               gpus_option(),
               {"--algorithm",
                "NAME",
                "measurement",
                "only this one",
                {},
                measured_algorithms,
                "algorithm",
                Completes::choices},
               sizes_option(),
               repetitions_option(),
               warm_up_option(),
               {"--amortise", "", "output",
                "also how many calls pay for an algorithm's initialisation, beside staged-host that begins for free"},
               {"--explain", "", "output", "print the plans, checked in many orders of events, and measure nothing"},
               csv_option(),
               json_option()},
          .run = run};
}

}  // namespace topowise::cli
