// SPDX-License-Identifier: BSD-3-Clause
// Ranks are placed one after the other. Where two groups of places that are alike are both empty, a rank that went into
// the later one would begin the same mappings, with the two groups exchanged, as in the earlier one: these are left
// out. The first of all mappings that are alike, in the order of their places, is never left out, because such an
// exchange would give one before it.
#include <topowise/mapper/search/arrangements.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {
namespace {

// The congestion model sees the links of routes, which of them are shared, and their rates. So an exchange of places
// changes no prediction if there is a one-to-one map of links, and one of vertices, that carries the route of every
// pair to the route of the exchanged pair, and keeps what the model knows of a link. Groups are candidates only; each
// exchange is checked. What a candidate misses costs time and nothing else.

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A one-to-one map of numbers, made as pairs are met.
class Bijection {
 public:
  explicit Bijection(std::size_t size) : to_(size, kNone), from_(size, kNone) {}

  /// False if one of the two already belongs to another.
  bool join(std::size_t a, std::size_t b) {
    if (to_[a] == kNone && from_[b] == kNone) {
      to_[a] = static_cast<std::uint32_t>(b);
      from_[b] = static_cast<std::uint32_t>(a);
    }
    return to_[a] == b && from_[b] == a;
  }

 private:
  std::vector<std::uint32_t> to_, from_;
};

class Routes {
 public:
  explicit Routes(const MapProblem& problem)
      : topology_(problem.topology),
        model_(problem.topology, CongestionModelName::automatic),
        all_(place_capacities(problem)) {
    for (const PlaceCapacity& from : all_) {
      for (const PlaceCapacity& to : all_) {
        routes_.push_back(topology_.route(from.place, to.place));
        pairs_.push_back({.cost = topology_.pair_cost(problem.metric, from.place, to.place),
                          .bandwidth = topology_.bandwidth(from.place, to.place).value(),
                          .latency = topology_.latency(from.place, to.place).value()});
      }
    }
  }

  [[nodiscard]] const std::vector<PlaceCapacity>& places() const { return all_; }
  [[nodiscard]] int level(std::size_t a, std::size_t b) const { return topology_.level(all_[a].place, all_[b].place); }

  /// Whether the place at each position p can take the part of the place at `image[p]`.
  [[nodiscard]] bool are_kept(std::span<const std::size_t> image) const {
    Bijection links(topology_.links().size());
    Bijection vertices(topology_.vertices().size());
    const std::size_t count = all_.size();
    for (std::size_t a = 0; a < count; ++a) {
      if (all_[a].capacity != all_[image[a]].capacity) return false;
      for (std::size_t b = 0; b < count; ++b) {
        const std::size_t pair = a * count + b;
        const std::size_t other = image[a] * count + image[b];
        if (pairs_[pair] != pairs_[other]) return false;
        if (!is_like(routes_[pair], routes_[other], links, vertices)) return false;
      }
    }
    return true;
  }

 private:
  struct Pair {
    double cost, bandwidth, latency;
    friend bool operator==(const Pair&, const Pair&) = default;
  };

  [[nodiscard]] bool is_like(const std::vector<LinkId>& route, const std::vector<LinkId>& other, Bijection& links,
                             Bijection& vertices) const {
    if (route.size() != other.size()) return false;
    for (std::size_t i = 0; i < route.size(); ++i) {
      if (!links.join(route[i].index(), other[i].index())) return false;
      const Link& a = topology_.link(route[i]);
      const Link& b = topology_.link(other[i]);
      if (!vertices.join(a.from.index(), b.from.index()) || !vertices.join(a.to.index(), b.to.index())) return false;
      if (route[i] != other[i] && traits(route[i]) != traits(other[i])) return false;
    }
    return true;
  }

  /// What the model knows of a link.
  [[nodiscard]] std::tuple<LinkKind, double, double, double, double, bool, std::size_t> traits(LinkId id) const {
    const Link& link = topology_.link(id);
    const PcieLinks& pcie = model_.pcie_links();
    const std::uint32_t in_tree = pcie.tree_link[id.index()];
    const double tau = in_tree == PcieLinks::kNone ? 0 : pcie.tree.link(in_tree).tau;
    const auto number = static_cast<std::uint32_t>(id.index());
    return {link.kind,
            model_.link_capacity(number),
            model_.link_limit(number),
            tau,
            link.latency.value(),
            pcie.leaves_root_complex[id.index()],
            depth(link.from)};
  }

  [[nodiscard]] std::size_t depth(VertexId vertex) const {
    std::size_t above = 0;
    for (std::optional<VertexId> at = topology_.vertex(vertex).parent; at; at = topology_.vertex(*at).parent) ++above;
    return above;
  }

  Topology topology_;
  CongestionModel model_;
  std::vector<PlaceCapacity> all_;
  std::vector<std::vector<LinkId>> routes_;  ///< by pair of positions, row by row
  std::vector<Pair> pairs_;                  ///< likewise
};

using Positions = std::vector<std::size_t>;

/// The positions that reach each other within a level; -1: each by itself.
std::vector<Positions> groups_of_level(const Routes& routes, int level) {
  const std::size_t count = routes.places().size();
  DisjointSets sets(count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b)
      if (routes.level(a, b) <= level) sets.join(a, b);
  std::vector<Positions> of(count);
  for (std::size_t p = 0; p < count; ++p) of[sets.find(p)].push_back(p);
  std::erase_if(of, [](const Positions& group) { return group.empty(); });
  return of;
}

std::vector<Place> places_at(const Routes& routes, const Positions& positions) {
  std::vector<Place> places;
  for (const std::size_t p : positions) places.push_back(routes.places()[p].place);
  return places;
}

class Counter final : public ArrangementVisitor {
 public:
  explicit Counter(std::size_t most) : most_(most) {}
  bool visit(const std::vector<Place>& /*places*/) override { return ++seen <= most_; }
  std::size_t seen = 0;

 private:
  std::size_t most_;
};

}  // namespace

PartialTime::PartialTime(const MapProblem& problem)
    : partners_(problem.traffic), position_(problem.topology.place_count(), 0), place_of_(problem.traffic.ranks()) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  count_ = all.size();
  CongestionModel model(problem.topology, CongestionModelName::automatic);
  links_ = model.link_count();
  for (std::size_t a = 0; a < count_; ++a) {
    position_[all[a].place.index()] = a;
    for (std::size_t b = 0; b < count_; ++b) {
      Way way;
      if (a != b) {
        const CongestionModel::Flow flow = model.flow(all[a].place, all[b].place);
        way.port = model.port(flow);
        way.latency = model.latency(flow).value();
        way.seconds_a_byte = 1 / model.rate_alone(flow);
        for (const std::uint32_t link : model.links(flow)) way.links.emplace_back(link, 1 / model.link_limit(link));
      }
      ways_.push_back(std::move(way));
    }
  }
  // A pair whose rate is measured is as fast as that, whatever its links are said to be.
  if (problem.topology.has_pair_matrix(Metric::bandwidth))
    for (Way& way : ways_) way.links.clear();
  busy_.assign(links_ + model.port_count(), 0.0);
}

void PartialTime::put(std::size_t rank, Place place) {
  place_of_[rank] = place;
  order_.push_back(rank);
  most_busy_ = least_.back();
  add_messages(rank, 1);
  least_.push_back(most_busy_);
}

void PartialTime::take_away() {
  add_messages(order_.back(), -1);
  place_of_[order_.back()].reset();
  order_.pop_back();
  least_.pop_back();
}

const PartialTime::Way& PartialTime::way(Place from, Place to) const {
  return ways_[position_[from.index()] * count_ + position_[to.index()]];
}

void PartialTime::add(Place from, Place to, double bytes, double sign) {
  if (bytes <= 0) return;
  const Way& taken = way(from, to);
  const auto occupy = [&](double& busy, double seconds) {
    busy += sign * seconds;
    most_busy_ = std::max(most_busy_, busy);
  };
  occupy(busy_[links_ + taken.port], taken.latency + bytes * taken.seconds_a_byte);
  for (const auto& [link, seconds_a_byte] : taken.links) occupy(busy_[link], bytes * seconds_a_byte);
}

void PartialTime::add_messages(std::size_t rank, double sign) {
  const Place here = *place_of_[rank];
  for (const Partner& partner : partners_.of(Rank(rank))) {
    const std::optional<Place> there = place_of_[partner.rank.index()];
    if (!there || *there == here) continue;
    add(here, *there, partner.sent, sign);
    add(*there, here, partner.received, sign);
  }
}

std::vector<AlikeGroups> alike_groups(const MapProblem& problem) {
  const Routes routes(problem);
  std::vector<AlikeGroups> alike;
  std::vector<Positions> before;
  for (int level = -1; level < static_cast<int>(problem.topology.levels().size()); ++level) {
    std::vector<Positions> groups = groups_of_level(routes, level);
    if (groups == before) continue;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        if (groups[a].size() != groups[b].size()) continue;
        Positions image(routes.places().size());
        std::iota(image.begin(), image.end(), std::size_t{0});
        for (std::size_t i = 0; i < groups[a].size(); ++i) std::swap(image[groups[a][i]], image[groups[b][i]]);
        if (routes.are_kept(image)) alike.push_back({places_at(routes, groups[a]), places_at(routes, groups[b])});
      }
    }
    before = std::move(groups);
  }
  return alike;
}

Arrangements::Arrangements(const MapProblem& problem)
    : left_(problem.topology.place_count(), 0),
      fixed_(problem.fixed),
      place_of_(problem.traffic.ranks()),
      groups_of_(problem.topology.place_count()),
      earlier_(problem.topology.place_count()) {
  std::vector<std::size_t> position(problem.topology.place_count(), 0);
  for (const PlaceCapacity& each : place_capacities(problem)) {
    position[each.place.index()] = usable_.size();
    usable_.push_back(each.place);
    left_[each.place.index()] = each.capacity;
  }
  for (const AlikeGroups& alike : alike_groups(problem)) {
    const std::size_t first = group_number(alike.first);
    const std::size_t second = group_number(alike.second);
    for (std::size_t i = 0; i < alike.first.size(); ++i) {
      const std::size_t a = alike.first[i].index();
      const std::size_t b = alike.second[i].index();
      if (position[a] < position[b]) {
        earlier_[b].push_back({second, first});
      } else {
        earlier_[a].push_back({first, second});
      }
    }
  }
  std::vector<bool> fixed(problem.traffic.ranks(), false);
  for (const FixedRank& each : problem.fixed) {
    fixed[each.rank.index()] = true;
    put(each.rank.index(), each.place);
  }
  for (std::size_t rank = 0; rank < fixed.size(); ++rank)
    if (!fixed[rank]) movable_.push_back(rank);
}

bool Arrangements::each(ArrangementVisitor& visitor) {
  for (const FixedRank& fixed : fixed_) (void)visitor.put(fixed.rank.index(), fixed.place);
  return each_from(0, visitor);
}

std::size_t Arrangements::count(std::size_t most) {
  Counter counter(most);
  each(counter);
  return counter.seen;
}

std::size_t Arrangements::group_number(const std::vector<Place>& places) {
  const auto found = std::ranges::find(groups_, places);
  if (found != groups_.end()) return static_cast<std::size_t>(found - groups_.begin());
  for (const Place place : places) groups_of_[place.index()].push_back(groups_.size());
  groups_.push_back(places);
  ranks_in_.push_back(0);
  return groups_.size() - 1;
}

bool Arrangements::is_like_an_earlier(Place place) const {
  return std::ranges::any_of(earlier_[place.index()], [&](const Earlier& each) {
    return ranks_in_[each.own_group] == 0 && ranks_in_[each.other_group] == 0;
  });
}

void Arrangements::put(std::size_t rank, Place place) {
  place_of_[rank] = place;
  --left_[place.index()];
  for (const std::size_t group : groups_of_[place.index()]) ++ranks_in_[group];
}

void Arrangements::take_away(std::size_t rank) {
  const Place place = place_of_[rank];
  ++left_[place.index()];
  for (const std::size_t group : groups_of_[place.index()]) --ranks_in_[group];
}

bool Arrangements::each_from(std::size_t position, ArrangementVisitor& visitor) {
  if (position == movable_.size()) return visitor.visit(place_of_);
  const std::size_t rank = movable_[position];
  for (const Place place : usable_) {
    if (left_[place.index()] == 0 || is_like_an_earlier(place)) continue;
    put(rank, place);
    const bool goes_on = !visitor.put(rank, place) || each_from(position + 1, visitor);
    visitor.take_away();
    take_away(rank);
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace topowise
