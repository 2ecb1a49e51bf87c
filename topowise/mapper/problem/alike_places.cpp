// SPDX-License-Identifier: BSD-3-Clause
// The congestion model sees the links of routes, which of them are shared, and their rates. So an exchange of places
// changes no prediction if there is a one-to-one map of links, and one of vertices, that carries the route of every
// pair to the route of the exchanged pair, and keeps what the model knows of a link. Groups are candidates only; each
// exchange is checked. What a candidate misses costs time and nothing else.
#include <topowise/mapper/problem/alike_places.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {
namespace {

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

}  // namespace

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

}  // namespace topowise
