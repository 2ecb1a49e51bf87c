// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/exchange_bench.hpp>

#include <algorithm>

#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/exchange_job.hpp>
#include <topowise/cli/verb/step_progress.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

using benchmark::Chosen;
using benchmark::ComparedMapping;
using benchmark::Places;
using benchmark::Workload;
using mpi::MpiTeam;

constexpr std::int64_t kMostRanks = 4096;

/// The machine with room on its places for the ranks of a file's mapping: the user said how many ranks may share a
/// place when that mapping was made.
Topology with_room_for_file(ExchangeRequest& request, const Topology& machine, const Terminal& terminal) {
  if (request.mapping == "auto" || is_made_mapping(request.mapping)) return machine;
  MapProblem problem{.traffic = Traffic::from_entries(1, {}), .topology = machine};
  request.read = read_mapping(request.mapping, problem, terminal);
  TopologyBuilder builder(machine);
  for (std::size_t p = 0; p < machine.place_count(); ++p)
    builder.set_capacity(Place(p), std::max(machine.place(Place(p)).capacity, problem.ranks_per_place));
  return std::move(builder).build();
}

ExitStatus predict_all(const ExchangeBenchmark& benchmark, const Arguments& arguments, Terminal& terminal) {
  ExchangeRequest request = read_exchange_request(benchmark, arguments);
  std::vector<std::size_t> counts = benchmark.rank_counts;
  if (arguments.has("--ranks")) counts = {static_cast<std::size_t>(arguments.whole("--ranks", 2, kMostRanks))};
  const Topology described =
      arguments.has("--topology") ? read_topology(arguments.text("--topology")) : benchmark.machine(counts.back());
  for (const std::string& warning : described.warnings()) terminal.warn(warning);
  const Topology machine = with_room_for_file(request, described, terminal);
  std::vector<ComparedMapping> rows;
  std::vector<std::string> notes(1, "predicted by the model; started by mpirun or srun, the ranks of the job measure");
  std::vector<Places> placed;
  std::vector<std::vector<Workload>> workloads;
  for (const std::size_t ranks : counts) {
    placed.push_back(Places::in_order(machine, ranks));
    workloads.push_back(benchmark.workloads(ranks));
  }
  StepProgress progress(progress_form(false), step_count(request, workloads), "predicted", terminal);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const Places& places = placed[c];
    for (const Workload& workload : workloads[c]) {
      for (const int weight : request.weights) {
        const std::vector<Chosen> chosen = chosen_for(benchmark, request, workload, weight, places, notes, terminal);
        for (const std::size_t bytes : request.sizes) {
          const std::string step = progress_words(workload, weight, bytes);
          progress.begin(step);
          for (ComparedMapping& row : compared_rows(workload, weight, bytes, places, chosen, notes)) {
            if (!row.predicted_seconds) throw bad_input(notes.back(), "another --topology");
            row.seconds = {*row.predicted_seconds};
            rows.push_back(std::move(row));
          }
          progress.end(step);
        }
      }
    }
  }
  deliver(arguments, comparison_table(benchmark, rows, {{"machine", machine.name()}}, notes), 1, terminal);
  return ExitStatus::done;
}

std::vector<std::string> device_kinds() {
  return {"gpu", "host"};
}

}  // namespace

std::vector<Option> exchange_bench_options() {
  std::vector<Option> options{
      ranks_option(),
      sizes_option(),
      repetitions_option(),
      warm_up_option(),
      {"--weight", "LIST", "measurement",
       "how many times as many bytes the heavy dimension carries [AsHES 2016: 1,3, overhead: 3, cartesian: 10]"},
      {"--runs", "N", "measurement", "how often all mappings are measured in turn; the median counts", "5"},
      {"--mapping",
       "FILE",
       "measurement",
       "what is compared with the first: auto (all of the benchmark's), identity, a file",
       "auto",
       nullptr,
       {},
       Completes::files},
      {"--device", "KIND", "measurement", "which memory a job measures", "gpu", device_kinds, "device"},
      topology_option()};
  for (Option& option : delivery_options()) options.push_back(option);
  return options;
}

ExitStatus run_exchange_bench(const ExchangeBenchmark& benchmark, const Arguments& arguments, Terminal& terminal) {
  if (!is_in_job()) {
    for (const std::string_view option : {"--device", "--runs", "--repetitions", "--warm-up"}) {
      if (arguments.has(option))
        throw usage_error(fmt::format("{}: only the ranks of a job measure, one process predicts", option),
                          fmt::format("mpirun -n 16 topowise bench {} ...", benchmark.name));
    }
    return predict_all(benchmark, arguments, terminal);
  }
  ExchangeOutcome outcome;
  const InterruptGuard guard;  // a launcher passes an interrupt on to all of its processes
  const ExitStatus status = measure_as_job(
      [&] {
        (void)read_exchange_request(benchmark, arguments);
        if (arguments.has("--ranks"))
          throw Arguments::wrong("--ranks", "a job has as many as its launcher has started",
                                 "mpirun -n 16 topowise bench ...");
      },
      [&](const MpiTeam& team) { measure_exchanges(benchmark, arguments, team, terminal, outcome); }, terminal);
  if (status != ExitStatus::done) return status;
  if (!outcome.right) return ExitStatus::check_failed;
  return outcome.interrupted ? ExitStatus::interrupted : ExitStatus::done;
}

}  // namespace topowise::cli
