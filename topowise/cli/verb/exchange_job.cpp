// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/exchange_job.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

#include <topowise/benchmark/measure_exchange.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/step_progress.hpp>
#include <topowise/probe/gpu_memory.hpp>

namespace topowise::cli {
namespace {

using benchmark::Chosen;
using benchmark::ComparedMapping;
using benchmark::Kind;
using benchmark::Places;
using benchmark::Workload;
using mpi::MpiTeam;

/// The machine of --topology, else that of the GPUs of one host. It is read before a driver is opened, as in `probe`.
std::optional<Topology> described_machine(const Arguments& arguments, const MpiTeam& team,
                                          const GatheredRanks& gathered) {
  if (arguments.has("--topology")) return read_together(team, arguments.text("--topology"));
  const bool one_node = arguments.text("--device") == "gpu" && gathered.hosts.names.size() == 1;
  if (!one_node) return std::nullopt;
  return read_together(team, "live");
}

Places places_in_job(const MpiTeam& team, const GatheredRanks& gathered, const std::optional<Topology>& described) {
  const std::vector<std::size_t>& host = gathered.hosts.of_rank;
  const Topology machine =
      described ? *described : probe::machine_of(gathered.ranks, [&](std::size_t a, std::size_t b) {
        return host[a] == host[b] ? PathClass{PathKind::node, 0} : PathClass{PathKind::network, 1};
      });
  std::vector<int> standing(machine.place_count(), 0);
  std::vector<Place> place_of;
  team.together([&] {
    const std::vector<std::optional<Place>> found = probe::places_of(machine, gathered.ranks);
    for (std::size_t r = 0; r < found.size(); ++r) {
      if (!found[r])
        throw bad_input(
            fmt::format("rank {} on {} is on no place of '{}'", r, gathered.ranks[r].host, machine.name()),
            "topowise topology TOPOLOGY lists the places; without --topology the machine is made of the ranks");
      place_of.push_back(*found[r]);
      ++standing[found[r]->index()];
    }
  });
  TopologyBuilder builder(machine);
  for (std::size_t p = 0; p < standing.size(); ++p) {
    if (standing[p] > 0) builder.set_capacity(Place(p), standing[p]);
  }
  return {std::move(builder).build(), std::move(place_of)};
}

/// For each mapping, the process that plays each rank. Process 0 tells it to the others.
std::vector<std::vector<int>> players(const MpiTeam& team, const Places& places, const std::vector<Chosen>& chosen) {
  std::vector<int> told;
  for (const Chosen& each : chosen) {
    const std::vector<int> process_of = benchmark::processes_of(each.mapping, places.place_of);
    told.insert(told.end(), process_of.begin(), process_of.end());
  }
  team.broadcast(told, 0);
  const auto ranks = static_cast<std::ptrdiff_t>(places.place_of.size());
  std::vector<std::vector<int>> all;
  for (auto at = told.begin(); at != told.end(); at += ranks) all.emplace_back(at, at + ranks);
  return all;
}

/// Seconds until process 0 has told every process which process plays which rank under one mapping.
double seconds_of_telling(const MpiTeam& team, const std::vector<int>& process_of) {
  std::vector<int> told = process_of;
  team.wait_for_all();
  const auto start = std::chrono::steady_clock::now();
  team.broadcast(told, 0);
  team.wait_for_all();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is the same for all measurements of a job.
struct Measuring {
  const ExchangeBenchmark& benchmark;
  const Arguments& arguments;
  ExchangeRequest& request;
  const MpiTeam& team;
  const GatheredRanks& gathered;
  const Places& places;
  Terminal& terminal;
  std::vector<ComparedMapping> rows;  ///< filled in process 0 only
  std::vector<std::string> notes;
  std::string way = "MPI from host memory";
  bool interrupted = false;  ///< has the same value in all processes

  [[nodiscard]] Kind kind() const {
    return gathered.gpu && probe::is_simulated(gathered.gpu->driver) ? Kind::simulated : Kind::measured;
  }
};

std::unique_ptr<benchmark::ExchangeMemory> open_memory(
    Measuring& job, const std::vector<std::vector<benchmark::RankMessages>>& of_mappings) {
  benchmark::MemorySizes sizes{1, 1};
  for (const std::vector<benchmark::RankMessages>& of_mapping : of_mappings) {
    const benchmark::RankMessages& own = of_mapping[static_cast<std::size_t>(job.team.rank())];
    sizes.out = std::max(sizes.out, own.most_out());
    sizes.in = std::max(sizes.in, own.all_in());
  }
  if (!job.gathered.gpu) return benchmark::host_exchange_memory(job.team, sizes);
  benchmark::GpuExchange made = benchmark::gpu_exchange_memory(
      job.team, job.team, job.gathered.gpu->driver, job.gathered.gpu->ordinal, sizes, job.gathered.hosts.of_rank);
  job.way = benchmark::to_string(made.way);
  if (!made.reason.empty()) job.notes.push_back(made.reason);
  return std::move(made.memory);
}

/// True if all mappings cost the same, so that there is nothing to choose.
bool all_pairs_alike(const Topology& machine) {
  return machine.levels().size() < 2 && !machine.has_pair_matrix(Metric::distance);
}

bool all_right(const Measuring& job) {
  return std::ranges::all_of(job.rows, &ComparedMapping::right);
}

std::string source_of(const Measuring& job) {
  const bool simulated = job.kind() == Kind::simulated;
  return fmt::format("{}{}{}; {} ranks on {} host{}, {}", simulated ? "SIMULATED " : "",
                     job.gathered.gpu ? fmt::format("GPU memory of {}: ", job.gathered.gpu->driver.backend()) : "",
                     job.way, job.gathered.ranks.size(), job.gathered.hosts.names.size(),
                     job.gathered.hosts.names.size() == 1 ? "" : "s", job.team.version());
}

/// The table of the rows so far, with its facts and notes. `ended` is true if nothing more will be measured.
benchmark::ResultTable result_of(const Measuring& job, bool ended) {
  std::vector<std::string> notes = job.notes;
  if (job.interrupted)
    notes.emplace_back("interrupted: these are the measurements until then");
  else if (!ended)
    notes.emplace_back("not ended: these are the measurements so far");
  if (all_pairs_alike(job.places.machine))
    notes.emplace_back("all pairs of ranks are alike on this machine, as far as it is known: no mapping gains");
  if (job.kind() == Kind::simulated) notes.push_back(simulated_note());
  if (!all_right(job)) notes.emplace_back("something else arrived than was sent: the times are worth nothing");
  std::vector<std::pair<std::string, benchmark::Cell>> facts{{"machine", job.places.machine.name()},
                                                             {"source", source_of(job)}};
  if (job.kind() == Kind::simulated)
    facts.emplace_back("simulated_slowdown", benchmark::cell_or_none(simulated_slowdown()));
  return comparison_table(job.benchmark, job.rows, std::move(facts), notes);
}

/// Adds the rows of one size, in process 0. With --save writes all rows so far, because a launcher may kill the job
/// before its end; Open MPI's launcher does so a second after an interrupt.
void keep_rows(Measuring& job, std::vector<ComparedMapping> rows, const std::vector<benchmark::ExchangeTimes>& times) {
  for (std::size_t m = 0; m < rows.size(); ++m) {
    rows[m].kind = job.kind();
    rows[m].seconds = times[m].runs;
    rows[m].right = times[m].right;
    job.rows.push_back(std::move(rows[m]));
  }
  save_so_far(
      job.arguments, [&] { return result_of(job, false); }, job.gathered.ranks.size());
}

void measure(Measuring& job, const Workload& workload, int weight, StepProgress& progress) {
  std::vector<Chosen> chosen;
  job.team.together([&] {
    if (job.team.rank() == 0)
      chosen = chosen_for(job.benchmark, job.request, workload, weight, job.places, job.notes, job.terminal);
  });
  const std::vector<std::vector<int>> process_of = players(job.team, job.places, chosen);
  for (std::size_t m = 0; m < process_of.size() && job.benchmark.counted == benchmark::Counted::start; ++m) {
    const double seconds = seconds_of_telling(job.team, process_of[m]);
    if (m < chosen.size() && chosen[m].seconds) *chosen[m].seconds += seconds;  // only process 0 has chosen mappings
  }
  for (const std::size_t bytes : job.request.sizes) {
    if (job.interrupted) return;
    const std::string step = progress_words(workload, weight, bytes);
    progress.begin(step);
    std::vector<std::vector<benchmark::RankMessages>> of_mappings;
    for (const std::vector<int>& each : process_of)
      of_mappings.push_back(benchmark::rank_messages(workload.traffic(weight, bytes), each));
    const std::unique_ptr<benchmark::ExchangeMemory> memory = open_memory(job, of_mappings);
    const std::vector<benchmark::ExchangeTimes> times =
        benchmark::measure_exchange(job.team, job.team, *memory, of_mappings, job.request.plan);
    const std::size_t runs = times.front().runs.size();
    job.interrupted = runs < static_cast<std::size_t>(job.request.plan.runs);
    if (runs == 0) return;
    progress.end(step);
    job.team.together([&] {
      if (job.team.rank() == 0)
        keep_rows(job, compared_rows(workload, weight, bytes, job.places, chosen, job.notes), times);
    });
  }
}

}  // namespace

void measure_exchanges(const ExchangeBenchmark& benchmark, const Arguments& arguments, const MpiTeam& team,
                       Terminal& terminal, ExchangeOutcome& outcome) {
  ExchangeRequest request = read_exchange_request(benchmark, arguments);
  GatheredRanks gathered = gather(team);
  const std::optional<Topology> described = described_machine(arguments, team, gathered);
  if (arguments.text("--device") == "gpu") take_gpus(team, gathered);
  const Places places = places_in_job(team, gathered, described);
  Measuring job{benchmark, arguments, request, team, gathered, places, terminal, {}, {}};
  std::vector<Workload> workloads;
  team.together([&] { workloads = benchmark.workloads(gathered.ranks.size()); });
  {
    StepProgress progress(team.rank() == 0 ? progress_form(true) : ProgressForm::none, step_count(request, {workloads}),
                          "measured", terminal);
    in_the_name_of(team.rank(), gathered.ranks[static_cast<std::size_t>(team.rank())].host, [&] {
      for (const Workload& workload : workloads) {
        for (const int weight : request.weights) {
          if (!job.interrupted) measure(job, workload, weight, progress);
        }
      }
    });
  }
  outcome.interrupted = job.interrupted;
  team.together([&] {
    if (team.rank() != 0) return;
    outcome.right = all_right(job);
    deliver(arguments, result_of(job, true), gathered.ranks.size(), terminal);
  });
}

}  // namespace topowise::cli
