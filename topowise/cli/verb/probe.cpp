// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include <fmt/ranges.h>

#include <topowise/base/host_names.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/measuring_job.hpp>
#include <topowise/cli/verb/pair_progress.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/probe_view.hpp>
#include <topowise/device/table.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/probe/host_memory.hpp>
#include <topowise/probe/job_rank.hpp>
#include <topowise/probe/measure_job.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

// `topowise probe`, run by all ranks of an MPI job.
// All ranks know the same: the host of every rank, the machine, the plan. Process 0 reads the files and sends the
// others what is in them.

using mpi::MpiTeam;

void check_arguments(const Arguments& arguments) {
  check_destination(arguments);
  if (arguments.has("--calibrate"))
    throw Arguments::wrong("--calibrate", "the ranks of a job do not calibrate", "start it without a launcher");
  if (parse_sizes(arguments.text("--sizes")).back() > mpi::kLargestMessage)
    throw Arguments::wrong("--sizes", "a message between ranks has 2 GiB - 1 at most", "--sizes 1B-1GiB");
}

/// The machine, and the rank on each place.
struct PlacedRanks {
  Topology machine;
  std::vector<std::optional<std::size_t>> rank_on;
  bool is_known = true;  ///< false: the machine is made of the ranks alone, and its levels must be measured

  [[nodiscard]] std::vector<Place> reachable() const {
    std::vector<Place> places;
    for (std::size_t p = 0; p < rank_on.size(); ++p) {
      if (rank_on[p]) places.emplace_back(p);
    }
    return places;
  }
};

/// The machine of --topology, else that of the GPUs of one host. Processors have no such default, because ranks need
/// not be bound to them. The machine is read before a driver is opened: `live` asks the driver in a child process,
/// which must not inherit an open driver.
std::optional<Topology> described_machine(const Arguments& arguments, const MpiTeam& team,
                                          const GatheredRanks& gathered) {
  const bool one_node = arguments.text("--device") == "gpu" && gathered.hosts.names.size() == 1;
  if (!arguments.has("--topology") && !one_node) return std::nullopt;
  return read_together(team, arguments.text("--topology"));
}

PlacedRanks placed_ranks(const Arguments& arguments, const MpiTeam& team, const GatheredRanks& gathered,
                         const std::optional<Topology>& described) {
  if (described) {
    PlacedRanks placed{*described, probe::ranks_on(*described, gathered.ranks), true};
    const std::size_t reachable = placed.reachable().size();
    team.together([&] {
      if (arguments.has("--topology") && reachable < 2)
        throw not_available(
            fmt::format("a pair needs two places with a rank; of '{}' {} have one", placed.machine.name(), reachable),
            "without --topology the machine is made of the ranks");
    });
    if (arguments.has("--topology") || reachable == gathered.ranks.size()) return placed;
  }
  PlacedRanks placed{probe::machine_of(gathered.ranks), {}, false};
  for (std::size_t r = 0; r < gathered.ranks.size(); ++r) placed.rank_on.emplace_back(r);
  return placed;
}

probe::JobPlan make_plan(const Arguments& arguments, const PlacedRanks& placed, const GatheredRanks& gathered) {
  const std::vector<Place> places = placed.reachable();
  probe::JobPlan job{probe_plan(arguments, placed.machine, places), {}, {}, gathered.hosts.of_rank};
  std::vector<std::size_t> host_of_place;
  for (const std::optional<std::size_t>& rank : placed.rank_on) {
    job.rank_of.push_back(rank.value_or(0));
    host_of_place.push_back(gathered.hosts.of_rank[rank.value_or(0)]);
  }
  const std::set<probe::PairOfPlaces> wanted(job.plan.pairs.begin(), job.plan.pairs.end());
  std::vector<probe::PairOfPlaces> order;
  for (const auto& [a, b] : probe::tournament(places.size())) {
    const probe::PairOfPlaces pair{places[a.index()], places[b.index()]};
    if (wanted.contains(pair)) order.push_back(pair);
  }
  const std::size_t processors = std::max<std::size_t>(1, std::thread::hardware_concurrency() / 2);
  const auto sharing = gathered.gpu ? probe::Sharing::links : probe::Sharing::host;
  job.rounds =
      probe::job_rounds(placed.machine, order, host_of_place, sharing, processors * gathered.hosts.names.size());
  return job;
}

std::unique_ptr<probe::RankMemory> open_memory(const MpiTeam& team, const GatheredRanks& gathered,
                                               std::size_t largest) {
  std::unique_ptr<probe::RankMemory> memory;
  team.together([&] {
    in_the_name_of(team.rank(), host_name(), [&] {
      memory = gathered.gpu ? probe::gpu_rank_memory(team, gathered.gpu->driver, gathered.gpu->ordinal, largest)
                            : probe::host_rank_memory(team, largest);
    });
  });
  return memory;
}

std::string description(const MpiTeam& team, const GatheredRanks& gathered, const probe::JobSamples& measured) {
  std::vector<std::string> ways;
  for (std::size_t way = 0; way < probe::kWays; ++way) {
    if (measured.ways[way] > 0) ways.emplace_back(to_string(static_cast<probe::Way>(way)));
  }
  return fmt::format("{}{}{}; {} ranks on {} host{}, {}",
                     gathered.gpu && probe::is_simulated(gathered.gpu->driver) ? "SIMULATED " : "",
                     gathered.gpu ? fmt::format("GPU memory of {}: ", gathered.gpu->driver.backend()) : "",
                     fmt::join(ways, ", "), gathered.ranks.size(), gathered.hosts.names.size(),
                     gathered.hosts.names.size() == 1 ? "" : "s", team.version());
}

std::vector<std::string> notes_on(const PlacedRanks& placed, const GatheredRanks& gathered,
                                  const probe::JobSamples& measured) {
  std::vector<std::string> notes;
  std::vector<std::string> empty;
  std::set<std::size_t> idle;
  for (std::size_t r = 0; r < gathered.ranks.size(); ++r) idle.insert(r);
  for (std::size_t p = 0; p < placed.rank_on.size(); ++p) {
    if (placed.rank_on[p])
      idle.erase(*placed.rank_on[p]);
    else
      empty.push_back(placed.machine.vertex_of(Place(p)).name);
  }
  if (!empty.empty()) notes.push_back(fmt::format("no rank is on {}: not measured", fmt::join(empty, ", ")));
  if (!idle.empty())
    notes.push_back(fmt::format("ranks {} are on no place of their own: they measured nothing", fmt::join(idle, ", ")));
  if (gathered.gpu) {
    for (std::size_t way = 0; way < probe::kWays; ++way) {
      if (measured.ways[way] > 0)
        notes.push_back(fmt::format("{} pairs: {}", measured.ways[way], to_string(static_cast<probe::Way>(way))));
    }
  }
  notes.insert(notes.end(), measured.reasons.begin(), measured.reasons.end());
  return notes;
}

/// The machine of the ranks, with levels that follow from the measurement.
Topology with_measured_levels(const GatheredRanks& gathered, const probe::Samples& samples) {
  const std::vector<std::size_t>& host = gathered.hosts.of_rank;
  const probe::MeasuredClasses classes = probe::measured_classes(
      samples, [&](const probe::PairOfPlaces& pair) { return host[pair.first.index()] == host[pair.second.index()]; });
  return probe::machine_of(gathered.ranks, [&](std::size_t a, std::size_t b) {
    const auto found = classes.of_pair.find({Place(a), Place(b)});
    if (found != classes.of_pair.end()) return found->second;
    return host[a] == host[b] ? classes.farthest_near : classes.farthest_far;
  });
}

void deliver(const Arguments& arguments, const MpiTeam& team, const PlacedRanks& placed, const GatheredRanks& gathered,
             probe::JobSamples measured, Terminal& terminal) {
  const Topology machine = placed.is_known ? placed.machine : with_measured_levels(gathered, measured.samples);
  std::vector<std::string> notes = notes_on(placed, gathered, measured);
  for (std::string& text : probe::findings(machine, measured.samples)) notes.push_back(std::move(text));
  const probe::Origin origin = probe_origin(description(team, gathered, measured));
  deliver_probe(arguments,
                {probe::with_measurements(machine, measured.samples, origin),
                 std::move(measured.samples),
                 origin,
                 std::move(notes),
                 {}},
                terminal);
}

void probe_in_team(const Arguments& arguments, Terminal& terminal, const MpiTeam& team) {
  GatheredRanks gathered = gather(team);
  const std::optional<Topology> described = described_machine(arguments, team, gathered);
  if (arguments.text("--device") == "gpu") take_gpus(team, gathered);
  const PlacedRanks placed = placed_ranks(arguments, team, gathered, described);
  std::optional<probe::JobPlan> job;
  team.together([&] {
    for (const std::string& warning : placed.machine.warnings()) {
      if (team.rank() == 0) terminal.warn(warning);
    }
    job = make_plan(arguments, placed, gathered);
  });
  const std::unique_ptr<probe::RankMemory> memory = open_memory(team, gathered, job->plan.sizes.back());
  std::optional<probe::JobSamples> measured;
  in_the_name_of(team.rank(), host_name(), [&] {
    PairProgress progress(team.rank() == 0 ? progress_form(true) : ProgressForm::none, job->plan, terminal);
    measured = probe::measure_in_job(team, team, *memory, *job, [&](std::size_t pairs) { progress.measured(pairs); });
  });
  team.together([&] {
    if (team.rank() == 0) deliver(arguments, team, placed, gathered, std::move(*measured), terminal);
  });
}

/// Process 0 delivers the result. Every process returns the same status.
ExitStatus probe_as_job(const Arguments& arguments, Terminal& terminal) {
  return measure_as_job([&] { check_arguments(arguments); },
                        [&](const MpiTeam& team) { probe_in_team(arguments, terminal, team); }, terminal);
}

std::vector<std::string> device_names() {
  return {"gpu", "host"};
}

std::unique_ptr<probe::Memory> open_memory(const Arguments& arguments, const Topology& machine) {
  if (arguments.text("--device") == "host") return std::make_unique<probe::HostMemory>(machine);
  return std::make_unique<probe::GpuMemory>(device::open_driver(), machine);
}

/// The progress is erased before the result is printed.
probe::Samples measure(const Topology& machine, probe::Memory& memory, const probe::Plan& plan, Terminal& terminal) {
  PairProgress progress(progress_form(false), plan, terminal);
  return probe::measure(machine, memory, plan, [&](std::size_t pairs) { progress.measured(pairs); });
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.text("--device") == "gpu") note_share(terminal);
  if (is_in_job()) return probe_as_job(arguments, terminal);
  check_destination(arguments);
  const Topology machine = read_topology(arguments.text("--topology"));
  for (const std::string& warning : machine.warnings()) terminal.warn(warning);
  const std::unique_ptr<probe::Memory> memory = open_memory(arguments, machine);
  const probe::Plan plan = probe_plan(arguments, machine, memory->places());
  probe::Samples samples = measure(machine, *memory, plan, terminal);
  std::vector<std::string> notes = memory->notes();
  for (std::string& text : probe::findings(machine, samples)) notes.push_back(std::move(text));
  probe::Calibration calibration;
  if (arguments.has("--calibrate")) calibration = probe::calibrate(machine, samples, *memory, plan.repetitions);
  const probe::Origin origin = probe_origin(memory->description());
  deliver_probe(arguments,
                {probe::with_measurements(machine, samples, origin, calibration), std::move(samples), origin,
                 std::move(notes), calibration.notes},
                terminal);
  return ExitStatus::done;
}

}  // namespace

Verb probe_verb() {
  Verb verb{.name = "probe",
            .summary = "measure latency and bandwidth between all pairs",
            .description =
                "Sends messages of growing size between all pairs of GPUs (or of processors), one way and both ways at "
                "once, and writes the machine with what was measured; 'map --metric latency' and '--metric bandwidth' "
                "use it. Pairs that share no link are measured together. Started by mpirun or srun, the ranks of the "
                "job measure each other by messages of the launcher's own MPI, on one host or many.",
            .examples = {"topowise probe --save node.json",
                         "topowise probe --save node.json && topowise map app.traffic node.json --metric bandwidth",
                         "topowise probe --device host --sizes 4KiB-4MiB --save host.json",
                         "mpirun -n 16 topowise probe --device host --save cluster.json"}};
  verb.options = {
      written_file("--save", "write the machine with the measurements"),
      {"--json", "", "output", "print every figure as JSON"},
      {.name = "--device",
       .value = "KIND",
       .group = "measurement",
       .help = "which memory",
       .fallback = "gpu",
       .choices = device_names,
       .kind = "device"},
      {.name = "--topology",
       .value = "SOURCE",
       .group = "measurement",
       .help = "the machine, for places and levels; in a job of several hosts otherwise made of what is measured",
       .fallback = "live:node",
       .completes = Completes::topologies},
      {"--sizes", "LIST", "measurement", "message sizes: ranges in powers of two, or a list", "1B-64MiB"},
      {"--repetitions", "N", "measurement", "messages of each size that count", "20"},
      {"--warm-up", "N", "measurement", "messages of each size before those", "3"},
      {"--pairs", "LIST", "measurement", "only these pairs: 0-1,GPU2-GPU5"},
      {"--calibrate", "", "measurement", "find the parameters of the PCIe congestion model as well"}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
