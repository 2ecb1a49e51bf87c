// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/measuring_job.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/table.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kList = "list";

/// The table of benchmarks: a new one is one file and one row here.
const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      stencil2d_benchmark(),  torus2d_benchmark(),     torus3d_benchmark(),       hypercube_benchmark(),
      overhead_benchmark(),   allreduce_benchmark(),   cartesian_benchmark(),     dimensional_benchmark(),
      congestion_benchmark(), halo_orders_benchmark(), halo_sequence_benchmark(),
  };
  return all;
}

std::vector<std::string> benchmark_names() {
  return names_of(benchmarks(), {std::string(kList)});
}

ExitStatus list(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--json")) {
    JsonWriter writer;
    writer.object().key("schema").value("topowise.bench-list/1").key("benchmarks").array();
    for (const Benchmark& benchmark : benchmarks()) {
      writer.object(JsonWriter::Layout::row).key("name").value(benchmark.name).key("summary").value(benchmark.summary);
      writer.key("figures").text_or_null(benchmark.figures).end();
    }
    writer.end().end();
    terminal.print("{}", std::move(writer).finish());
    return ExitStatus::done;
  }
  Table table({{"name"}, {"what it measures"}, {"as in"}});
  for (const Benchmark& benchmark : benchmarks())
    table.add({std::string(benchmark.name), std::string(benchmark.summary), std::string(benchmark.figures)});
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  return ExitStatus::done;
}

/// Refuses an option of another benchmark, which this one would ignore.
void check_options(const Arguments& arguments, std::string_view name, const std::vector<Option>& taken) {
  for (const Option& option : arguments.verb().options) {
    if (!arguments.has(option.name) || std::ranges::find(taken, option.name, &Option::name) != taken.end()) continue;
    std::vector<std::string_view> names;
    for (const Option& each : taken) names.push_back(each.name);
    throw usage_error(fmt::format("{}: bench {} does not take it", option.name, name),
                      fmt::format("it takes {}", fmt::join(names, ", ")));
  }
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string name = arguments.operand(0);
  if (name == kList) {
    check_options(arguments, name, {json_option()});
    return list(arguments, terminal);
  }
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name != name) continue;
    check_options(arguments, name, benchmark.options);
    if (!benchmark.alone.empty() && is_in_job())
      return refuse_in_job(
          usage_error(fmt::format("{}, a job has several", benchmark.alone), "start it without a launcher"), terminal);
    note_share(terminal);
    return benchmark.run(arguments, terminal);
  }
  throw usage_error(unknown_name("benchmark", name, benchmark_names()), "topowise bench list");
}

/// The options of all benchmarks: each name once, in the order of the rows.
std::vector<Option> all_options() {
  std::vector<Option> all;
  for (const Benchmark& benchmark : benchmarks()) {
    for (const Option& option : benchmark.options) {
      if (std::ranges::find(all, option.name, &Option::name) == all.end()) all.push_back(option);
    }
  }
  std::ranges::stable_sort(all, {}, [](const Option& option) { return option.group == "output"; });
  return all;
}

}  // namespace

Verb bench_verb() {
  Verb verb{.name = "bench",
            .summary = "measure what the papers' figures show",
            .description =
                "'bench list' lists the benchmarks. stencil2d, torus2d, torus3d, hypercube, overhead, cartesian, "
                "dimensional: "
                "exchanges under several mappings; started by mpirun or srun the ranks of the job measure them, alone "
                "they are predicted. halo-orders, halo-sequence: predicted. allreduce: vectors of floats in GPU memory "
                "are summed by processes "
                "of this machine that share its GPUs, without MPI, by each algorithm of 'run --allreduce'. Every "
                "process takes the mean of its times; told are their mean, the least and the largest. Results are "
                "checked. congestion: sets of transfers between GPUs that begin together are predicted by the "
                "congestion model, whose parameters are measured first, and run.",
            .examples = {"topowise bench list", "topowise bench stencil2d --save figures",
                         "mpirun -n 16 topowise bench stencil2d --device host", "topowise bench allreduce --ranks 8",
                         "topowise bench allreduce --ranks 4 --explain",
                         "topowise bench allreduce --algorithm leader-fused --sizes 4B-64MiB --json",
                         "topowise bench allreduce --algorithm shared-buffer --amortise",
                         "topowise bench congestion --sets 1000 --save results",
                         "topowise bench congestion --messages '0->3 1->2' --sizes 1KiB-512MiB"}};
  verb.operands = {{"NAME", "list, or one of those that it lists", true, Completes::choices, benchmark_names}};
  verb.options = all_options();
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
