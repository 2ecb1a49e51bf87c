// SPDX-License-Identifier: BSD-3-Clause
// Greedy placement by trilateration. Ranks are placed in an order in which each has as many placed partners as
// possible; a rank goes to the free place, next to its partners' places, whose hop distances to the landmarks (the
// ranks placed first) differ least from its own hop distances to them in the traffic. Where hops do not distinguish
// directions apart - in a torus the two neighbours along one axis are two hops apart, and so are neighbours along
// different axes - the number of shortest paths can: one against two. On an isomorphic pair of graphs a wrong first
// step shows up as a large mismatch; several tries with different first steps find a right one.
#include <topowise/mapper/multilevel/metric_matching.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace topowise::multilevel {
namespace {

constexpr std::size_t kLandmarks = 48;
constexpr GuestVertex kNowhere = -1;

/// Hops and the logarithm of the number of shortest paths from one vertex to all.
struct View {
  std::vector<float> hops;
  std::vector<float> paths;
};

View view_from(const Graph& graph, GuestVertex start) {
  const auto size = static_cast<std::size_t>(graph.size());
  View view{std::vector<float>(size, -1.0F), std::vector<float>(size, 0.0F)};
  std::vector<double> count(size, 0.0);
  std::vector<GuestVertex> queue{start};
  view.hops[static_cast<std::size_t>(start)] = 0;
  count[static_cast<std::size_t>(start)] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto at = static_cast<std::size_t>(queue[i]);
    for (const Arc& arc : graph.arcs_of(queue[i])) {
      const auto to = static_cast<std::size_t>(arc.to);
      if (view.hops[to] < 0) {
        view.hops[to] = view.hops[at] + 1;
        queue.push_back(arc.to);
      }
      if (view.hops[to] == view.hops[at] + 1) count[to] += count[at];
    }
  }
  for (std::size_t v = 0; v < size; ++v) view.paths[v] = static_cast<float>(std::log(std::max(count[v], 1.0)));
  return view;
}

class Matching {
 public:
  Matching(const Graph& guest, const Graph& host, Random& random)
      : guest_(guest),
        host_(host),
        random_(random),
        place_of_(static_cast<std::size_t>(guest.size()), kNowhere),
        taken_(static_cast<std::size_t>(host.size()), false),
        placed_partners_(static_cast<std::size_t>(guest.size()), 0) {}

  std::vector<int> run() {
    put(static_cast<GuestVertex>(random_.below(static_cast<std::uint32_t>(guest_.size()))), any_free());
    for (GuestVertex placed = 1; placed < guest_.size(); ++placed) {
      const GuestVertex rank = next_rank();
      put(rank, best_place(rank));
    }
    return {place_of_.begin(), place_of_.end()};
  }

 private:
  struct Turn {
    int partners;
    GuestVertex order;  ///< earlier pushed first: breadth-first among equals
    GuestVertex rank;
    bool operator<(const Turn& other) const {
      return partners != other.partners ? partners < other.partners : order > other.order;
    }
  };

  void put(GuestVertex rank, GuestVertex place) {
    place_of_[static_cast<std::size_t>(rank)] = place;
    taken_[static_cast<std::size_t>(place)] = true;
    if (guest_views_.size() < kLandmarks) {
      guest_views_.push_back(view_from(guest_, rank));
      host_views_.push_back(view_from(host_, place));
    }
    for (const Arc& arc : guest_.arcs_of(rank)) {
      const auto to = static_cast<std::size_t>(arc.to);
      if (place_of_[to] == kNowhere) turns_.push({++placed_partners_[to], pushed_++, arc.to});
    }
  }

  GuestVertex next_rank() {
    while (!turns_.empty()) {
      const Turn turn = turns_.top();
      turns_.pop();
      if (place_of_[static_cast<std::size_t>(turn.rank)] == kNowhere) return turn.rank;
    }
    while (place_of_[static_cast<std::size_t>(next_unreached_)] != kNowhere) ++next_unreached_;  // another component
    return next_unreached_;
  }

  GuestVertex any_free() {
    const auto size = static_cast<std::uint32_t>(host_.size());
    std::uint32_t place = random_.below(size);
    while (taken_[place]) place = (place + 1) % size;
    return static_cast<GuestVertex>(place);
  }

  [[nodiscard]] float mismatch(GuestVertex rank, GuestVertex place) const {
    float sum = 0;
    for (std::size_t i = 0; i < guest_views_.size(); ++i) {
      const float hops =
          guest_views_[i].hops[static_cast<std::size_t>(rank)] - host_views_[i].hops[static_cast<std::size_t>(place)];
      const float paths =
          guest_views_[i].paths[static_cast<std::size_t>(rank)] - host_views_[i].paths[static_cast<std::size_t>(place)];
      sum += hops * hops + std::min(1.0F, paths * paths);
    }
    return sum;
  }

  /// The best place among the free neighbours of the partners' places; if there are none, among all free places.
  GuestVertex best_place(GuestVertex rank) {
    GuestVertex best = kNowhere;
    float least = std::numeric_limits<float>::infinity();
    std::uint32_t equals = 0;
    const auto consider = [&](GuestVertex place) {
      if (taken_[static_cast<std::size_t>(place)]) return;
      const float value = mismatch(rank, place);
      if (value > least) return;
      equals = value < least ? 1 : equals + 1;
      least = value;
      if (equals == 1 || random_.below(equals) == 0) best = place;
    };
    for (const Arc& partner : guest_.arcs_of(rank)) {
      const GuestVertex there = place_of_[static_cast<std::size_t>(partner.to)];
      if (there == kNowhere) continue;
      for (const Arc& arc : host_.arcs_of(there)) consider(arc.to);
    }
    for (GuestVertex place = 0; best == kNowhere && place < host_.size(); ++place) consider(place);
    return best;
  }

  const Graph& guest_;
  const Graph& host_;
  Random& random_;
  std::vector<GuestVertex> place_of_;
  std::vector<bool> taken_;
  std::vector<int> placed_partners_;
  std::vector<View> guest_views_, host_views_;  ///< from the landmarks and their places
  std::priority_queue<Turn> turns_;
  GuestVertex pushed_ = 0;
  GuestVertex next_unreached_ = 0;
};

}  // namespace

std::optional<Graph> nearest_neighbours(std::span<const double> distances, std::size_t blocks, std::size_t most_arcs) {
  double reach = 0;
  for (std::size_t a = 0; a < blocks; ++a) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < blocks; ++b) {
      if (a != b) nearest = std::min(nearest, distances[a * blocks + b]);
    }
    if (blocks > 1) reach = std::max(reach, nearest);
  }
  Graph graph;
  graph.load.assign(blocks, 1);
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = 0; b < blocks; ++b) {
      if (a != b && distances[a * blocks + b] <= reach) graph.arcs.push_back({static_cast<GuestVertex>(b), 1.0});
    }
    if (graph.arcs.size() > most_arcs) return std::nullopt;
    graph.first.push_back(static_cast<std::int64_t>(graph.arcs.size()));
  }
  return graph;
}

std::vector<int> match_metric(const Graph& guest, const Graph& host, Random& random) {
  return Matching(guest, host, random).run();
}

}  // namespace topowise::multilevel
