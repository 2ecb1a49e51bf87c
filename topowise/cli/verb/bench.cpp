// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <topowise/base/text.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/verbs.hpp>

namespace topowise::cli {
namespace {

const std::array<Benchmark, 1>& benchmarks() {
  static const std::array<Benchmark, 1> all{allreduce_benchmark()};
  return all;
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string name = arguments.operand(0);
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return benchmark.run(arguments, terminal);
    names.emplace_back(benchmark.name);
  }
  throw usage_error(unknown_name("benchmark", name, names), "topowise bench --help");
}

}  // namespace

Verb bench_verb() {
  Verb verb{.name = "bench",
            .summary = "measure a collective on this machine, or show how it is done",
            .description =
                "NAME is allreduce: vectors of floats in GPU memory are summed by processes of this machine that share "
                "its GPUs, without MPI, by each algorithm of 'run --allreduce'. Every process takes the mean of its "
                "times; told are their mean, the least and the largest. Results are checked.",
            .examples = {"topowise bench allreduce --ranks 8", "topowise bench allreduce --ranks 4 --explain",
                         "topowise bench allreduce --algorithm leader-fused --sizes 4B-64MiB --json",
                         "topowise bench allreduce --algorithm shared-buffer --amortise"}};
  verb.operands = {{"NAME", "allreduce"}};
  verb.options = {
      {"--ranks", "N", "measurement", "processes", "4"},
      {"--gpus", "N", "measurement", "GPUs that they share, in turn; without it all that are visible, of plans 1"},
      {"--algorithm", "NAME", "measurement", "only this one", {}, measured_algorithms, "algorithm", Completes::choices},
      {"--sizes", "LIST", "measurement", "of a vector: ranges in powers of two, or a list", "4B-16MiB"},
      {"--repetitions", "N", "measurement", "calls that are timed, of each size", "100"},
      {"--warm-up", "N", "measurement", "calls before them", "10"},
      {"--amortise", "", "output",
       "also how many calls pay for an algorithm's initialisation, beside staged-host that begins for free"},
      {"--explain", "", "output", "print the plans, checked in many orders of events, and measure nothing"},
      {"--csv", "", "output", "comma-separated values"},
      json_option()};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
