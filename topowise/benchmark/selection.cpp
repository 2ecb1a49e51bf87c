// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <system_error>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::benchmark {
namespace {

// Writes to files what the start of a mapped job reads, so that reading them can be timed.

/// Writes the files to a new folder among the temporary files, and removes it when this object goes. Throws
/// Error(bad_input).
class StartFiles {
 public:
  StartFiles(const Traffic& traffic, const Topology& machine);
  ~StartFiles();
  StartFiles(const StartFiles&) = delete;
  StartFiles& operator=(const StartFiles&) = delete;

  // Each function reads its file again, as `topowise map` does.
  [[nodiscard]] Traffic read_traffic() const;
  [[nodiscard]] Topology read_machine() const;

 private:
  std::filesystem::path folder_;
};

constexpr const char* kTraffic = "traffic.json";
constexpr const char* kMachine = "machine.json";

std::filesystem::path new_folder() {
  std::error_code failure;
  std::string name = (std::filesystem::temp_directory_path(failure) / "topowise-bench-XXXXXX").string();
  if (!failure && ::mkdtemp(name.data()) == nullptr) failure = std::error_code(errno, std::generic_category());
  if (failure)
    throw bad_input(fmt::format("cannot make a folder for the files of a start: {}", failure.message()),
                    "TMPDIR=/a/folder");
  return name;
}

StartFiles::StartFiles(const Traffic& traffic, const Topology& machine) : folder_(new_folder()) {
  write_file((folder_ / kTraffic).string(), to_json(traffic));
  write_file((folder_ / kMachine).string(), to_json(machine));
}

StartFiles::~StartFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Traffic StartFiles::read_traffic() const {
  return topowise::read_traffic((folder_ / kTraffic).string());
}

Topology StartFiles::read_machine() const {
  return read_topology((folder_ / kMachine).string());
}

/// The work of a mapper: as much as `run --auto` lets the start of a job wait, and more where the benchmark asks what a
/// graph is worth, not how fast it is mapped.
constexpr Seconds kStartWork(0.05), kGraphWork(0.5);

// The three orders of launchers: rank i where process i is; node after node; in turn over the nodes (--map-by
// node).
constexpr std::string_view kInOrder = "in order", kByNodes = "by nodes", kOverNodes = "over nodes";

constexpr std::array<Selection, 5> kGpuSelections{
    {{.name = "default", .mapper = kInOrder},
     {.name = "distance", .mapper = "auto", .work = kStartWork},
     {.name = "latency", .mapper = "auto", .metric = Metric::latency, .work = kStartWork},
     {.name = "bandwidth", .mapper = "auto", .metric = Metric::bandwidth, .work = kStartWork},
     {.name = "scotch", .mapper = "scotch", .work = kStartWork}}};

constexpr std::array<Selection, 5> kGraphSelections{
    {{.name = "block", .mapper = kByNodes},
     {.name = "cyclic", .mapper = kOverNodes},
     {.name = "non-weighted", .mapper = "auto", .weighted = false, .network_aware = false, .work = kGraphWork},
     {.name = "weighted", .mapper = "auto", .network_aware = false, .work = kGraphWork},
     {.name = "network-aware", .mapper = "auto", .work = kGraphWork}}};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The places of the processes by compute node: nodes in the order of their first process. A machine that names no
/// nodes counts as one node.
std::vector<std::deque<Place>> by_node(const Places& places) {
  std::vector<std::string> names;
  std::vector<std::deque<Place>> nodes;
  for (const Place place : places.place_of) {
    const std::string name = node_name(places.machine, places.machine.place(place).vertex);
    const auto at = std::ranges::find(names, name) - names.begin();
    if (at == std::ssize(names)) {
      names.push_back(name);
      nodes.emplace_back();
    }
    nodes[static_cast<std::size_t>(at)].push_back(place);
  }
  return nodes;
}

Mapping block_by_nodes(const Places& places) {
  std::vector<Place> place_of;
  for (const std::deque<Place>& node : by_node(places)) place_of.insert(place_of.end(), node.begin(), node.end());
  return Mapping(std::move(place_of));
}

Mapping cyclic_over_nodes(const Places& places) {
  std::vector<std::deque<Place>> nodes = by_node(places);
  std::vector<Place> place_of;
  while (place_of.size() < places.place_of.size()) {
    for (std::deque<Place>& left : nodes) {
      if (left.empty()) continue;
      place_of.push_back(left.front());
      left.pop_front();
    }
  }
  return Mapping(std::move(place_of));
}

/// The mapping of one of the three orders of launchers; nothing for the name of a mapper of the registry.
std::optional<Mapping> as_launched(std::string_view name, const Places& places) {
  if (name == kInOrder) return Mapping(places.place_of);
  if (name == kByNodes) return block_by_nodes(places);
  if (name == kOverNodes) return cyclic_over_nodes(places);
  return std::nullopt;
}

/// The traffic and the machine of a problem.
struct Question {
  Traffic traffic;
  Topology machine;
};

Question question_of(const Workload& workload, int weight, const Places& places, const Selection& selection) {
  return {workload.traffic(selection.weighted ? weight : 1, 1),
          selection.network_aware ? places.machine : without_network(places.machine)};
}

MapProblem problem_of(Question question, const Places& places, Metric metric) {
  MapProblem problem{.traffic = std::move(question.traffic), .topology = std::move(question.machine), .metric = metric};
  std::vector<Place> used = places.place_of;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  problem.allowed = std::move(used);
  return problem;
}

}  // namespace

std::span<const Selection> gpu_selections() {
  return kGpuSelections;
}

std::span<const Selection> start_selections() {
  static const std::array<Selection, 3> kStartSelections{kGpuSelections[0], kGpuSelections[1], kGpuSelections[4]};
  return kStartSelections;
}

std::span<const Selection> graph_selections() {
  return kGraphSelections;
}

Places Places::in_order(const Topology& machine, std::size_t ranks) {
  Places places{machine, {}};
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    for (int slot = 0; slot < machine.place(Place(p)).capacity && places.place_of.size() < ranks; ++slot)
      places.place_of.emplace_back(p);
  }
  if (places.place_of.size() < ranks)
    throw usage_error(fmt::format("{} ranks do not fit: '{}' holds {}", ranks, machine.name(), places.place_of.size()),
                      "fewer --ranks, or another --topology");
  return places;
}

std::vector<Chosen> choose(const Workload& workload, int weight, const Places& places,
                           std::span<const Selection> selections, std::vector<std::string>& notes, Counted counted) {
  std::vector<Chosen> all;
  for (const Selection& selection : selections) {
    auto start = std::chrono::steady_clock::now();
    if (std::optional<Mapping> mapping = as_launched(selection.mapper, places)) {
      all.push_back({std::string(selection.name), std::move(*mapping), seconds_since(start)});
      continue;
    }
    try {
      Question question = question_of(workload, weight, places, selection);
      if (counted == Counted::start) {
        const StartFiles files(question.traffic, question.machine);
        start = std::chrono::steady_clock::now();
        question = {files.read_traffic(), files.read_machine()};
      }
      const MapProblem problem = problem_of(std::move(question), places, selection.metric);
      MappingResult result = map_ranks(problem, selection.mapper, steps_of(selection.work));
      all.push_back({std::string(selection.name), std::move(result.mapping), seconds_since(start)});
    } catch (const Error& error) {
      const bool is_lack = error.status() == ExitStatus::not_available || error.status() == ExitStatus::bad_input;
      if (!is_lack || all.empty()) throw;
      notes.push_back(fmt::format("without the mapping '{}': {}", selection.name, error.what()));
    }
  }
  return all;
}

Topology without_network(const Topology& machine) {
  const std::size_t n = machine.place_count();
  std::vector<std::string> node;
  for (std::size_t p = 0; p < n; ++p) node.push_back(node_name(machine, machine.place(Place(p)).vertex));
  double farthest = 0;
  PairMatrix distances{.values = std::vector<double>(n * n, 0.0), .source = "all compute nodes alike"};
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      distances.values[a * n + b] = machine.distance(Place(a), Place(b));
      farthest = std::max(farthest, distances.values[a * n + b]);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (node[a] != node[b]) distances.values[a * n + b] = farthest;
    }
  }
  TopologyBuilder builder(machine);
  builder.set_pair_matrix(Metric::distance, std::move(distances));
  return std::move(builder).build();
}

}  // namespace topowise::benchmark
