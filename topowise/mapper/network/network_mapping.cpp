// SPDX-License-Identifier: BSD-3-Clause
// Dual recursive bipartitioning (Pellegrini 1994; Ercal, Ramanujam and Sadayappan 1990): the places are cut into two
// halves across their longest axis, the ranks into two sets that exchange little, and so on. Ranks of one part of the
// network exchange bytes with ranks of others, of which it is known by then in which part they are: its centre stands
// for them, and a rank is drawn to the half that is nearer. The parts of one size are divided one after the other, so
// that each sees what its neighbours have become.
//
// Exchanges: Brandfass, Alrutz and Gerhold (Computers & Fluids 80, 2013): a rank gains where its partners are, so it is
// tried on the places beside theirs.
#include <topowise/mapper/network/network_mapping.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/network/graph_halves.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {
namespace {

// What a byte costs between two places of a regular network, for searches that ask millions of times.

class NetworkDistance {
 public:
  /// The machine must be a regular network, and outlive this.
  explicit NetworkDistance(const MapProblem& problem) : topology_(problem.topology), metric_(problem.metric) {
    const auto* grid = std::get_if<GridShape>(problem.topology.network());
    if (grid == nullptr || metric_ != Metric::distance || topology_.has_pair_matrix(metric_)) return;
    sizes_ = grid->sizes;
    closed_ = grid->closed;
    by_hops_.push_back(0);
    for (const double distance : topology_.level_distances()) by_hops_.push_back(distance);
    coordinate_.resize(topology_.place_count() * sizes_.size());
    for (std::size_t p = 0; p < topology_.place_count(); ++p) {
      std::size_t rest = p;
      for (std::size_t axis = sizes_.size(); axis-- > 0; rest /= sizes_[axis])
        coordinate_[p * sizes_.size() + axis] = static_cast<std::uint32_t>(rest % sizes_[axis]);
    }
  }

  [[nodiscard]] double operator()(Place a, Place b) const {
    if (by_hops_.empty()) return topology_.pair_cost(metric_, a, b);
    const std::size_t axes = sizes_.size();
    const std::uint32_t* from = coordinate_.data() + a.index() * axes;
    const std::uint32_t* to = coordinate_.data() + b.index() * axes;
    std::uint32_t hops = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint32_t apart = from[axis] > to[axis] ? from[axis] - to[axis] : to[axis] - from[axis];
      hops += closed_ && sizes_[axis] - apart < apart ? sizes_[axis] - apart : apart;
    }
    return by_hops_[hops];
  }

 private:
  const Topology& topology_;
  Metric metric_;
  std::vector<std::uint32_t> sizes_;
  bool closed_ = false;
  std::vector<double> by_hops_;  ///< empty where costs are no function of the hops in a grid; level h has h + 1 hops
  std::vector<std::uint32_t> coordinate_;
};

using multilevel::Arc;
using multilevel::Graph;
using multilevel::GuestVertex;

std::size_t at(GuestVertex v) {
  return static_cast<std::size_t>(v);
}

/// Which node of the halves each rank is in, and the ranks of each node side by side.
class Division {
 public:
  Division(const NetworkHalves& halves, std::size_t ranks)
      : halves_(halves), order_(ranks), first_(halves.nodes().size(), 0), end_(halves.nodes().size(), 0) {
    std::iota(order_.begin(), order_.end(), 0U);
    end_.front() = static_cast<std::uint32_t>(ranks);
  }

  [[nodiscard]] std::span<std::uint32_t> ranks_of(std::size_t node) {
    return std::span(order_).subspan(first_[node], end_[node] - first_[node]);
  }
  /// The first `low` ranks of a node are those of its lower half.
  void divide(std::size_t node, std::size_t low) {
    const NetworkHalves::Node& here = halves_.nodes()[node];
    first_[here.low] = first_[node];
    end_[here.low] = first_[here.high] = first_[node] + static_cast<std::uint32_t>(low);
    end_[here.high] = end_[node];
  }
  [[nodiscard]] Mapping mapping() const {
    std::vector<Place> places(order_.size(), Place(0));
    for (std::size_t node = 0; node < first_.size(); ++node) {
      if (halves_.nodes()[node].low != 0) continue;
      const Place place = halves_.places()[halves_.nodes()[node].first].place;
      for (std::uint32_t i = first_[node]; i < end_[node]; ++i) places[order_[i]] = place;
    }
    return Mapping(std::move(places));
  }

 private:
  const NetworkHalves& halves_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_, end_;  ///< by node
};

/// How much load the lower half may have: an even share of it, as far as both halves can bear theirs.
struct Limits {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t even = 0;
};
Limits limits_of(const NetworkHalves& halves, const NetworkHalves::Node& node, std::int64_t load) {
  const std::int64_t low = halves.nodes()[node.low].capacity;
  const std::int64_t high = halves.nodes()[node.high].capacity;
  Limits limits{.least = std::max<std::int64_t>(0, load - high), .most = std::min(load, low)};
  const double share = static_cast<double>(low) / static_cast<double>(low + high);
  limits.even = std::clamp(static_cast<std::int64_t>(share * static_cast<double>(load) + 0.5), limits.least,
                           std::max(limits.least, limits.most));
  return limits;
}

class GraphDivision {
 public:
  GraphDivision(const NetworkHalves& halves, const Graph& graph, int tries, std::uint64_t seed)
      : halves_(halves),
        graph_(graph),
        tries_(tries),
        random_(seed),
        division_(halves, at(graph.size())),
        node_of_(at(graph.size()), 0),
        local_(at(graph.size()), -1) {}

  std::optional<Mapping> run(const Deadline& deadline) {
    constexpr std::size_t kBetweenLooks = 64;
    for (std::size_t node = 0; node < halves_.nodes().size(); ++node) {
      const bool is_large = node < kBetweenLooks || node % kBetweenLooks == 0;
      if (is_large && deadline.passed()) return std::nullopt;
      if (halves_.nodes()[node].low != 0) divide(node);
    }
    return division_.mapping();
  }

 private:
  /// What the upper half costs a byte more than the lower one, if it comes from a part of the network.
  [[nodiscard]] double pull_of(const NetworkHalves::Node& node, std::uint32_t from) const {
    if (!halves_.is_grid()) return 0;
    const double there = halves_.nodes()[from].centre[node.axis];
    return halves_.along(node.axis, there, halves_.nodes()[node.high].centre[node.axis]) -
           halves_.along(node.axis, there, halves_.nodes()[node.low].centre[node.axis]);
  }

  void divide(std::size_t number) {
    const NetworkHalves::Node& node = halves_.nodes()[number];
    const std::span<std::uint32_t> ranks = division_.ranks_of(number);
    if (ranks.empty()) return division_.divide(number, 0);
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = static_cast<GuestVertex>(i);
    Graph part;
    std::vector<double> pull(ranks.size(), 0);
    std::int64_t load = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      for (const Arc& arc : graph_.arcs_of(static_cast<GuestVertex>(ranks[i]))) {
        const std::uint32_t there = node_of_[at(arc.to)];
        if (there == number) {
          part.arcs.push_back({local_[at(arc.to)], arc.weight});
        } else {
          pull[i] += arc.weight * pull_of(node, there);
        }
      }
      part.first.push_back(static_cast<std::int64_t>(part.arcs.size()));
      part.load.push_back(graph_.load[ranks[i]]);
      load += part.load.back();
    }
    const Limits limits = limits_of(halves_, node, load);
    const double apart = halves_.is_grid() ? halves_.along(node.axis, halves_.nodes()[node.low].centre[node.axis],
                                                           halves_.nodes()[node.high].centre[node.axis])
                                           : 1;
    const HalvingProblem problem{&part, pull, apart, limits.even, limits.even};
    const std::vector<std::uint8_t> side = halve(problem, tries_, random_);
    std::vector<std::uint32_t> sorted;
    sorted.reserve(ranks.size());
    for (const std::uint8_t wanted : {std::uint8_t{0}, std::uint8_t{1}}) {
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (side[i] != wanted) continue;
        sorted.push_back(ranks[i]);
        node_of_[ranks[i]] = wanted == 0 ? node.low : node.high;
      }
    }
    const auto low = static_cast<std::size_t>(std::ranges::count(side, std::uint8_t{0}));
    std::ranges::copy(sorted, ranks.begin());
    division_.divide(number, low);
  }

  const NetworkHalves& halves_;
  const Graph& graph_;
  int tries_;
  Random random_;
  Division division_;
  std::vector<std::uint32_t> node_of_;  ///< by rank
  std::vector<GuestVertex> local_;      ///< by rank: its number in the part that is divided
};

class Exchanges {
 public:
  Exchanges(const MapProblem& problem, const Graph& graph, const Mapping& start)
      : graph_(graph),
        topology_(problem.topology),
        distance_(problem),
        place_of_(start.places().begin(), start.places().end()) {
    free_.assign(topology_.place_count(), 0);
    for (const PlaceCapacity& each : place_capacities(problem))
      free_[each.place.index()] = static_cast<std::int32_t>(each.capacity);
    first_on_.assign(topology_.place_count(), kNoRank);
    next_on_.assign(place_of_.size(), kNoRank);
    for (std::uint32_t r = 0; r < place_of_.size(); ++r) put(r, place_of_[r]);
  }

  Mapping run(int sweeps, std::uint64_t seed, const Deadline& deadline) {
    std::vector<std::uint32_t> order(place_of_.size());
    std::iota(order.begin(), order.end(), 0U);
    Random random(seed);
    random.shuffle(std::span(order));
    constexpr std::size_t kBetweenLooks = 256;
    bool gains = true;
    for (int sweep = 0; sweep < sweeps && gains; ++sweep) {
      gains = false;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % kBetweenLooks == 0 && deadline.passed()) return Mapping(std::move(place_of_));
        gains = improve(order[i]) || gains;
      }
    }
    return Mapping(std::move(place_of_));
  }

  /// The best mapping of a walk in which losses become rarer and smaller.
  Mapping anneal(std::size_t trials, std::uint64_t seed, const Deadline& deadline) {
    constexpr double kHot = 0.4;  // of the mean cost of an edge over one link
    constexpr double kCold = 0.03;
    constexpr std::size_t kBetweenLooks = 1024;
    if (graph_.arcs.empty()) return Mapping(std::move(place_of_));
    Random random(seed);
    const double unit = mean_weight() * std::ranges::min(topology_.level_distances());
    const std::size_t between_copies = std::max<std::size_t>(place_of_.size(), kBetweenLooks);
    std::vector<Place> best = place_of_;
    double change = 0;
    double least = 0;
    double heat = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      if (trial % kBetweenLooks == 0) {
        // Only copies count then: a later deadline has all of them, and more.
        if (deadline.passed()) return Mapping(std::move(best));
        heat = unit * kHot * std::pow(kCold / kHot, static_cast<double>(trial) / static_cast<double>(trials));
      }
      change -= try_random(random, heat);
      if (trial % between_copies != 0 || change >= least) continue;
      least = change;
      best = place_of_;
    }
    return Mapping(change < least ? std::move(place_of_) : std::move(best));
  }

 private:
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  [[nodiscard]] double cost(Place a, Place b) const { return distance_(a, b); }

  void put(std::uint32_t rank, Place place) {
    next_on_[rank] = first_on_[place.index()];
    first_on_[place.index()] = rank;
    place_of_[rank] = place;
    --free_[place.index()];
  }
  void take(std::uint32_t rank) {
    std::uint32_t* link = &first_on_[place_of_[rank].index()];
    while (*link != rank) link = &next_on_[*link];
    *link = next_on_[rank];
    ++free_[place_of_[rank].index()];
  }

  /// What the rank pays on that place, while all others stay; its bytes with `without` are left out.
  [[nodiscard]] double pays(std::uint32_t rank, Place place, std::uint32_t without) const {
    double sum = 0;
    for (const Arc& arc : graph_.arcs_of(static_cast<GuestVertex>(rank))) {
      if (static_cast<std::uint32_t>(arc.to) != without) sum += arc.weight * cost(place, place_of_[at(arc.to)]);
    }
    return sum;
  }

  struct Best {
    double gain = 0;
    Place place{0};
    std::uint32_t with = kNoRank;
  };

  /// Looks at an exchange with each rank on a place, or at a move to it.
  void look_at(std::uint32_t rank, Place place, double before, Best& best) {
    const Place own = place_of_[rank];
    if (place == own || is_closed(place)) return;
    const double mine = before - pays(rank, place, kNoRank);
    if (free_[place.index()] > 0 && mine > best.gain * (1 + kRounding) + kRounding * before)
      best = {mine, place, kNoRank};
    if (mine <= 0) return;  // if the other one gains more than this one loses, it finds the exchange itself
    for (std::uint32_t other = first_on_[place.index()]; other != kNoRank; other = next_on_[other]) {
      const double gain =
          pays(rank, own, other) - pays(rank, place, other) + pays(other, place, rank) - pays(other, own, rank);
      if (gain > best.gain * (1 + kRounding) + kRounding * before) best = {gain, place, other};
    }
  }
  [[nodiscard]] bool is_closed(Place place) const {
    return free_[place.index()] <= 0 && first_on_[place.index()] == kNoRank;
  }

  bool improve(std::uint32_t rank) {
    near_.clear();
    for (const Arc& arc : graph_.arcs_of(static_cast<GuestVertex>(rank))) {
      if (near_.size() >= kMostTried) break;
      add_near(place_of_[at(arc.to)]);
    }
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
    const double before = pays(rank, place_of_[rank], kNoRank);
    Best best;
    for (const Place place : near_) look_at(rank, place, before, best);
    if (best.gain <= 0) return false;
    move(rank, best.place, best.with);
    return true;
  }

  /// The place and those a link away; in a dragonfly those on its router.
  void add_near(Place place) {
    near_.push_back(place);
    const std::size_t places = topology_.place_count();
    for (const LinkId link : topology_.links_from(topology_.place(place).vertex)) {
      const std::size_t to = topology_.link(link).to.index();
      if (to < places) {
        near_.emplace_back(to);
        continue;
      }
      for (const LinkId down : topology_.links_from(VertexId(to))) {
        if (const std::size_t below = topology_.link(down).to.index(); below < places) near_.emplace_back(below);
      }
    }
  }

  [[nodiscard]] double mean_weight() const {
    double sum = 0;
    for (const Arc& arc : graph_.arcs) sum += arc.weight;
    return sum / static_cast<double>(graph_.arcs.size());
  }

  /// The place of a partner, or one per link away; in a dragonfly one on its router or in its group.
  [[nodiscard]] Place random_near(Place place, Random& random) const {
    if (const auto* fly = std::get_if<DragonflyShape>(topology_.network())) {
      const std::uint32_t part = random.below(2) == 0 ? fly->places : fly->places * fly->routers;
      return Place(place.index() / part * part + random.below(part));
    }
    const std::span<const LinkId> links = topology_.links_from(topology_.place(place).vertex);
    const std::uint32_t link = random.below(static_cast<std::uint32_t>(links.size()) + 1);
    return link == links.size() ? place : Place(topology_.link(links[link]).to.index());
  }

  /// Tries one exchange or move; returns what it gained, which may be less than nothing.
  double try_random(Random& random, double heat) {
    const std::uint32_t rank = random.below(static_cast<std::uint32_t>(place_of_.size()));
    const std::span<const Arc> arcs = graph_.arcs_of(static_cast<GuestVertex>(rank));
    if (arcs.empty()) return 0;
    const Arc& arc = arcs[random.below(static_cast<std::uint32_t>(arcs.size()))];
    const Place to = random_near(place_of_[at(arc.to)], random);
    const Place own = place_of_[rank];
    if (to == own || is_closed(to)) return 0;
    const std::uint32_t other = free_[to.index()] > 0 ? kNoRank : first_on_[to.index()];
    double gain = pays(rank, own, other) - pays(rank, to, other);
    if (other != kNoRank) gain += pays(other, to, rank) - pays(other, own, rank);
    if (gain < 0 && !(random.unit() < std::exp(gain / heat))) return 0;
    move(rank, to, other);
    return gain;
  }

  void move(std::uint32_t rank, Place to, std::uint32_t with) {
    const Place own = place_of_[rank];
    take(rank);
    if (with != kNoRank) {
      take(with);
      put(with, own);
    }
    put(rank, to);
  }

  static constexpr std::size_t kMostTried = 96;
  static constexpr double kRounding = 1e-12;
  const Graph& graph_;
  const Topology& topology_;
  NetworkDistance distance_;
  std::vector<Place> place_of_;
  std::vector<std::int32_t> free_;       ///< by place: ranks that it could still hold
  std::vector<std::uint32_t> first_on_;  ///< by place: a rank on it
  std::vector<std::uint32_t> next_on_;   ///< by rank: another rank on its place
  std::vector<Place> near_;
};

}  // namespace

std::optional<NetworkHalves> NetworkHalves::find(const MapProblem& problem) {
  const NetworkShape* shape = problem.topology.network();
  if (shape == nullptr) return std::nullopt;
  if (!is_known(*shape)) return std::nullopt;
  return NetworkHalves(problem, *shape);
}

NetworkHalves::NetworkHalves(const MapProblem& problem, const NetworkShape& shape)
    : places_(place_capacities(problem)) {
  if (const auto* grid = std::get_if<GridShape>(&shape)) {
    axes_ = grid->sizes.size();
    closed_ = grid->closed;
    std::uint32_t stride = 1;
    for (std::size_t axis = axes_; axis-- > 0; stride *= size_[axis]) {
      size_[axis] = grid->sizes[axis];
      stride_[axis] = stride;
    }
  } else {
    const auto& fly = std::get<DragonflyShape>(shape);
    router_places_ = fly.places;
    group_places_ = fly.places * fly.routers;
    std::ranges::sort(places_, {}, [](const PlaceCapacity& each) { return each.place; });
  }
  keep_together(0, places_.size(), total_load(problem));
  nodes_.reserve(2 * places_.size());
  nodes_.push_back({.first = 0, .end = static_cast<std::uint32_t>(places_.size())});
  describe(nodes_.front());
  for (std::size_t node = 0; node < nodes_.size(); ++node) cut(node);
}

std::uint32_t NetworkHalves::coordinate(const PlaceCapacity& place, std::size_t axis) const {
  return static_cast<std::uint32_t>(place.place.index()) / stride_[axis] % size_[axis];
}

double NetworkHalves::along(std::size_t axis, double from, double to) const {
  const double apart = std::abs(from - to);
  return closed_ ? std::min(apart, size_[axis] - apart) : apart;
}

void NetworkHalves::sort(std::size_t first, std::size_t end, std::size_t axis) {
  const auto begin = places_.begin();
  std::sort(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end),
            [&](const PlaceCapacity& a, const PlaceCapacity& b) {
              return std::pair(coordinate(a, axis), a.place) < std::pair(coordinate(b, axis), b.place);
            });
}

std::int64_t NetworkHalves::capacity(std::size_t first, std::size_t end) const {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += static_cast<std::int64_t>(places_[i].capacity);
  return sum;
}

/// Goes to the smallest part that can bear the load, and drops what it need not have of it: planes of a grid, the last
/// places of a dragonfly.
void NetworkHalves::keep_together(std::size_t first, std::size_t end, std::int64_t load) {
  while (end - first > 1) {
    Node part{.first = static_cast<std::uint32_t>(first), .end = static_cast<std::uint32_t>(end)};
    describe(part);
    if (axes_ > 0) sort(first, end, part.axis);
    const std::size_t middle = border(part);
    const bool low_bears = capacity(first, middle) >= load;
    if (!low_bears && capacity(middle, end) < load) {
      std::size_t last = end;
      for (std::int64_t spare = part.capacity - load; last > first + 1; --last) {
        spare -= static_cast<std::int64_t>(places_[last - 1].capacity);
        if (spare < 0) break;
      }
      while (axes_ > 0 && last < end &&
             coordinate(places_[last], part.axis) == coordinate(places_[last - 1], part.axis))
        ++last;
      end = last;
      break;
    }
    (low_bears ? end : first) = middle;
  }
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(end), places_.end());
  places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Capacity, centre, and the longest axis.
void NetworkHalves::describe(Node& node) {
  std::array<std::uint32_t, kMostNetworkAxes> low;
  std::array<std::uint32_t, kMostNetworkAxes> high{};
  low.fill(~std::uint32_t{0});
  for (std::uint32_t i = node.first; i < node.end; ++i) {
    node.capacity += static_cast<std::int64_t>(places_[i].capacity);
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const std::uint32_t here = coordinate(places_[i], axis);
      low[axis] = std::min(low[axis], here);
      high[axis] = std::max(high[axis], here);
    }
  }
  std::uint32_t longest = 0;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    node.centre[axis] = 0.5F * static_cast<float>(low[axis] + high[axis]);
    const std::uint32_t length = high[axis] - low[axis];
    if (length <= longest) continue;
    longest = length;
    node.axis = static_cast<std::uint32_t>(axis);
  }
}

/// Where the second half begins: at the plane, group or router nearest to the middle.
std::size_t NetworkHalves::border(const Node& node) const {
  const std::size_t middle = node.first + (node.end - node.first) / 2;
  const auto part_of = [&](std::size_t i) -> std::size_t {
    const PlaceCapacity& each = places_[i];
    if (axes_ > 0) return coordinate(each, node.axis);
    const auto in = [&](std::uint32_t size) { return each.place.index() / size; };
    const auto ends = [&](std::uint32_t size) {
      return places_[node.first].place.index() / size != places_[node.end - 1].place.index() / size;
    };
    return ends(group_places_) ? in(group_places_) : ends(router_places_) ? in(router_places_) : each.place.index();
  };
  std::size_t down = middle;
  while (down > node.first && part_of(down - 1) == part_of(middle)) --down;
  std::size_t up = middle;
  while (up < node.end && part_of(up) == part_of(middle)) ++up;
  if (down == node.first) return up;
  return up == node.end || middle - down <= up - middle ? down : up;
}

void NetworkHalves::cut(std::size_t index) {
  Node node = nodes_[index];
  if (node.end - node.first < 2) return;
  if (axes_ > 0) sort(node.first, node.end, node.axis);
  const auto at = static_cast<std::uint32_t>(border(node));
  node.low = static_cast<std::uint32_t>(nodes_.size());
  node.high = node.low + 1;
  nodes_[index] = node;
  nodes_.push_back({.first = node.first, .end = at});
  describe(nodes_.back());
  nodes_.push_back({.first = at, .end = node.end});
  describe(nodes_.back());
}

std::optional<Mapping> divide_onto_network(const MapProblem& problem, const Graph& graph, int tries, std::uint64_t seed,
                                           const Deadline& deadline) {
  const std::optional<NetworkHalves> halves = NetworkHalves::find(problem);
  return halves ? GraphDivision(*halves, graph, tries, seed).run(deadline) : std::nullopt;
}

Mapping divide_by_rule(const NetworkHalves& halves, std::size_t ranks, const DivideRanks& divide) {
  Division division(halves, ranks);
  for (std::size_t node = 0; node < halves.nodes().size(); ++node) {
    const NetworkHalves::Node& here = halves.nodes()[node];
    if (here.low == 0) continue;
    const std::span<std::uint32_t> own = division.ranks_of(node);
    const auto low = static_cast<std::size_t>(limits_of(halves, here, std::ssize(own)).even);
    if (low > 0 && low < own.size()) divide(here, own, low);
    division.divide(node, low);
  }
  return division.mapping();
}

Mapping anneal_on_network(const MapProblem& problem, const Graph& graph, const Mapping& start, std::size_t trials,
                          std::uint64_t seed, const Deadline& deadline) {
  constexpr int kSweeps = 4;
  const Mapping cooled = Exchanges(problem, graph, start).anneal(trials, seed, deadline);
  return Exchanges(problem, graph, cooled).run(kSweeps, seed, deadline);
}

Mapping exchange_on_network(const MapProblem& problem, const Graph& graph, const Mapping& start, int sweeps,
                            std::uint64_t seed, const Deadline& deadline) {
  return Exchanges(problem, graph, start).run(sweeps, seed, deadline);
}

}  // namespace topowise
