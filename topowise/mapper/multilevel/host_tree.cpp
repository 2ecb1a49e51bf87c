// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/host_tree.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include <topowise/mapper/multilevel/bisection.hpp>

namespace topowise::multilevel {
namespace {

/// Groups by the vertices between the root and each place; levels on which all agree are skipped.
class ByAncestors final : public Grouping {
 public:
  ByAncestors(const Topology& topology, std::span<const PlaceCapacity> places) {
    for (const PlaceCapacity& each : places) {
      paths_.push_back(topology.arities().empty() ? path_of_parents(topology, each.place)
                                                  : path_of_arities(topology.arities(), each.place.index()));
    }
  }

  [[nodiscard]] std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const override {
    for (std::size_t level = 0;; ++level) {
      std::map<std::size_t, PlaceNumbers> groups;
      for (const int place : group) groups[at(place, level)].push_back(place);
      if (groups.size() < 2) continue;
      std::vector<PlaceNumbers> result;
      for (auto& [ancestor, members] : groups) result.push_back(std::move(members));
      return result;
    }
  }

 private:
  /// A path that has ended goes on with a number that no other place has.
  [[nodiscard]] std::size_t at(int place, std::size_t level) const {
    const std::vector<std::size_t>& path = paths_[static_cast<std::size_t>(place)];
    return level < path.size() ? path[level]
                               : std::numeric_limits<std::size_t>::max() - static_cast<std::size_t>(place);
  }
  static std::vector<std::size_t> path_of_arities(std::span<const int> arities, std::size_t leaf) {
    std::vector<std::size_t> path(arities.size());
    for (std::size_t level = arities.size(); level-- > 0;) {
      path[level] = leaf;
      leaf /= static_cast<std::size_t>(arities[level]);
    }
    return path;
  }
  static std::vector<std::size_t> path_of_parents(const Topology& topology, Place place) {
    std::vector<std::size_t> path;
    for (std::optional<VertexId> v = topology.place(place).vertex; v; v = topology.vertex(*v).parent)
      path.push_back(v->index());
    std::ranges::reverse(path);
    return path;
  }
  std::vector<std::vector<std::size_t>> paths_;
};

class ByDistance final : public Grouping {
 public:
  ByDistance(std::span<const double> distances, std::size_t places) : distances_(distances), count_(places) {}

  [[nodiscard]] std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const override {
    return parts_by_distance(distances_, count_, group);
  }

 private:
  std::span<const double> distances_;
  std::size_t count_;
};

class ByBisection final : public Grouping {
 public:
  ByBisection(std::span<const double> distances, std::size_t places, std::uint64_t seed, const Deadline& deadline)
      : distances_(distances), count_(places), seed_(seed), deadline_(deadline) {}

  [[nodiscard]] std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const override {
    constexpr int kTries = 8;
    const auto half = static_cast<std::int64_t>(group.size() / 2);
    const std::array<std::int64_t, 2> capacity{static_cast<std::int64_t>(group.size()) - half, half};
    Random random(seed_);
    const std::vector<int> side = recursive_bisection(neighbours(group), capacity, kTries, deadline_, random);
    std::vector<PlaceNumbers> halves(2);
    for (std::size_t i = 0; i < group.size(); ++i) halves[static_cast<std::size_t>(side[i])].push_back(group[i]);
    while (halves[0].empty() || halves[1].empty()) {  // two places that nothing tells apart
      PlaceNumbers& full = halves[0].empty() ? halves[1] : halves[0];
      PlaceNumbers& empty = halves[0].empty() ? halves[0] : halves[1];
      empty.push_back(full.back());
      full.pop_back();
    }
    return halves;
  }

 private:
  /// An edge between places that are as near as the loneliest place's nearest neighbour.
  [[nodiscard]] Graph neighbours(const PlaceNumbers& group) const {
    const auto row = [&](int a) { return distances_.subspan(static_cast<std::size_t>(a) * count_, count_); };
    double reach = 0;
    for (const int a : group) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const int b : group) {
        if (a != b) nearest = std::min(nearest, row(a)[static_cast<std::size_t>(b)]);
      }
      reach = std::max(reach, nearest);
    }
    Graph graph;
    graph.load.assign(group.size(), 1);
    for (const int a : group) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        const double distance = row(a)[static_cast<std::size_t>(group[i])];
        if (group[i] != a && distance <= reach) graph.arcs.push_back({static_cast<GuestVertex>(i), 1.0});
      }
      graph.first.push_back(static_cast<std::int64_t>(graph.arcs.size()));
    }
    return graph;
  }
  std::span<const double> distances_;
  std::size_t count_;
  std::uint64_t seed_;
  const Deadline& deadline_;
};

}  // namespace

std::unique_ptr<Grouping> grouping_by_ancestors(const Topology& topology, std::span<const PlaceCapacity> places) {
  return std::make_unique<ByAncestors>(topology, places);
}
std::unique_ptr<Grouping> grouping_by_distance(std::span<const double> distances, std::size_t places) {
  return std::make_unique<ByDistance>(distances, places);
}
std::unique_ptr<Grouping> grouping_by_bisection(std::span<const double> distances, std::size_t places,
                                                std::uint64_t seed, const Deadline& deadline) {
  return std::make_unique<ByBisection>(distances, places, seed, deadline);
}

}  // namespace topowise::multilevel
