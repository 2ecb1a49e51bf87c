// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/exchange_bench.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

#include <topowise/base/text.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/measuring_job.hpp>
#include <topowise/cli/verb/step_progress.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/predicted_time.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

using benchmark::Chosen;
using benchmark::ComparedMapping;
using benchmark::Kind;
using benchmark::Places;
using benchmark::ResultTable;
using benchmark::Workload;

constexpr std::string_view kUsualSizes = "4B-16MiB";
constexpr int kUsualRepetitions = 20;
constexpr int kUsualWarmUp = 2;

std::vector<int> parse_weights(const std::string& text) {
  constexpr std::int64_t kMost = 1000;
  std::vector<int> weights;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<std::int64_t> weight = parse_integer(word);
    if (!weight || *weight < 1 || *weight > kMost)
      throw Arguments::wrong("--weight", fmt::format("'{}' is no number from 1 to {}", printable(word), kMost),
                             "--weight 1,3");
    if (std::ranges::find(weights, static_cast<int>(*weight)) == weights.end())
      weights.push_back(static_cast<int>(*weight));
  }
  return weights;
}

/// The mapping that --mapping names. A file is read only once.
const Mapping& named_mapping(ExchangeRequest& request, const Workload& workload, const Places& places,
                             const Terminal& terminal) {
  if (!request.read || is_made_mapping(request.mapping)) {
    MapProblem problem{.traffic = Traffic::from_entries(workload.ranks, {}), .topology = places.machine};
    request.read = read_mapping(request.mapping, problem, terminal);
  }
  if (request.read->ranks() != workload.ranks)
    throw bad_input(fmt::format("'{}' maps {} ranks, but {} has {}", request.mapping, request.read->ranks(),
                                workload.name, workload.ranks));
  return *request.read;
}

/// The time that the model predicts; nothing without a model.
std::optional<double> predicted(PredictedTime* model, const Mapping& mapping) {
  if (model == nullptr) return std::nullopt;
  return (*model)(mapping).value();
}

/// The model for this traffic. Nothing if a link of a route has no bandwidth, which a note says.
std::optional<PredictedTime> model_of(const Traffic& traffic, const Places& places, std::vector<std::string>& notes) {
  try {
    PredictedTime model(traffic, places.machine);
    (void)model(Mapping(places.place_of));
    return model;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;
    notes.push_back(fmt::format("no time is predicted: {}", error.what()));
    return std::nullopt;
  }
}

// A benchmark of exchanges, measured by the ranks of a job. Process 0 chooses the mappings and sends them to the
// others. A process then plays the rank that the tested mapping puts onto its place, so one job measures all mappings.

struct ExchangeOutcome {
  bool right = true;         ///< known in process 0
  bool interrupted = false;  ///< the same in every process
};

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

/// For each mapping, the process that plays each rank. Process 0 sends it to the others.
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

/// Seconds until process 0 has sent every process which process plays which rank under one mapping.
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
    notes.emplace_back(
        "all pairs of ranks are equally far apart, as far as the machine is known: no mapping has fewer hop-bytes");
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

/// Collective.
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

ExchangeRequest read_exchange_request(const ExchangeBenchmark& benchmark, const Arguments& arguments) {
  check_delivery(arguments);
  ExchangeRequest request{
      benchmark_sizes(arguments, kUsualSizes),
      parse_weights(arguments.has("--weight") ? arguments.text("--weight") : std::string(benchmark.weights)),
      {count_or(arguments, "--repetitions", 1, kUsualRepetitions), count_or(arguments, "--warm-up", 1, kUsualWarmUp),
       static_cast<int>(arguments.whole("--runs", 1, 1000)), InterruptGuard::interrupted},
      arguments.text("--mapping"),
      std::nullopt};
  const int heaviest = std::ranges::max(request.weights);
  if (request.sizes.back() > mpi::kLargestMessage / static_cast<std::size_t>(heaviest))
    throw Arguments::wrong("--sizes", "a message, times its weight, has 2 GiB - 1 at most", "--sizes 4B-16MiB");
  return request;
}

std::vector<Chosen> chosen_for(const ExchangeBenchmark& benchmark, ExchangeRequest& request, const Workload& workload,
                               int weight, const Places& places, std::vector<std::string>& notes,
                               const Terminal& terminal) {
  const std::span<const benchmark::Selection> all = benchmark.selections();
  if (request.mapping == "auto") return choose(workload, weight, places, all, notes, benchmark.counted);
  std::vector<Chosen> chosen = choose(workload, weight, places, all.first(1), notes);
  if (request.mapping == "identity") return chosen;
  chosen.push_back({request.mapping, named_mapping(request, workload, places, terminal), std::nullopt});
  return chosen;
}

std::vector<ComparedMapping> compared_rows(const Workload& workload, int weight, std::size_t bytes,
                                           const Places& places, const std::vector<Chosen>& chosen,
                                           std::vector<std::string>& notes) {
  const Traffic traffic = workload.traffic(weight, bytes);
  std::optional<PredictedTime> model = model_of(traffic, places, notes);
  std::vector<ComparedMapping> rows;
  for (const Chosen& each : chosen) {
    rows.push_back({.workload = workload.name,
                    .ranks = workload.ranks,
                    .weight = weight,
                    .bytes = bytes,
                    .mapping = each.name,
                    .kind = Kind::predicted,
                    .seconds = {},
                    .predicted_seconds = predicted(model ? &*model : nullptr, each.mapping),
                    .hop_bytes = hop_bytes(traffic, places.machine, each.mapping, Metric::distance),
                    .mapping_seconds = each.seconds});
  }
  return rows;
}

std::string progress_words(const Workload& workload, int weight, std::size_t bytes) {
  return fmt::format("{} ranks, {}, w = {}, {}", workload.ranks, workload.name, weight,
                     size_label(static_cast<double>(bytes)));
}

std::size_t step_count(const ExchangeRequest& request, const std::vector<std::vector<Workload>>& workloads) {
  std::size_t exchanges = 0;
  for (const std::vector<Workload>& each : workloads) exchanges += each.size();
  return exchanges * request.weights.size() * request.sizes.size();
}

ResultTable comparison_table(const ExchangeBenchmark& benchmark, const std::vector<ComparedMapping>& rows,
                             std::vector<std::pair<std::string, benchmark::Cell>> facts,
                             const std::vector<std::string>& notes) {
  ResultTable table = compare_mappings(rows, benchmark.drawn);
  table.name = benchmark.name;
  table.title = benchmark.title;
  table.facts = std::move(facts);
  for (const std::string& note : notes) {
    if (std::ranges::find(table.notes, note) == table.notes.end()) table.notes.push_back(note);
  }
  return table;
}

std::vector<Option> exchange_bench_options() {
  std::vector<Option> options{
      ranks_option(),
      sizes_option(),
      repetitions_option(),
      warm_up_option(),
      {"--weight", "LIST", "measurement",
       "how many times as many bytes the heavy dimension carries [AsHES 2016: 1,3, overhead: 3, cartesian: 10]"},
      {"--runs", "N", "measurement", "how often all mappings are measured in turn; the median counts", "5"},
      {.name = "--mapping",
       .value = "FILE",
       .group = "measurement",
       .help = "what is compared with the first: auto (all of the benchmark's), identity, a file",
       .fallback = "auto",
       .completes = Completes::files},
      {.name = "--device",
       .value = "KIND",
       .group = "measurement",
       .help = "which memory a job measures",
       .fallback = "gpu",
       .choices = device_kinds,
       .kind = "device"},
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
