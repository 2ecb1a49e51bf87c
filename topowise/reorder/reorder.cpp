// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/reorder.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/mapper/bound/assignment.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/best_answer.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/improve.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/reorder/job_machine.hpp>
#include <topowise/reorder/load_balance.hpp>

namespace topowise {

// Goes from the root down. A part of the machine and the part that it hands its ranks to have children of the same
// shapes. Which child hands its ranks to which is an assignment problem, whose entries are the ranks that can stay
// below.

namespace {

/// Above this number of parts a matching is made pair by pair, because the exact one takes time by the third power.
constexpr std::size_t kMostExact = 256;

using Ranks = std::vector<std::size_t>;

/// Which parts are alike: equal numbers for equal shapes.
std::vector<std::size_t> shapes_of(const Hierarchy& machine) {
  using Shape = std::tuple<std::size_t, double, double, std::vector<std::size_t>>;
  std::map<Shape, std::size_t> numbers;
  std::vector<std::size_t> shapes;
  for (const Hierarchy::Node& node : machine.nodes) {
    std::vector<std::size_t> below;
    for (const std::size_t child : node.children) below.push_back(shapes[child]);
    std::ranges::sort(below);
    const auto fresh = numbers.size();
    const Shape shape{node.capacity, node.weight_out, node.weight_in, std::move(below)};
    shapes.push_back(numbers.try_emplace(shape, fresh).first->second);
  }
  return shapes;
}

/// Where the ranks of a mapping are in the tree.
class Standing {
 public:
  Standing(const Hierarchy& machine, const Mapping& mapping)
      : middle_(machine.nodes.size(), 0), count_(middle_.size(), 0) {
    std::size_t places = 0;
    for (const Hierarchy::Node& node : machine.nodes)
      if (node.place) places = std::max(places, node.place->index() + 1);
    path_of_place_.resize(places);
    std::vector<std::size_t> path;
    walk(machine, machine.nodes.size() - 1, path);
    for (std::size_t rank = 0; rank < mapping.ranks(); ++rank) {
      path_of_rank_.push_back(&path_of_place_[mapping[Rank(rank)].index()]);
      std::size_t node = machine.nodes.size() - 1;
      count(node, rank);
      for (const std::size_t child : *path_of_rank_.back()) count(node = machine.nodes[node].children[child], rank);
    }
    for (std::size_t node = 0; node < middle_.size(); ++node)
      middle_[node] /= static_cast<double>(std::max<std::size_t>(count_[node], 1));
  }

  /// The child, of the rank's part at this depth, below which the rank is.
  [[nodiscard]] std::size_t child(std::size_t rank, std::size_t depth) const { return (*path_of_rank_[rank])[depth]; }
  /// How far apart the mean ranks below two parts are; 0 where one of them has no ranks.
  [[nodiscard]] double apart(std::size_t node, const Standing& other, std::size_t other_node) const {
    if (count_[node] == 0 || other.count_[other_node] == 0) return 0;
    return std::abs(middle_[node] - other.middle_[other_node]);
  }
  [[nodiscard]] double middle(std::size_t node) const { return middle_[node]; }

 private:
  void walk(const Hierarchy& machine, std::size_t at, std::vector<std::size_t>& path) {
    const Hierarchy::Node& node = machine.nodes[at];
    if (node.place) path_of_place_[node.place->index()] = path;
    for (std::size_t child = 0; child < node.children.size(); ++child) {
      path.push_back(child);
      walk(machine, node.children[child], path);
      path.pop_back();
    }
  }
  void count(std::size_t node, std::size_t rank) {
    middle_[node] += static_cast<double>(rank);
    ++count_[node];
  }

  std::vector<std::vector<std::size_t>> path_of_place_;
  std::vector<const std::vector<std::size_t>*> path_of_rank_;
  std::vector<double> middle_;
  std::vector<std::size_t> count_;
};

/// Children of two parts that are alike in shape, and how many ranks can stay where one hands its ranks to the other.
struct Choice {
  std::vector<std::size_t> rows;     ///< children of the part that hands on, by their place in its list
  std::vector<std::size_t> columns;  ///< children of the part that takes
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> kept;  ///< by row and column; absent: none
};

class FewestMoves {
 public:
  FewestMoves(const Hierarchy& machine, const Mapping& found, const Mapping& now)
      : machine_(machine), shapes_(shapes_of(machine)), found_(machine, found), now_(machine, now) {}

  /// The place to which each place hands what it holds, by the place's number.
  std::map<std::size_t, Place> run(std::size_t ranks) {
    Ranks all(ranks);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::size_t root = machine_.nodes.size() - 1;
    hand_on({root, root, 0}, all);
    return std::move(goes_to_);
  }

 private:
  /// Two parts of one shape, equally deep below the root.
  struct Pair {
    std::size_t from;
    std::size_t to;
    std::size_t depth;
  };

  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t node) const {
    return machine_.nodes[node].children;
  }
  [[nodiscard]] Pair below(const Pair& pair, std::size_t from, std::size_t to) const {
    return {children(pair.from)[from], children(pair.to)[to], pair.depth + 1};
  }

  /// `ranks`: those that are below `from` as found and below `to` now. The result has them by children of the two.
  [[nodiscard]] std::map<std::pair<std::size_t, std::size_t>, Ranks> shared(const Pair& pair,
                                                                            const Ranks& ranks) const {
    std::map<std::pair<std::size_t, std::size_t>, Ranks> by_children;
    for (const std::size_t rank : ranks)
      by_children[{found_.child(rank, pair.depth), now_.child(rank, pair.depth)}].push_back(rank);
    return by_children;
  }

  /// How many of the ranks can stay.
  [[nodiscard]] std::size_t kept(const Pair& pair, const Ranks& ranks) const {
    if (ranks.empty() || children(pair.from).empty()) return ranks.size();
    const auto by_children = shared(pair, ranks);
    std::size_t sum = 0;
    for (const auto& [from, to] : match(pair, by_children)) {
      if (const auto ranks_below = by_children.find({from, to}); ranks_below != by_children.end())
        sum += kept(below(pair, from, to), ranks_below->second);
    }
    return sum;
  }

  void hand_on(const Pair& pair, const Ranks& ranks) {
    if (children(pair.from).empty()) {
      goes_to_.emplace(machine_.nodes[pair.from].place->index(), *machine_.nodes[pair.to].place);
      return;
    }
    const auto by_children = shared(pair, ranks);
    for (const auto& [from, to] : match(pair, by_children)) {
      const auto ranks_below = by_children.find({from, to});
      hand_on(below(pair, from, to), ranks_below == by_children.end() ? Ranks{} : ranks_below->second);
    }
  }

  /// Children of `from` and the children of `to` that they hand their ranks to.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match(
      const Pair& pair, const std::map<std::pair<std::size_t, std::size_t>, Ranks>& by_children) const {
    std::map<std::size_t, Choice> by_shape;
    for (std::size_t k = 0; k < children(pair.from).size(); ++k) {
      by_shape[shapes_[children(pair.from)[k]]].rows.push_back(k);
      by_shape[shapes_[children(pair.to)[k]]].columns.push_back(k);
    }
    for (const auto& [ends, ranks] : by_children) {
      const Pair next = below(pair, ends.first, ends.second);
      if (shapes_[next.from] == shapes_[next.to]) by_shape[shapes_[next.from]].kept[ends] = kept(next, ranks);
    }
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    for (const auto& [shape, choice] : by_shape) {
      const auto part = choice.rows.size() > kMostExact ? match_greedily(pair, choice) : match_exactly(pair, choice);
      matched.insert(matched.end(), part.begin(), part.end());
    }
    return matched;
  }

  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match_exactly(const Pair& pair,
                                                                               const Choice& choice) const {
    const std::size_t n = choice.rows.size();
    std::vector<double> costs(n * n);
    double most_apart = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Pair next = below(pair, choice.rows[i], choice.columns[j]);
        costs[i * n + j] = found_.apart(next.from, now_, next.to);
        most_apart = std::max(most_apart, costs[i * n + j]);
      }
    }
    const double one_rank = (most_apart + 1) * static_cast<double>(n);  // is worth more than any order of the rest
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto stay = choice.kept.find({choice.rows[i], choice.columns[j]});
        if (stay != choice.kept.end()) costs[i * n + j] -= one_rank * static_cast<double>(stay->second);
      }
    }
    Assignment assignment;
    assignment.reduce(costs.data(), n, n);
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    for (std::size_t i = 0; i < n; ++i)
      matched.emplace_back(choice.rows[i], choice.columns[static_cast<std::size_t>(assignment.column_of_row()[i])]);
    return matched;
  }

  /// Matches the pair that keeps the most first; what is left is matched in order.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> match_greedily(const Pair& pair,
                                                                                const Choice& choice) const {
    std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> pairs;
    for (const auto& [ends, ranks] : choice.kept) pairs.emplace_back(ranks, ends);
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& each) { return each.first; });
    std::vector<std::pair<std::size_t, std::size_t>> matched;
    std::vector<bool> given(children(pair.from).size(), false);
    std::vector<bool> taken(given.size(), false);
    for (const auto& [ranks, ends] : pairs) {
      if (given[ends.first] || taken[ends.second]) continue;
      given[ends.first] = taken[ends.second] = true;
      matched.push_back(ends);
    }
    std::vector<std::size_t> rows = choice.rows;
    std::vector<std::size_t> columns = choice.columns;
    std::erase_if(rows, [&](std::size_t row) { return given[row]; });
    std::erase_if(columns, [&](std::size_t column) { return taken[column]; });
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return found_.middle(children(pair.from)[row]); });
    std::ranges::stable_sort(columns, {}, [&](std::size_t column) { return now_.middle(children(pair.to)[column]); });
    for (std::size_t i = 0; i < rows.size(); ++i) matched.emplace_back(rows[i], columns[i]);
    return matched;
  }

  const Hierarchy& machine_;
  std::vector<std::size_t> shapes_;
  Standing found_;
  Standing now_;
  std::map<std::size_t, Place> goes_to_;
};

}  // namespace

Mapping fewest_moves(const Hierarchy& machine, const Mapping& found, const Mapping& now) {
  const std::map<std::size_t, Place> goes_to = FewestMoves(machine, found, now).run(found.ranks());
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < found.ranks(); ++rank) places.push_back(goes_to.at(found[Rank(rank)].index()));
  return Mapping(std::move(places));
}

Hierarchy equally_far(const MapProblem& problem) {
  Hierarchy machine;
  Hierarchy::Node root;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    root.capacity += each.capacity;
    root.children.push_back(machine.nodes.size());
    machine.nodes.push_back(
        {.weight_out = 1, .weight_in = 1, .capacity = each.capacity, .children = {}, .place = each.place});
  }
  machine.nodes.push_back(std::move(root));
  return machine;
}

namespace {

// Decides, inside each place of a job's machine (as a rule a host), which of its processes plays which of its vertices.
// What the network carries is decided before, and no byte of it is traded for one that crosses a socket.

/// The vertices and processes of one place, as a job of its own in which vertex i is played by process i.
struct HostJob {
  Traffic graph;
  JobMachine machine;                  ///< its places: parts of the host
  std::vector<std::size_t> vertices;   ///< of the whole job, by their numbers in this one
  std::vector<std::size_t> processes;  ///< the same; behind those that play a vertex those that play none
};

/// What is on each place.
struct Members {
  std::vector<std::size_t> vertices;
  std::vector<std::size_t> processes;  ///< those that play the vertices, then the others
};

std::vector<Members> by_place(const JobMachine& machine, const std::vector<std::size_t>& process_of_vertex) {
  std::vector<Members> places(machine.topology.place_count());
  std::vector<bool> plays(machine.place_of_process.size(), false);
  const auto place_of = [&](std::size_t process) -> Members& {
    return places[machine.place_of_process[process].index()];
  };
  for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex) {
    const std::size_t process = process_of_vertex[vertex];
    place_of(process).vertices.push_back(vertex);
    place_of(process).processes.push_back(process);
    plays[process] = true;
  }
  for (std::size_t process = 0; process < plays.size(); ++process) {
    if (!plays[process]) place_of(process).processes.push_back(process);
  }
  return places;
}

std::vector<NodePart> parts_of(const JobMachine& machine, const std::vector<std::size_t>& processes) {
  std::vector<NodePart> parts;
  for (const std::size_t process : processes) parts.push_back(machine.part_of_process[process]);
  return parts;
}

/// A job for every place with two or more vertices whose processes are bound to different parts of it.
/// `process_of_vertex`: who plays what.
std::vector<HostJob> jobs_of_hosts(const Traffic& graph, const JobMachine& machine,
                                   const std::vector<std::size_t>& process_of_vertex) {
  std::vector<HostJob> jobs;
  if (machine.part_of_process.empty()) return jobs;
  std::vector<std::size_t> number(graph.ranks());  // the number of each vertex on its place
  std::vector<Members> places = by_place(machine, process_of_vertex);
  for (const Members& place : places) {
    for (std::size_t i = 0; i < place.vertices.size(); ++i) number[place.vertices[i]] = i;
  }
  for (Members& place : places) {
    const std::vector<NodePart> parts = parts_of(machine, place.processes);
    if (place.vertices.size() < 2 || !are_divided(parts)) continue;
    const Place here = machine.place_of_process[place.processes.front()];
    std::vector<TrafficEntry> entries;
    for (const std::size_t vertex : place.vertices) {
      for (const TrafficEntry& entry : graph.sent_by(Rank(vertex))) {
        const std::size_t other = entry.destination.index();
        if (machine.place_of_process[process_of_vertex[other]] != here) continue;
        entries.push_back({Rank(number[vertex]), Rank(number[other]), entry.bytes, entry.messages});
      }
    }
    jobs.push_back({Traffic::from_entries(place.vertices.size(), std::move(entries)), parts_of_host(parts),
                    std::move(place.vertices), std::move(place.processes)});
  }
  return jobs;
}

/// A process for each vertex, on the place that the mapping gives it; the vertex's own process where that is there.
std::vector<std::size_t> play(const Mapping& mapping, const JobMachine& machine) {
  const std::size_t vertices = mapping.ranks();
  std::vector<std::vector<std::size_t>> free(machine.topology.place_count());
  std::vector<std::size_t> process_of_vertex(vertices);
  std::vector<bool> placed(vertices, false);
  for (std::size_t process = 0; process < machine.place_of_process.size(); ++process) {
    const Place place = machine.place_of_process[process];
    if (process < vertices && mapping[Rank(process)] == place) {
      process_of_vertex[process] = process;
      placed[process] = true;
    } else {
      free[place.index()].push_back(process);
    }
  }
  std::vector<std::size_t> next(free.size(), 0);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    const std::size_t place = mapping[Rank(vertex)].index();
    if (!placed[vertex]) process_of_vertex[vertex] = free[place][next[place]++];
  }
  return process_of_vertex;
}

/// Places with processes of the job, in order.
std::vector<Place> places_of(const JobMachine& machine) {
  std::vector<Place> places = machine.place_of_process;
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// The time of the local search; the rest ends by itself. A few ranks have few exchanges, and the search has soon seen
/// them all.
Seconds fast_time(std::size_t ranks) {
  constexpr double kEach = 1e-5;
  constexpr double kEachPair = 1e-6;
  constexpr double kMostForPairs = 0.0002;
  constexpr double kMost = 0.05;
  const auto count = static_cast<double>(ranks);
  const double for_pairs = std::min(kEachPair * count * count, kMostForPairs);
  return Seconds(std::min(kEach * count + for_pairs, kMost));
}

/// Above this number of places, all pairs of them are too many to look at.
constexpr std::size_t kMostInPairs = 512;

/// The machine as parts that are alike; nothing where it has none, or is too large to know.
std::optional<Hierarchy> alike_parts(const MapProblem& problem, const JobMachine& machine) {
  if (machine.equally_far) return equally_far(problem);
  if (problem.allowed.size() > kMostInPairs) return std::nullopt;
  return find_hierarchy(problem);
}

}  // namespace

bool Reordering::trivial() const {
  for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex) {
    if (process_of_vertex[vertex] != vertex) return false;
  }
  return true;
}

namespace {

/// Above this share of a cost, a lower one is not worth a move.
constexpr double kWorthMoving = 1 - kLeastGain;

/// What is sent between the places that are farthest from each other, on a machine of several levels.
class FarthestLevel {
 public:
  FarthestLevel(const MapProblem& problem, bool has_levels) : problem_(problem) {
    if (!has_levels) return;
    for (const Place place : problem.allowed) cost_ = std::max(cost_, from_first_to(place));
  }

  [[nodiscard]] double bytes(const Traffic& traffic, const Mapping& mapping) const {
    double sum = 0;
    for (const TrafficEntry& entry : traffic.entries()) {
      const Place from = mapping[entry.source];
      const Place to = mapping[entry.destination];
      if (cost_ > 0 && from != to && problem_.topology.pair_cost(problem_.metric, from, to) >= cost_)
        sum += entry.bytes.value();
    }
    return sum;
  }

 private:
  /// On a machine of levels the first place is as far from some other as any two are.
  [[nodiscard]] double from_first_to(Place place) const {
    const Place first = problem_.allowed.front();
    return place == first ? 0 : problem_.topology.pair_cost(problem_.metric, first, place);
  }

  const MapProblem& problem_;
  double cost_ = 0;
};

/// One way to weigh the edges, and what the present order costs by it.
class View {
 public:
  View(const Traffic& traffic, const JobMachine& machine, const Mapping& now)
      : traffic_(traffic), machine_(machine), before_(cost(now)) {}

  [[nodiscard]] double cost(const Mapping& mapping) const {
    return hop_bytes(traffic_, machine_.topology, mapping, machine_.metric);
  }
  [[nodiscard]] double before() const { return before_; }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  const Traffic& traffic_;
  const JobMachine& machine_;
  double before_;
};

/// Both views at once, each by what the present order costs.
Traffic sum_of(const View& one, const View& other) {
  std::vector<TrafficEntry> entries;
  for (const View* view : {&one, &other}) {
    for (TrafficEntry entry : view->traffic().entries()) {
      entry.bytes = entry.bytes / view->before();
      entries.push_back(entry);
    }
  }
  return Traffic::from_entries(one.traffic().ranks(), std::move(entries));
}

/// Takes an order if nothing is lost by it.
class Judge {
 public:
  Judge(const View& likely, const std::optional<View>& alike, const MapProblem& problem, const Mapping& now,
        bool has_levels)
      : likely_(likely), alike_(alike), farthest_(problem, has_levels), now_(now) {}

  /// Whether the mapping is taken. What it costs, or why it is not taken, is written to `answer`.
  bool takes(const Mapping& found, Reordering& answer) const {
    constexpr double kRounding = 1e-9;
    const double cost = likely_.cost(found);
    const double alike = alike_ ? alike_->cost(found) : 0;
    if (cost > kWorthMoving * likely_.before()) return false;
    const auto grows = [&](const View& view) {
      return farthest_.bytes(view.traffic(), found) > (1 + kRounding) * farthest_.bytes(view.traffic(), now_);
    };
    Obstacle obstacle = Obstacle::none;
    if (alike_ && alike > (1 + kRounding) * alike_->before())
      obstacle = Obstacle::edges_alike;
    else if (grows(likely_) || (alike_ && grows(*alike_)))
      obstacle = Obstacle::farthest_level;
    answer.obstacle = obstacle;
    if (obstacle != Obstacle::none) {
      answer.refused = cost;
      answer.refused_alike = alike;
      return false;
    }
    answer.cost = cost;
    answer.alike = alike;
    return true;
  }

 private:
  const View& likely_;
  const std::optional<View>& alike_;
  FarthestLevel farthest_;
  const Mapping& now_;
};

/// What LoadBalance makes of these mappings: the one with the least burden, of equal ones the cheapest.
Mapping balanced(const MapProblem& problem, const LoadBalance& balance, const std::vector<Mapping>& starts) {
  std::vector<Mapping> found;
  for (const Mapping& start : starts) found.push_back(balance.improved(problem, start));
  return *std::ranges::min_element(
      found, {}, [&](const Mapping& each) { return std::pair(balance.burden(each), cost_of(problem, each)); });
}

/// `mapped(problem, now, bound)` returns a mapping, and writes the bound that it proves, or 0, to `bound`.
template <class Mapped>
Reordering reordered(const VertexTraffic& graph, const JobMachine& machine, Mapped mapped) {
  Reordering answer;
  answer.process_of_vertex.resize(graph.likely.ranks());
  std::iota(answer.process_of_vertex.begin(), answer.process_of_vertex.end(), std::size_t{0});
  std::vector<Place> places = places_of(machine);
  const LoadBalance balance(graph.loads, machine);
  if (places.size() < 2 || (graph.likely.total_bytes().value() == 0 && !balance.is_known())) {
    answer.proven_optimal = true;
    return answer;
  }
  const auto own = machine.place_of_process.begin();
  const Mapping now(std::vector<Place>(own, own + static_cast<std::ptrdiff_t>(graph.likely.ranks())));
  const View likely(graph.likely, machine, now);
  std::optional<View> alike;
  if (graph.alike) alike.emplace(*graph.alike, machine, now);
  answer.cost_before = answer.cost = likely.before();
  answer.alike_before = answer.alike = alike ? alike->before() : 0;
  answer.fullest_before = answer.fullest = balance.fullest(now);
  const std::pair<double, double> burden = balance.burden(now);
  answer.proven_optimal = likely.before() == 0 && burden.second == 0;
  if (answer.proven_optimal) return answer;
  MapProblem problem{
      .traffic = graph.likely, .topology = machine.topology, .metric = machine.metric, .allowed = std::move(places)};
  const std::optional<Hierarchy> parts = alike_parts(problem, machine);
  const Judge judge(likely, alike, problem, now, parts && !machine.equally_far);
  double bound = 0;
  Mapping found = mapped(problem, now, bound);
  if (balance.is_known()) found = balanced(problem, balance, {found, now});
  if (balance.burden(found) < burden) {
    answer.cost = likely.cost(found);
    answer.alike = alike ? alike->cost(found) : 0;
    answer.fullest = balance.fullest(found);
    answer.process_of_vertex = play(found, machine);
    return answer;
  }
  bool taken = likely.before() > 0 && judge.takes(found, answer);
  if (!taken && alike && answer.obstacle != Obstacle::none) {
    problem.traffic = sum_of(likely, *alike);
    double ignored = 0;
    found = mapped(problem, now, ignored);
    if (balance.is_known()) found = balanced(problem, balance, {found, now});
    Reordering second = answer;
    taken = judge.takes(found, second);
    if (taken) answer = std::move(second);
  }
  answer.proven_optimal = answer.cost <= bound;
  if (!taken) return answer;
  if (parts && !balance.is_known()) found = fewest_moves(*parts, found, now);
  answer.fullest = balance.fullest(found);
  answer.process_of_vertex = play(found, machine);
  return answer;
}

Reordering reordered_by_search(const VertexTraffic& graph, const JobMachine& machine, const MapOptions& options) {
  return reordered(graph, machine, [&](const MapProblem& problem, const Mapping&, double& bound) {
    const MappingResult found = map_ranks(problem, "auto", options);
    bound = found.proven_optimal ? found.cost : found.lower_bound;
    return found.mapping;
  });
}

Reordering reordered_fast(const VertexTraffic& graph, const JobMachine& machine) {
  return reordered(graph, machine, [&](const MapProblem& problem, const Mapping& now, double&) {
    MapOptions options = steps_of(fast_time(graph.likely.ranks()));
    options.threads = 1;  // the job has its own on the other processors
    options.bound_time = Seconds(0);
    const Budget budget(options);
    BestAnswer best(problem, budget, {.mapping = now, .cost = cost_of(problem, now)});
    for (const std::string_view mapper : {"multilevel-fast", "grid"}) {
      MappingResult found = map_ranks(problem, mapper, options);
      best.enter({.mapping = std::move(found.mapping), .cost = found.cost});
    }
    if (best.is_proven() || problem.allowed.size() > kMostInPairs) return best.best().mapping;
    return improve(problem, best.best().mapping, Budget(options), 0).mapping;
  });
}

/// The same jobs for both views, if there are two, with the loads of their vertices.
std::vector<VertexTraffic> graphs_of(const std::vector<HostJob>& hosts, const std::vector<HostJob>& alike,
                                     const std::vector<int>& loads) {
  std::vector<VertexTraffic> graphs;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    graphs.emplace_back(hosts[host].graph);
    if (!alike.empty()) graphs.back().alike = alike[host].graph;
    if (loads.empty()) continue;
    for (const std::size_t vertex : hosts[host].vertices) graphs.back().loads.push_back(loads[vertex]);
  }
  return graphs;
}

/// Reorders first among the hosts, then among the parts of each host. `answer_for(graph, machine, share)` reorders one
/// of these jobs in its share of the time that all of them have.
template <class AnswerFor>
Reordering hosts_then_parts(const VertexTraffic& graph, const JobMachine& machine, AnswerFor answer_for) {
  const bool both = !machine.part_of_process.empty() && places_of(machine).size() > 1;
  const double share = both ? 0.5 : 1;
  Reordering answer = answer_for(graph, machine, share);
  const std::vector<HostJob> hosts = jobs_of_hosts(graph.likely, machine, answer.process_of_vertex);
  const std::vector<VertexTraffic> graphs = graphs_of(
      hosts, graph.alike ? jobs_of_hosts(*graph.alike, machine, answer.process_of_vertex) : std::vector<HostJob>(),
      graph.loads);
  std::vector<std::size_t> inside_of_vertex = answer.process_of_vertex;
  bool balances = false;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const HostJob& job = hosts[host];
    const Reordering inside = answer_for(graphs[host], job.machine, share / static_cast<double>(hosts.size()));
    answer.inside_before += inside.cost_before;
    answer.inside += inside.cost;
    balances = balances || inside.fullest < inside.fullest_before;
    for (std::size_t i = 0; i < job.vertices.size(); ++i)
      inside_of_vertex[job.vertices[i]] = job.processes[inside.process_of_vertex[i]];
  }
  if (!balances && answer.inside > kWorthMoving * answer.inside_before)
    answer.inside = answer.inside_before;
  else
    answer.process_of_vertex = std::move(inside_of_vertex);
  return answer;
}

/// The options with that share of the time.
MapOptions with_share(MapOptions options, double share) {
  options.time_limit = options.time_limit * share;
  return options;
}

}  // namespace

Reordering reorder(const VertexTraffic& graph, const JobMachine& machine, const MapOptions& options) {
  return hosts_then_parts(graph, machine, [&](const VertexTraffic& job, const JobMachine& on, double share) {
    return reordered_by_search(job, on, with_share(options, share));
  });
}

Reordering reorder_fast(const VertexTraffic& graph, const JobMachine& machine) {
  return hosts_then_parts(
      graph, machine, [](const VertexTraffic& job, const JobMachine& on, double) { return reordered_fast(job, on); });
}

Reordering reorder(const VertexTraffic& graph, const JobMachine& machine, const std::optional<MapOptions>& options) {
  if (!options) return reorder_fast(graph, machine);
  return hosts_then_parts(graph, machine, [&](const VertexTraffic& job, const JobMachine& on, double share) {
    Reordering searched = reordered_by_search(job, on, with_share(*options, share));
    if (searched.proven_optimal) return searched;
    Reordering fast = reordered_fast(job, on);
    const auto rank = [](const Reordering& each) {
      return std::pair(std::max(each.fullest, kMostAboveShare), each.cost);
    };
    return rank(fast) < rank(searched) ? fast : searched;
  });
}

}  // namespace topowise
