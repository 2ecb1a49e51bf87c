// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <vector>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/measuring_job.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kList = "list";

/// The table of benchmarks: a new one is one file and one row here.
const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      stencil2d_benchmark(),   torus2d_benchmark(),    torus3d_benchmark(),     hypercube_benchmark(),
      overhead_benchmark(),    allreduce_benchmark(),  collective_benchmark(),  cartesian_benchmark(),
      dimensional_benchmark(), congestion_benchmark(), halo_orders_benchmark(), halo_sequence_benchmark(),
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

/// Runs `bench` itself, which lists.
ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string name = arguments.operand(0);
  if (name == kList) return list(arguments, terminal);
  throw usage_error(unknown_name("benchmark", name, benchmark_names()), "topowise bench list");
}

/// Runs a member of `bench`.
ExitStatus run_benchmark(const Arguments& arguments, Terminal& terminal) {
  const Benchmark& benchmark = *std::ranges::find(benchmarks(), arguments.verb().name, &Benchmark::name);
  if (!benchmark.alone.empty() && is_in_job())
    return refuse_in_job(
        usage_error(fmt::format("{}, a job has several", benchmark.alone), "start it without a launcher"), terminal);
  note_share(terminal);
  return benchmark.run(arguments, terminal);
}

constexpr auto kExamples = std::to_array<std::string_view>(
    {"topowise bench list", "topowise bench stencil2d --save figures",
     "mpirun -n 16 topowise bench stencil2d --device host",
     "topowise bench torus2d --ranks 8 --topology preset:dgx1-v100", "topowise bench torus3d --sizes 4KiB,1MiB",
     "topowise bench hypercube --weight 1,3", "topowise bench overhead --sizes 16MiB",
     "topowise bench cartesian --sizes 1KiB", "topowise bench dimensional --sizes 1KiB",
     "topowise bench allreduce --ranks 8", "topowise bench allreduce --ranks 4 --explain",
     "topowise bench allreduce --algorithm leader-fused --sizes 4B-64MiB --json",
     "topowise bench allreduce --algorithm shared-buffer --amortise", "topowise bench collective reduce --ranks 8",
     "topowise bench collective allgather --ranks 4 --explain", "topowise bench congestion --sets 1000 --save results",
     "topowise bench congestion --messages '0->3 1->2' --sizes 1KiB-512MiB",
     "topowise bench halo-orders --model pcie-sc16", "topowise bench halo-sequence --model pcie-sc16"});

Verb member_of(const Benchmark& benchmark) {
  Verb member{.name = benchmark.name,
              .summary = benchmark.summary,
              .description = {},
              .examples = {},
              .operands = benchmark.operands,
              .options = benchmark.options,
              .run = run_benchmark,
              .of = "bench"};
  for (const std::string_view example : kExamples) {
    if (example.find(fmt::format(" bench {} ", benchmark.name)) != std::string_view::npos)
      member.examples.push_back(example);
  }
  return member;
}

}  // namespace

Verb bench_verb() {
  Verb verb{
      .name = "bench",
      .summary = "measure what the papers' figures show",
      .description =
          "'bench list' lists the benchmarks. stencil2d, torus2d, torus3d, hypercube, overhead, cartesian, "
          "dimensional: exchanges under several mappings; under mpirun or srun the ranks of the job measure them, "
          "otherwise they are predicted. halo-orders, halo-sequence: predicted. allreduce: processes of this "
          "machine that share its GPUs sum vectors of floats in GPU memory, without MPI, by each algorithm of "
          "'run --allreduce'. collective: the same for the other functions of 'run --collectives-on-gpu'. Each process "
          "averages its times; the mean, minimum and maximum of these averages "
          "are printed. Results are checked. congestion: the congestion model, whose parameters are measured "
          "first, predicts sets of transfers between GPUs that start together; then they are run.",
      .examples = {kExamples.begin(), kExamples.end()}};
  verb.operands = {{"NAME", "list, or a benchmark from that list", true, Completes::choices, benchmark_names}};
  verb.options = {json_option()};
  verb.run = run;
  for (const Benchmark& benchmark : benchmarks()) verb.members.push_back(member_of(benchmark));
  return verb;
}

}  // namespace topowise::cli
