// SPDX-License-Identifier: BSD-3-Clause
// A move exchanges two messages of one queue. Worse orders are accepted with a probability that falls from "2 % worse
// is usual" to "nothing worse". There are several rounds, and each starts from the best order so far.
#include <topowise/schedule/heuristic.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include <topowise/base/random.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>
#include <topowise/schedule/symmetry.hpp>

namespace topowise {

// Matchings: queues and receiving ports are the two sides of a bipartite multigraph, and messages are its edges. Such a
// graph can be coloured with as many colours as its largest degree, so that no two edges of a vertex have the same
// colour (König 1916). Each edge in turn gets a colour that is free at its first end. If that colour is not free at the
// second end, there is a path from there on which this colour alternates with one that is free at the second end. The
// two colours are exchanged along this path.
//
// Lists: the dense schedules of an open shop, which take at most twice the least time (Racsmány, in Bárány and Fiala
// 1982).

namespace {

/// A message, as its queue sees it.
struct Edge {
  std::uint32_t queue = 0;
  std::uint32_t receiver = 0;
  ItemNumber item = 0;
  double seconds = 0;        ///< time of the message alone
  std::size_t distance = 0;  ///< steps from the source to the destination, in the cyclic order of all places
};

/// The exchange as a bipartite multigraph.
struct Graph {
  std::vector<Edge> edges;
  std::size_t receivers = 0;
};

/// The port by which a flow arrives: its last link, or the place where no link is known.
std::uint64_t receiving_port(const CongestionModel& model, CongestionModel::Flow flow) {
  const std::span<const std::uint32_t> links = model.links(flow);
  return links.empty() ? model.link_count() + model.destination(flow).index() : links.back();
}

Graph graph_of(const OrderProblem& problem) {
  const CongestionModel& model = problem.model();
  Graph graph;
  std::map<std::uint64_t, std::uint32_t> receiver_of;
  std::map<Place, std::size_t> number_of;
  for (const OrderQueue& queue : problem.queues()) {
    number_of[queue.source];
    for (const OrderItem& item : queue.items) number_of[model.destination(item.flow)];
  }
  std::size_t count = 0;
  for (auto& [place, number] : number_of) number = count++;
  for (std::uint32_t q = 0; q < problem.queues().size(); ++q) {
    const OrderQueue& queue = problem.queues()[q];
    for (std::size_t i = 0; i < queue.items.size(); ++i) {
      const OrderItem& item = queue.items[i];
      const auto next = static_cast<std::uint32_t>(receiver_of.size());
      const Edge edge{.queue = q,
                      .receiver = receiver_of.try_emplace(receiving_port(model, item.flow), next).first->second,
                      .item = static_cast<ItemNumber>(i),
                      .seconds = item.bytes / model.rate_alone(item.flow),
                      .distance = (number_of[model.destination(item.flow)] + count - number_of[queue.source]) % count};
      graph.edges.insert(graph.edges.end(), item.messages.size(), edge);
    }
  }
  graph.receivers = receiver_of.size();
  return graph;
}

Order order_of(const OrderProblem& problem, const std::vector<Edge>& in_order) {
  Order order(problem.queues().size());
  for (const Edge& edge : in_order) order[edge.queue].push_back(edge.item);
  return order;
}

/// Colours of the edges of a bipartite multigraph.
class Colouring {
 public:
  Colouring(const OrderProblem& problem, const Graph& graph)
      : edges_(graph.edges),
        queues_(problem.queues().size()),
        colour_(edges_.size()),
        first_free_(queues_ + graph.receivers, 0) {
    std::vector<std::size_t> degree(first_free_.size(), 0);
    for (const Edge& edge : edges_) {
      ++degree[edge.queue];
      ++degree[queues_ + edge.receiver];
    }
    colours_ = *std::ranges::max_element(degree);
  }

  /// Number of entries in the table of vertices and colours.
  [[nodiscard]] std::size_t entries() const { return first_free_.size() * colours_; }
  void run() {
    at_.assign(entries(), kNone);
    for (std::uint32_t e = 0; e < edges_.size(); ++e) add(e);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& colours() const { return colour_; }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  [[nodiscard]] std::uint32_t& at(std::size_t vertex, std::uint32_t colour) { return at_[vertex * colours_ + colour]; }
  [[nodiscard]] std::size_t receiver(std::uint32_t edge) const { return queues_ + edges_[edge].receiver; }
  /// The first colour that is free at a vertex.
  [[nodiscard]] std::uint32_t free_at(std::size_t vertex) {
    std::uint32_t& colour = first_free_[vertex];
    while (at(vertex, colour) != kNone) ++colour;
    return colour;
  }
  void clear(std::size_t vertex, std::uint32_t colour) {
    at(vertex, colour) = kNone;
    first_free_[vertex] = std::min(first_free_[vertex], colour);
  }

  void add(std::uint32_t edge) {
    const std::uint32_t first = free_at(edges_[edge].queue);
    if (at(receiver(edge), first) != kNone) exchange(receiver(edge), first, free_at(receiver(edge)));
    set(edge, first);
  }
  void set(std::uint32_t edge, std::uint32_t colour) {
    colour_[edge] = colour;
    at(edges_[edge].queue, colour) = edge;
    at(receiver(edge), colour) = edge;
  }

  /// Frees `colour` at a receiver where `other` is free. The path cannot come back to the edge that is added, because
  /// it reaches queues by edges of `colour`, which is free at the queue of that edge.
  void exchange(std::size_t vertex, std::uint32_t colour, std::uint32_t other) {
    std::vector<std::uint32_t> path;
    std::uint32_t next = colour;
    while (at(vertex, next) != kNone) {
      path.push_back(at(vertex, next));
      vertex = vertex >= queues_ ? edges_[path.back()].queue : receiver(path.back());
      next = next == colour ? other : colour;
    }
    for (const std::uint32_t edge : path) {
      clear(edges_[edge].queue, colour_[edge]);
      clear(receiver(edge), colour_[edge]);
    }
    for (const std::uint32_t edge : path) set(edge, colour_[edge] == colour ? other : colour);
  }

  const std::vector<Edge>& edges_;
  std::size_t queues_;
  std::size_t colours_ = 0;
  std::vector<std::uint32_t> colour_;      ///< by edge
  std::vector<std::uint32_t> first_free_;  ///< by vertex: no colour before it is free
  std::vector<std::uint32_t> at_;          ///< by vertex and colour: the edge
};

}  // namespace

Order rotation_order(const OrderProblem& problem) {
  std::vector<Edge> edges = graph_of(problem).edges;
  std::ranges::stable_sort(edges, {}, &Edge::distance);
  return order_of(problem, edges);
}

Order matching_order(const OrderProblem& problem) {
  constexpr std::size_t kMostEntries = 50'000'000;  // 200 MB
  const Graph graph = graph_of(problem);
  if (graph.edges.empty()) return order_of(problem, {});
  Colouring colouring(problem, graph);
  if (colouring.entries() > kMostEntries) return problem.given();
  colouring.run();
  std::vector<std::pair<std::uint32_t, Edge>> edges;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) edges.emplace_back(colouring.colours()[e], graph.edges[e]);
  std::ranges::stable_sort(edges, {}, &std::pair<std::uint32_t, Edge>::first);
  std::vector<Edge> in_order;
  for (const auto& [colour, edge] : edges) in_order.push_back(edge);
  return order_of(problem, in_order);
}

Order list_order(const OrderProblem& problem) {
  const Graph graph = graph_of(problem);
  const std::size_t queues = problem.queues().size();
  std::vector<std::vector<Edge>> waiting(queues);
  for (const Edge& edge : graph.edges) waiting[edge.queue].push_back(edge);
  std::vector<double> free_from(queues, 0.0);
  std::vector<double> receives_from(graph.receivers, 0.0);
  std::vector<Edge> in_order;
  while (in_order.size() < graph.edges.size()) {
    std::size_t queue = queues;
    for (std::size_t q = 0; q < queues; ++q) {
      if (!waiting[q].empty() && (queue == queues || free_from[q] < free_from[queue])) queue = q;
    }
    const auto rank_of = [&](const Edge& edge) {  // what can be received first, then the longest, then the nearest
      return std::tuple(std::max(free_from[queue], receives_from[edge.receiver]), -edge.seconds, edge.distance);
    };
    const auto next = std::ranges::min_element(waiting[queue], {}, rank_of);
    const double end = std::max(free_from[queue], receives_from[next->receiver]) + next->seconds;
    free_from[queue] = receives_from[next->receiver] = end;
    in_order.push_back(*next);
    waiting[queue].erase(next);
  }
  return order_of(problem, in_order);
}

namespace {

constexpr int kRounds = 4;
constexpr double kFirstTemperature = 0.02;  ///< as a share of the makespan

/// Queues in which an exchange of messages can change the time.
std::vector<std::size_t> open_queues(const OrderProblem& problem) {
  std::vector<std::size_t> open;
  for (std::size_t q = 0; q < problem.queues().size(); ++q) {
    if (problem.queues()[q].items.size() > 1) open.push_back(q);
  }
  return open;
}

/// True if making lists takes no longer than the search that starts from them.
bool is_worth_lists(const OrderProblem& problem) {
  constexpr double kMostWork = 2e8;  ///< half a second
  std::size_t longest = 0;
  for (const OrderQueue& queue : problem.queues()) longest = std::max(longest, queue.message_count);
  return static_cast<double>(problem.message_count()) * static_cast<double>(problem.queues().size() + longest) <=
         kMostWork;
}

/// The given order, or an order of rounds if that is faster. The rotation is tried without asking limits.stop(),
/// because playing it takes no longer than playing the given order.
Order fastest_start(OrderProblem& problem, const SearchLimits& limits) {
  Order best = problem.given();
  double least = play_order(problem, best);
  const double enough = bound_of_all_orders(problem).value() * (1 + 1e-9);
  for (const auto make : {rotation_order, matching_order, list_order}) {
    if (least <= enough || (make != rotation_order && limits.stop())) break;
    if (make == list_order && !is_worth_lists(problem)) break;
    Order order = make(problem);
    const double time = play_order(problem, order);
    if (time >= least * (1 - 1e-12)) continue;
    least = time;
    best = std::move(order);
  }
  return best;
}

}  // namespace

FoundOrder anneal(OrderProblem& problem, const Order& start, std::uint64_t seed, const SearchLimits& limits) {
  FoundOrder best;
  best.order = start;
  best.makespan = Seconds(play_order(problem, start));
  best.lower_bound = bound_of_all_orders(problem);
  const std::vector<std::size_t> open = open_queues(problem);
  if (open.empty()) best.lower_bound = best.makespan;
  const std::uint64_t trials_a_round = limits.steps / (kRounds * std::max<std::size_t>(1, problem.message_count()));
  // Asks limits.stop() once in so many messages, because to play thousands of them takes milliseconds.
  constexpr std::size_t kMessagesBetweenLooks = 1U << 14U;
  const std::size_t look =
      std::max<std::size_t>(1, kMessagesBetweenLooks / std::max<std::size_t>(1, problem.message_count()));
  Random random(seed);
  for (int round = 0; round < kRounds && !best.proven_optimal() && !limits.stop(); ++round) {
    Order order = best.order;
    double now = best.makespan.value();
    for (std::uint64_t trial = 0; trial < trials_a_round && !best.proven_optimal(); ++trial) {
      if (trial % look == 0 && limits.stop()) break;
      std::vector<ItemNumber>& queue = order[open[random.below(static_cast<std::uint32_t>(open.size()))]];
      const auto size = static_cast<std::uint32_t>(queue.size());
      const std::uint32_t a = random.below(size);
      const std::uint32_t b = random.below(size);
      if (queue[a] == queue[b]) continue;
      std::swap(queue[a], queue[b]);
      const double time = play_order(problem, order);
      best.steps += problem.message_count();
      const double progress = static_cast<double>(trial) / static_cast<double>(trials_a_round);
      const double temperature = kFirstTemperature * now * (1 - progress) * (1 - progress);
      if (time > now && !(random.unit() < std::exp((now - time) / std::max(temperature, 1e-300)))) {
        std::swap(queue[a], queue[b]);
        continue;
      }
      now = time;
      if (time < best.makespan.value() * (1 - 1e-12)) {
        best.makespan = Seconds(time);
        best.order = order;
      }
    }
  }
  if (best.proven_optimal()) best.lower_bound = best.makespan;  // the two differ only by rounding
  return best;
}

FoundOrder best_order(OrderProblem& problem, std::uint64_t seed, const SearchLimits& limits) {
  const bool can_branch = first_move_count(problem) <= kMostBranches && problem.queues().size() <= 64;
  const Order start = fastest_start(problem, limits);
  if (!can_branch) return anneal(problem, start, seed, limits);
  FoundOrder proven = branch_and_bound(problem, start, limits);
  if (proven.proven_optimal()) return proven;
  FoundOrder better = anneal(problem, proven.order, seed, limits);
  better.steps += proven.steps;
  better.lower_bound = std::max(better.lower_bound, std::min(proven.lower_bound, better.makespan));
  return better;
}

}  // namespace topowise
