// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/engine.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/loads.hpp>
#include <topowise/reorder/extents.hpp>
#include <topowise/reorder/machine_summary.hpp>
#include <topowise/reorder/recorded_weights.hpp>
#include <topowise/reorder/reorder.hpp>
#include <topowise/reorder/virtual_topology.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/recorded/summary.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::engine {
namespace {

/// What `read` makes of an argument. It is read only once, because every communicator of the job asks about the same
/// file.
template <class Value, class Read>
const Value& read_once(const std::string& argument, Read read) {
  static std::map<std::string, Value> known;
  const auto found = known.find(argument);
  return found != known.end() ? found->second : known.emplace(argument, read(argument)).first->second;
}

void write(std::span<char> place, const std::string& text) {
  std::strncpy(place.data(), text.c_str(), place.size() - 1);
}

struct Grid {
  std::span<const int> extents;
  std::unique_ptr<bool[]> flags;

  explicit Grid(const Question& question)
      : extents(question.extents, static_cast<std::size_t>(question.dimensions)),
        flags(std::make_unique<bool[]>(extents.size())) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) flags[axis] = question.periodic[axis] != 0;
  }
  [[nodiscard]] std::span<const bool> periodic() const { return {flags.get(), extents.size()}; }
};

VertexTraffic stated_traffic(const Question& question) {
  switch (question.kind) {
    case Kind::cart: {
      const Grid grid(question);
      return cut_of_a_cube(grid.extents, grid.periodic());
    }
    case Kind::graph: {
      const std::span index(question.index, static_cast<std::size_t>(question.vertices));
      const auto edges = static_cast<std::size_t>(index.empty() ? 0 : std::max(0, index.back()));
      return graph_traffic(index, {question.neighbors, edges});
    }
    case Kind::edges:
    case Kind::world:
      break;
  }
  std::vector<WeightedEdge> edges;
  edges.reserve(question.edge_count);
  for (const Edge& edge : std::span(question.edges, question.edge_count))
    edges.push_back({edge.source, edge.destination, static_cast<double>(edge.weight)});
  return edge_traffic(static_cast<std::size_t>(question.vertices), edges);
}

/// What the files of a recording say about it; nothing for other traffic.
const std::optional<ProfileSummary>& recording(const std::string& profile) {
  return read_once<std::optional<ProfileSummary>>(profile, summarize_profile);
}

/// What the user must know if a recording is of another program; empty if it is of this program, or does not name
/// one.
std::string other_program(const std::string& profile) {
  const std::optional<ProfileSummary>& job = recording(profile);
  std::error_code ignored;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored).filename();
  const auto recorded = std::filesystem::path(job ? job->program : "").filename();
  if (own.empty() || recorded.empty() || own == recorded) return {};
  return fmt::format("'{}' was recorded from '{}', this is '{}'", printable(profile), printable(recorded.string()),
                     printable(own.string()));
}

/// Why the ranks of a recording are not those of a job in the launcher's order; empty if they are.
std::string other_ranks(const std::string& profile) {
  const std::optional<ProfileSummary>& job = recording(profile);
  if (!job || !job->reordered) return {};
  return fmt::format("'{}' was recorded while --reorder moved ranks (record it without)", printable(profile));
}

/// The traffic of a question that has only a profile.
Traffic recorded_traffic(const Question& question, Answer& answer) {
  if (question.profile == nullptr)
    throw bad_input("there is no recording of an earlier run", "--reorder-profile TRAFFIC");
  const Traffic& job = read_once<Traffic>(question.profile, [](const std::string& name) { return read_traffic(name); });
  if (job.ranks() != static_cast<std::size_t>(question.processes))
    throw bad_input(
        fmt::format("'{}' is of {} ranks, the job has {}", question.profile, job.ranks(), question.processes));
  const std::string wrong = other_ranks(question.profile);
  if (!wrong.empty()) throw bad_input(wrong);
  write(answer.message, other_program(question.profile));
  return job;
}

/// What the vertices send each other: the recorded traffic if it is given and fits, else what the program states.
VertexTraffic traffic_of(const Question& question, Answer& answer) {
  if (question.kind == Kind::world) return recorded_traffic(question, answer);
  VertexTraffic stated = stated_traffic(question);
  answer.assumed = question.kind == Kind::cart;
  if (question.profile == nullptr) return stated;
  const Traffic& job = read_once<Traffic>(question.profile, [](const std::string& name) { return read_traffic(name); });
  if (job.ranks() != static_cast<std::size_t>(question.world_size)) {
    write(answer.message, fmt::format("'{}' is of {} ranks, the job has {}: edges weigh what the program says",
                                      question.profile, job.ranks(), question.world_size));
    return stated;
  }
  const std::string wrong = other_ranks(question.profile);
  if (!wrong.empty()) {
    write(answer.message, wrong + ": edges weigh what the program says");
    return stated;
  }
  const std::span world_ranks(question.world_ranks, static_cast<std::size_t>(question.processes));
  Traffic recorded = recorded_weights(job, world_ranks, stated.likely.ranks());
  if (recorded.total_bytes().value() > 0) {
    answer.assumed = false;
    write(answer.message, other_program(question.profile));
    return recorded;
  }
  write(answer.message,
        fmt::format("these processes sent each other nothing in '{}': edges weigh what the program says",
                    question.profile));
  return stated;
}

/// The loads of the vertices; none, and a message, where they do not fit.
std::vector<int> loads_of(const Question& question, std::size_t vertices, Answer& answer) {
  if (question.loads == nullptr) return {};
  const auto& job = read_once<std::vector<int>>(
      question.loads, [](const std::string& given) { return read_loads("--reorder-loads", given); });
  const bool world = question.kind == Kind::world;
  const auto ranks = static_cast<std::size_t>(world ? question.processes : question.world_size);
  if (job.size() != ranks) {
    write(answer.message, fmt::format("--reorder-loads has {}, the job has {}: they are not regarded",
                                      counted(job.size(), "load"), counted(ranks, "rank")));
    return {};
  }
  if (world) return job;
  std::vector<int> loads;
  for (const std::int32_t rank : std::span(question.world_ranks, vertices)) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks) return {};  // of another job
    loads.push_back(job[static_cast<std::size_t>(rank)]);
  }
  return loads;
}

/// The hosts on the network of the site, and its name.
struct OnNetwork {
  JobMachine machine;
  std::string name;
};

/// Nothing, and why, if the network does not join the hosts.
std::optional<OnNetwork> on_network(const std::string& file, std::span<const std::string> hosts, std::string& why) {
  try {
    const auto read = [](const std::string& name) { return read_topology(name, "json"); };
    const Topology& network = read_once<Topology>(file, read);
    if (!network.levels().empty() && network.levels().back().kind == PathKind::unconnected)
      why = fmt::format("'{}' does not join all hosts", printable(network.name()));
    else
      return OnNetwork{described_hosts(network, hosts), network.name()};
  } catch (const Error& error) {
    why = error.diagnostics().front().what;
  }
  return std::nullopt;
}

JobMachine machine_of(const Question& question, Answer& answer) {
  std::vector<std::string> hosts;
  for (std::int32_t process = 0; process < question.processes; ++process)
    hosts.emplace_back(question.hosts + static_cast<std::ptrdiff_t>(process) * question.host_bytes);
  std::vector<std::string> distinct = hosts;
  std::ranges::sort(distinct);
  answer.hosts = static_cast<std::int32_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  const std::span parts(question.parts, hosts.size());
  const auto read = [](const std::string& name) { return read_topology(name); };
  std::optional<OnNetwork> known;
  std::string why;
  if (question.topology == nullptr && question.network != nullptr && answer.hosts > 1)
    known = on_network(question.network, hosts, why);
  const char* name = known ? known->name.c_str() : question.topology;
  write(answer.machine, machine_summary(hosts, name, parts) + (why.empty() ? "" : fmt::format(" ({})", why)));
  JobMachine machine = known ? std::move(known->machine)
                       : question.topology == nullptr
                           ? equal_hosts(hosts)
                           : described_hosts(read_once<Topology>(question.topology, read), hosts);
  if (known) machine.power.clear();  // a network does not say how large its hosts are
  machine.part_of_process.assign(parts.begin(), parts.end());
  return machine;
}

void suggest_extents(const Question& question, const JobMachine& machine, const std::optional<MapOptions>& options,
                     Answer& answer) {
  const Grid grid(question);
  std::optional<MapOptions> each = options;
  if (each) each->time_limit = each->time_limit / 4;  // several extents are mapped
  const std::optional<BetterExtents> better = better_extents(grid.extents, grid.periodic(), machine, each);
  if (!better) return;
  write(answer.suggestion, fmt::format("extents {} would cost {:.1f} % less than {} if the grid cuts a cube",
                                       fmt::join(better->extents, "x"), 100 * (1 - better->cost / better->cost_now),
                                       fmt::join(grid.extents, "x")));
}

/// "20.0 % less", "3.1 % more"
std::string change(double before, double after) {
  const double share = before > 0 ? 100 * (after / before - 1) : 0;
  return fmt::format("{:.1f} % {}", std::abs(share), share > 0 ? "more" : "less");
}

/// What the edges are taken to weigh, and why an order that costs less was not taken.
std::string assumption(const Reordering& found, bool assumed, bool alike) {
  std::string text = assumed ? "edges weigh as if the grid cut a cube" : "";
  if (found.obstacle == Obstacle::none) {
    if (alike && found.cost < found.cost_before)
      text += fmt::format(" ({} if all weigh alike)", change(found.alike_before, found.alike));
    return text;
  }
  text += fmt::format("{}another order would cost {}, but {}", assumed ? ": " : "",
                      change(found.cost_before, found.refused),
                      found.obstacle == Obstacle::farthest_level
                          ? std::string("send more between the places that are farthest from each other")
                          : change(found.alike_before, found.refused_alike) + " if all weigh alike");
  return assumed ? text + "; --reorder-profile decides" : text;
}

void answer_question(const Question& question, Answer& answer) {
  std::optional<MapOptions> options;
  // The mapper uses one thread, because the other ranks of the job use the other processors.
  if (question.seconds > 0) options = {.time_limit = Seconds(question.seconds), .threads = 1};
  JobMachine machine = machine_of(question, answer);
  if (question.metric != nullptr) {
    const std::optional<Metric> metric = parse_metric(question.metric);
    if (!metric) throw bad_input(fmt::format("there is no metric '{}'", question.metric));
    machine.metric = *metric;
  }
  VertexTraffic graph = traffic_of(question, answer);
  graph.loads = loads_of(question, graph.likely.ranks(), answer);
  const Reordering found = reorder(graph, machine, options);
  answer.contested = found.obstacle != Obstacle::none;
  write(answer.assumption, assumption(found, answer.assumed, graph.alike.has_value()));
  answer.vertices = static_cast<std::int32_t>(found.process_of_vertex.size());
  answer.trivial = found.trivial();
  answer.proven_optimal = found.proven_optimal;
  answer.cost_before = found.cost_before;
  answer.cost = found.cost;
  answer.inside_before = found.inside_before;
  answer.inside = found.inside;
  answer.fullest_before = found.fullest_before;
  answer.fullest = found.fullest;
  std::ranges::transform(found.process_of_vertex, answer.process_of_vertex,
                         [](std::size_t process) { return static_cast<std::int32_t>(process); });
  if (question.suggest && question.kind == Kind::cart) suggest_extents(question, machine, options, answer);
}

bool refuse(Answer& answer, const std::string& why) {
  write(answer.message, why);
  return false;
}

/// Several threads of a program may make communicators at the same time, and this process may compute for each of them.
/// Neither read_once() nor libscotch is safe for that.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace
}  // namespace topowise::engine

/// The function that kFunction names. It throws nothing into the caller.
extern "C" __attribute__((visibility("default"))) bool topowise_engine_reorder(
    const topowise::engine::Question* question, topowise::engine::Answer* answer) {
  if (question->version != topowise::engine::kVersion)
    return topowise::engine::refuse(*answer, "libtopowise_engine.so is of another version of topowise");
  try {
    const std::scoped_lock lock(topowise::engine::one_at_a_time());
    topowise::engine::answer_question(*question, *answer);
    return true;
  } catch (const std::exception& error) {
    return topowise::engine::refuse(*answer, error.what());
  }
}
