// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <topowise/base/names.hpp>
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/verb/allreduce_forms.hpp>
#include <topowise/cli/verb/allreduce_plans.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/collective/measure.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/tuning.hpp>

namespace topowise::cli {
namespace {

constexpr std::int64_t kMostRanks = 64;
constexpr int kUsualRanks = 4, kUsualRepetitions = 100, kUsualWarmUp = 10;

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

ExitStatus explain(const Arguments& arguments, const collective::MeasureOptions& options, Terminal& terminal) {
  for (const char* measured : {"--amortise", "--tune", "--sizes", "--repetitions", "--warm-up"}) {
    if (arguments.has(measured))
      throw usage_error(fmt::format("{} is about times, and --explain measures nothing", measured), "leave one out");
  }
  check_delivery(arguments);
  const AllreducePlans plans = allreduce_plans(options.algorithms, options.ranks, std::max(1, options.gpus));
  deliver(arguments, plans.forms, 1, terminal);
  return plans.right ? ExitStatus::done : ExitStatus::check_failed;
}

/// The path where --tune saves what it finds; empty without --tune.
std::string place_of_tuning(const Arguments& arguments) {
  if (!arguments.has("--tune")) return {};
  if (arguments.has("--algorithm"))
    throw usage_error("--tune: with one algorithm there is nothing to choose", "leave --algorithm out");
  std::string file = collective::tuning_file();
  if (file.empty())
    throw usage_error("--tune: there is no place for what it finds",
                      "set TOPOWISE_ALLREDUCE_TUNING to a file, or XDG_CACHE_HOME or HOME to a folder");
  return file;
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const collective::MeasureOptions options = options_of(arguments);
  if (arguments.has("--explain")) return explain(arguments, options, terminal);
  check_delivery(arguments);
  const std::string tuning = place_of_tuning(arguments);
  const collective::Measurement measured = collective::measure_allreduce(options);
  deliver(arguments,
          allreduce_forms({options, measured, arguments.has("--amortise"), arguments.has("--tune")}, terminal), 1,
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

/// The algorithms that can be measured. "auto" is not one of them: a benchmark measures what it is told.
std::vector<std::string> measured_algorithms() {
  return names_of(collective::algorithms());
}

}  // namespace

Benchmark allreduce_benchmark() {
  Benchmark row{
      .name = "allreduce",
      .summary = "sums of vectors in GPU memory",
      .figures = "EuroMPI/Asia 2014",
      .options =
          {
              ranks_option(),
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
               "also print after how many calls an algorithm has made up for its initialisation; that of staged-host "
               "counts as free"},
              {"--tune", "", "output",
               "keep the fastest algorithm of each size: jobs on this machine with 'run --allreduce' choose by it"},
              {"--explain", "", "output",
               "print the plans, checked in many orders of events, and the bytes that they move; measure nothing"},
          },
      .alone = "one process starts the others that it measures",
      .run = run};
  for (Option& option : delivery_options()) row.options.push_back(std::move(option));
  return row;
}

}  // namespace topowise::cli
