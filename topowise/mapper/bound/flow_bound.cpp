// SPDX-License-Identifier: BSD-3-Clause
// Let a rank send one unit of flow through the graph of the traffic to each of the k ranks nearest to it, itself among
// them. In groups of at most M ranks at least k - M of the units end in another group than they began in, so they cross
// from group to group on an edge of the graph. With many sources, of any weights: if S units have to cross and x_e go
// over edge e of w_e bytes, the edges between groups carry at least S together. The fewest bytes that edges carrying S
// can have is a fractional knapsack (Dantzig 1957): the edges with most flow a byte first, until S is reached. That is
// the bound, whatever the flow is. It is the dual of the spreading metrics of Even, Naor, Rao and Schieber (JACM 47,
// 2000), with edges that the knapsack takes in whole as those of length 1. In a flat piece of a mesh it is a constant
// share of the border, for any size of the groups.
//
// The flow should be even: the same flow a byte on as many edges as possible. It is made source after source along
// short paths by lengths that grow with the flow that is there already (the multiplicative weights of Garg and
// Koenemann, SIAM J. Comput. 37, 2007, with a power in the place of the exponential, which a few hundred sources cannot
// follow). Three things make few sources enough:
// - k is chosen while the ranks are reached, nearest first, so that the units that must cross are most for their way:
//   once d (k - M) is above the sum of the distances, another rank at distance d makes it worse.
// - The first ranks around a source, the disc, are all sources: each sends its units to the edge of the disc, all in
//   the same shares, and outside they go the same ways. So a source's own few edges do not limit the flow.
// - A tree of shortest paths has few, full trunks. So the flow takes all ways inward (to a rank that is nearer), in the
//   shares of an electrical current. The potential of this current grows as if the graph were round, and is evened out
//   by some sweeps of Gauss and Seidel. These sweeps need not converge, because the shares only have to add up to one.
#include <topowise/mapper/bound/flow_bound.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

namespace topowise {
namespace {

// The vertices nearest to a given one, in order: Dijkstra's algorithm with a ring of buckets (Dial 1969), because
// lengths are small whole numbers.

struct HalfEdge {
  std::uint32_t to = 0;
  std::uint32_t length = 1;  ///< 1 to kLongestEdge
};

constexpr std::uint32_t kLongestEdge = 4095;

/// Every edge is in the rows of both its ends.
struct LengthGraph {
  std::vector<std::uint32_t> first{0};  ///< half edges of vertex v: [first[v], first[v+1])
  std::vector<HalfEdge> halves;
};

class NearestFirst {
 public:
  /// For graphs with at most so many vertices.
  explicit NearestFirst(std::size_t vertices)
      : buckets_(kLongestEdge + 1, kNone), distance_(vertices, kNone), position_(vertices, kNone), last_(vertices) {}

  /// Reaches vertices from `start` on until `enough(distance of the next)` or there are no more.
  template <class Enough>
  void run(const LengthGraph& graph, std::uint32_t start, const Enough& enough);

  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }
  /// The position of a vertex in order(); above every other if the vertex was not reached.
  [[nodiscard]] std::uint32_t position(std::uint32_t vertex) const { return position_[vertex]; }
  [[nodiscard]] std::uint32_t distance(std::uint32_t vertex) const { return distance_[vertex]; }

  struct Step {
    std::uint32_t from = 0;
    std::uint32_t half = 0;  ///< index in the graph
  };
  /// The last step of a shortest path to a vertex that was reached and is not the start.
  [[nodiscard]] const Step& last_step(std::uint32_t vertex) const { return last_[vertex]; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {  // older, longer ways to a vertex stay in their buckets and are passed over
    std::uint32_t vertex, next;
  };

  void add(std::uint32_t vertex, std::uint32_t distance) {
    if (distance_[vertex] == kNone) seen_.push_back(vertex);
    distance_[vertex] = distance;
    std::uint32_t& bucket = buckets_[distance & kLongestEdge];
    candidates_.push_back({vertex, bucket});
    bucket = static_cast<std::uint32_t>(candidates_.size() - 1);
  }

  void forget() {
    for (const std::uint32_t vertex : seen_) distance_[vertex] = position_[vertex] = kNone;
    seen_.clear();
    order_.clear();
    candidates_.clear();
    if (stopped_) std::ranges::fill(buckets_, kNone);
    stopped_ = false;
  }

  std::vector<std::uint32_t> buckets_;  ///< by distance modulo their number: the first of a list of candidates
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> position_;
  std::vector<Step> last_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> seen_;
  bool stopped_ = false;  ///< the last run ended with candidates left
};

template <class Enough>
void NearestFirst::run(const LengthGraph& graph, std::uint32_t start, const Enough& enough) {
  forget();
  add(start, 0);
  std::size_t waiting = 1;
  for (std::uint32_t distance = 0; waiting > 0; ++distance) {
    std::uint32_t& bucket = buckets_[distance & kLongestEdge];
    while (bucket != kNone) {
      const std::uint32_t vertex = candidates_[bucket].vertex;
      bucket = candidates_[bucket].next;
      --waiting;
      if (position_[vertex] != kNone) continue;
      if (enough(distance)) {
        stopped_ = true;
        return;
      }
      position_[vertex] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(vertex);
      for (std::uint32_t r = graph.first[vertex]; r < graph.first[vertex + 1]; ++r) {
        const HalfEdge& half = graph.halves[r];
        if (distance + half.length >= distance_[half.to]) continue;
        add(half.to, distance + half.length);
        last_[half.to] = {vertex, r};
        ++waiting;
      }
    }
  }
}

using multilevel::Graph;
using multilevel::GuestVertex;

constexpr std::uint32_t kOutside = 0xFFFFFFFF;
constexpr int kSweeps = 4;
constexpr double kUpdates = 32;         ///< how often lengths are set anew
constexpr double kWarmUp = 0.05;        ///< share of the steps whose flow shapes lengths and does not count
constexpr double kDiscShare = 0.3;      ///< ranks of a disc, as a share of the root of k
constexpr double kSourcesEach = 4;      ///< how often a rank is a source, at most, on the average
constexpr double kUsualLength = 8;      ///< length of an edge with usual flow
constexpr double kRounding = 1 - 1e-9;  ///< far above the rounding of any sum here

class LevelFlow {
 public:
  LevelFlow(const Graph& graph, std::span<const std::uint32_t> edge_of_arc, std::span<const double> bytes,
            std::size_t largest)
      : edge_of_half_(edge_of_arc),
        bytes_(bytes),
        largest_(static_cast<double>(largest)),
        ball_(static_cast<std::size_t>(graph.size())),
        inner_(static_cast<std::size_t>(graph.size())),
        ranks_(static_cast<double>(graph.size())),
        flow_(bytes.size(), 0.0) {
    for (const std::int64_t first : std::span(graph.first).subspan(1))
      graph_.first.push_back(static_cast<std::uint32_t>(first));
    for (const multilevel::Arc& arc : graph.arcs) graph_.halves.push_back({static_cast<std::uint32_t>(arc.to), 1});
    for (const double weight : bytes) all_bytes_ += weight;
    set_lengths(0);
  }

  double run(double steps, const Deadline& deadline) {
    constexpr double kGolden = 0.6180339887498949;
    std::vector<double> before;  // the flow of the warm-up
    double crossing_before = 0;
    double next_update = 0;
    double at = 0;
    while (steps_ < steps && sources_ < kSourcesEach * ranks_ && !deadline.passed()) {
      at += kGolden;  // spreads evenly over the ranks, which are in breadth-first order
      at -= std::floor(at);
      add_disc(static_cast<std::uint32_t>(at * ranks_));
      const double done = std::max(steps_ / steps, sources_ / (kSourcesEach * ranks_));
      if (before.empty() && done >= kWarmUp) {
        if (crossing_ <= 0) return 0;  // every connected part fits into a group
        before = flow_;
        crossing_before = crossing_;
      }
      if (done * kUpdates >= next_update) {
        set_lengths(std::min(done, 1.0));
        next_update = std::floor(done * kUpdates) + 1;
      }
    }
    if (before.empty()) before.assign(flow_.size(), 0.0);
    return knapsack(before, crossing_ - crossing_before);
  }

 private:
  [[nodiscard]] double flow_a_byte(std::size_t edge) const { return flow_[edge] / bytes_[edge]; }

  /// `done` is the share of the steps that are made. The flow of the first sources says little, so usual flow is mixed
  /// in.
  void set_lengths(double done) {
    constexpr double kFloor = 0.5;
    double all = 0;
    for (const double flow : flow_) all += flow;
    const double usual = all > 0 ? all / all_bytes_ : 1;
    const double prior = all > 0 ? 4 * (1 - done) * (1 - done) : 1;
    const double mean_bytes = all_bytes_ / static_cast<double>(bytes_.size());
    std::vector<std::uint32_t> lengths(bytes_.size());
    double sum = 0;
    for (std::size_t e = 0; e < bytes_.size(); ++e) {
      const double fullness = kFloor + (flow_a_byte(e) / usual + prior) / (1 + prior);
      const double length = kUsualLength * fullness * fullness * mean_bytes / bytes_[e];
      lengths[e] = static_cast<std::uint32_t>(std::clamp(length, 1.0, double{kLongestEdge}));
      sum += bytes_[e] * lengths[e];
    }
    for (std::size_t r = 0; r < graph_.halves.size(); ++r) graph_.halves[r].length = lengths[edge_of_half_[r]];
    mean_length_ = sum / all_bytes_;
  }

  void add_disc(std::uint32_t centre) {
    double reached = 0;
    double distances = 0;
    ball_.run(graph_, centre, [&](std::uint32_t distance) {
      if (reached > largest_ && distance * (reached - largest_) > distances) return true;
      ++reached;
      distances += distance;
      return false;
    });
    steps_ += reached;
    sources_ += 1;
    const double crossing = reached - largest_;
    if (crossing <= 0) return;
    const std::span<const std::uint32_t> order = ball_.order();
    const std::size_t disc =
        std::clamp<std::size_t>(static_cast<std::size_t>(kDiscShare * std::sqrt(reached)), 1, order.size());
    const double weight = mean_length_ * crossing / distances;  // cheap units count more
    find_neighbours(order);
    units_.assign(order.size(), weight);
    set_potential(order);
    flow_inward(disc);
    spread_in_disc(disc);
    crossing_ += weight * crossing * static_cast<double>(disc);
    sources_ += static_cast<double>(disc) - 1;
  }

  /// Lists the part of the graph in the ball, in the order of the ball and with a neighbour for each half edge.
  void find_neighbours(std::span<const std::uint32_t> order) {
    first_neighbour_.assign(1, 0);
    neighbours_.clear();
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      for (std::uint32_t r = graph_.first[order[i]]; r < graph_.first[order[i] + 1]; ++r) {
        const HalfEdge& half = graph_.halves[r];
        const std::uint32_t position = ball_.position(half.to);
        const bool inside = position != kOutside;
        neighbours_.push_back({inside ? position : i, inside ? 1.0F / static_cast<float>(half.length) : 0.0F});
      }
      first_neighbour_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
    }
  }

  struct Neighbour {
    std::uint32_t position;
    float conductance;  ///< 0 if it is outside the ball
  };
  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t i) const {
    return std::span(neighbours_).subspan(first_neighbour_[i], first_neighbour_[i + 1] - first_neighbour_[i]);
  }

  /// Sets the potential as if all directions were equal, then evens it out. At every distance the units from further
  /// out must flow inward over the edges that lead out.
  void set_potential(std::span<const std::uint32_t> order) {
    potential_.assign(order.size(), 0);
    resistance_.assign(order.size(), 0);
    double leading_out = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) {
        const double further = ball_.distance(order[i]) - ball_.distance(order[i - 1]);
        potential_[i] =
            potential_[i - 1] + further * static_cast<double>(order.size() - i) / std::max(1.0, leading_out);
      }
      double conductance = 0;
      for (const Neighbour& neighbour : neighbours(i)) {
        conductance += neighbour.conductance;
        leading_out += neighbour.position < i ? -1 : 1;
      }
      resistance_[i] = conductance > 0 ? 1 / conductance : 0;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t i = 1; i < order.size(); ++i) even_out(sweep % 2 == 0 ? order.size() - i : i);
    }
  }

  void even_out(std::size_t i) {
    double current = 1;  // its own unit
    for (const Neighbour& neighbour : neighbours(i)) current += potential_[neighbour.position] * neighbour.conductance;
    potential_[i] = current * resistance_[i];
  }

  /// Brings the units of all ranks outside the disc to ranks of the disc. Flow is written from where it ends to where
  /// it begins; the direction does not matter.
  void flow_inward(std::size_t disc) {
    const std::span<const std::uint32_t> order = ball_.order();
    const auto sources = static_cast<double>(disc);
    for (std::size_t i = order.size(); i-- > disc;) {
      const auto share = [&](const Neighbour& neighbour) {
        const bool inward = neighbour.position < i;
        return inward ? std::max(0.0, potential_[i] - potential_[neighbour.position]) * neighbour.conductance : 0.0;
      };
      double all = 0;
      for (const Neighbour& neighbour : neighbours(i)) all += share(neighbour);
      if (all <= 0) {
        const NearestFirst::Step& step = ball_.last_step(order[i]);
        units_[ball_.position(step.from)] += units_[i];
        flow_[edge_of_half_[step.half]] += units_[i] * sources;
        continue;
      }
      const double scale = units_[i] / all;
      const std::uint32_t* edge = &edge_of_half_[graph_.first[order[i]]];
      for (const Neighbour& neighbour : neighbours(i)) {
        const double part = share(neighbour) * scale;
        units_[neighbour.position] += part;
        flow_[*edge++] += part * sources;
      }
    }
  }

  /// Sends from every rank of the disc to every other what the other takes for itself and for the ranks further out.
  void spread_in_disc(std::size_t disc) {
    const std::span<const std::uint32_t> members = ball_.order().first(disc);
    inside_.first.assign(1, 0);
    inside_.halves.clear();
    edge_inside_.clear();
    for (const std::uint32_t member : members) {
      for (std::uint32_t r = graph_.first[member]; r < graph_.first[member + 1]; ++r) {
        const std::uint32_t to = ball_.position(graph_.halves[r].to);
        if (to >= disc) continue;
        inside_.halves.push_back({to, graph_.halves[r].length});
        edge_inside_.push_back(edge_of_half_[r]);
      }
      inside_.first.push_back(static_cast<std::uint32_t>(inside_.halves.size()));
    }
    for (std::uint32_t source = 0; source < disc; ++source) {
      inner_.run(inside_, source, [](std::uint32_t) { return false; });
      taken_.assign(units_.begin(), units_.begin() + static_cast<std::ptrdiff_t>(disc));
      flow_inside();
    }
    steps_ += static_cast<double>(disc * disc);
  }

  /// Lets the units flow along all ways to members nearer to the source; a detour carries less.
  void flow_inside() {
    const std::span<const std::uint32_t> order = inner_.order();
    for (std::size_t i = order.size(); i-- > 1;) {
      const std::uint32_t member = order[i];
      const auto share = [&](const HalfEdge& half) {
        const double gained = static_cast<double>(inner_.distance(member)) - inner_.distance(half.to);
        return gained > 0 ? gained * gained / (static_cast<double>(half.length) * half.length) : 0.0;
      };
      double all = 0;
      for (std::uint32_t r = inside_.first[member]; r < inside_.first[member + 1]; ++r) all += share(inside_.halves[r]);
      const double scale = taken_[member] / all;  // a way of shortest length has a share of 1
      for (std::uint32_t r = inside_.first[member]; r < inside_.first[member + 1]; ++r) {
        const double part = share(inside_.halves[r]) * scale;
        if (part == 0) continue;
        taken_[inside_.halves[r].to] += part;
        flow_[edge_inside_[r]] += part;
      }
    }
  }

  /// The fewest bytes of edges that carry `crossing`. The flow of `before` does not count.
  [[nodiscard]] double knapsack(std::span<const double> before, double crossing) const {
    struct Full {
      double a_byte, flow, bytes;
    };
    std::vector<Full> edges;
    for (std::size_t e = 0; e < flow_.size(); ++e) {
      const double flow = flow_[e] - before[e];
      if (flow > 0) edges.push_back({flow / bytes_[e], flow, bytes_[e]});
    }
    std::ranges::stable_sort(edges, std::greater<>(), &Full::a_byte);
    double bytes = 0;
    for (const Full& edge : edges) {
      if (edge.flow >= crossing) return (bytes + std::max(0.0, crossing) / edge.a_byte) * kRounding;
      crossing -= edge.flow;
      bytes += edge.bytes;
    }
    return bytes * kRounding;
  }

  LengthGraph graph_;
  std::span<const std::uint32_t> edge_of_half_;
  std::span<const double> bytes_;
  double all_bytes_ = 0;
  double largest_;
  double mean_length_ = 1;
  NearestFirst ball_;
  NearestFirst inner_;
  double ranks_;
  std::vector<double> flow_;  ///< of every edge, units of all sources
  // The members below are numbers of the ball, by position:
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint32_t> first_neighbour_;
  std::vector<double> units_;  ///< what one source sends there, with what goes on from there
  std::vector<double> potential_;
  std::vector<double> resistance_;  ///< of all half edges together
  LengthGraph inside_;              ///< the disc; numbers are positions in the ball
  std::vector<std::uint32_t> edge_inside_;
  std::vector<double> taken_;
  double crossing_ = 0;  ///< units that must cross between groups
  double steps_ = 0;
  double sources_ = 0;
};

}  // namespace

FlowBound::FlowBound(const Traffic& traffic) {
  const Graph graph = multilevel::symmetric_graph(traffic);
  graph_ = multilevel::renumbered(graph, multilevel::breadth_first_order(graph));
  // With sorted rows, the arcs to smaller vertices are first, in the order in which their other directions are met.
  const std::vector<std::int64_t>& first = graph_.first;
  for (std::size_t v = 0; v + 1 < first.size(); ++v)
    std::sort(graph_.arcs.begin() + first[v], graph_.arcs.begin() + first[v + 1],
              [](const multilevel::Arc& a, const multilevel::Arc& b) { return a.to < b.to; });
  edge_of_arc_.resize(graph_.arcs.size());
  std::vector<std::int64_t> next = first;
  for (GuestVertex v = 0; v < graph_.size(); ++v) {
    for (std::int64_t& a = next[static_cast<std::size_t>(v)]; a < first[static_cast<std::size_t>(v) + 1]; ++a) {
      const multilevel::Arc& arc = graph_.arcs[static_cast<std::size_t>(a)];
      const std::int64_t back = next[static_cast<std::size_t>(arc.to)]++;
      edge_of_arc_[static_cast<std::size_t>(a)] = edge_of_arc_[static_cast<std::size_t>(back)] =
          static_cast<std::uint32_t>(bytes_.size());
      bytes_.push_back(arc.weight);
    }
  }
}

double FlowBound::bytes_between(std::size_t largest, double steps, const Deadline& deadline) const {
  if (bytes_.empty() || largest >= static_cast<std::size_t>(graph_.size())) return 0;
  return LevelFlow(graph_, edge_of_arc_, bytes_, largest).run(steps, deadline);
}

}  // namespace topowise
