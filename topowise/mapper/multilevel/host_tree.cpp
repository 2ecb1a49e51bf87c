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
  ByAncestors(const Topology& topology, std::span<const Room> rooms) {
    for (const Room& room : rooms) {
      paths_.push_back(topology.arities().empty() ? path_of_parents(topology, room.place)
                                                  : path_of_arities(topology.arities(), room.place.index()));
    }
  }

  [[nodiscard]] std::vector<Group> divide(const Group& group) const override {
    for (std::size_t level = 0;; ++level) {
      std::map<std::size_t, Group> groups;
      for (const int room : group) groups[at(room, level)].push_back(room);
      if (groups.size() < 2) continue;
      std::vector<Group> result;
      for (auto& [ancestor, members] : groups) result.push_back(std::move(members));
      return result;
    }
  }

 private:
  /// A path that has ended goes on with a number that no other room has.
  [[nodiscard]] std::size_t at(int room, std::size_t level) const {
    const std::vector<std::size_t>& path = paths_[static_cast<std::size_t>(room)];
    return level < path.size() ? path[level] : std::numeric_limits<std::size_t>::max() - static_cast<std::size_t>(room);
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
  ByDistance(std::span<const double> distances, std::size_t rooms) : distances_(distances), rooms_(rooms) {}

  [[nodiscard]] std::vector<Group> divide(const Group& group) const override {
    double widest = 0;
    for (const int room : group)
      widest = std::max(widest, distance(group.front(), room));  // ultrametric: one row shows it
    std::vector<Group> groups;
    for (const int room : group) {
      const auto near = [&](const Group& other) { return distance(other.front(), room) < widest; };
      const auto found = std::ranges::find_if(groups, near);
      if (found == groups.end()) {
        groups.push_back({room});
      } else {
        found->push_back(room);
      }
    }
    return groups;
  }

 private:
  [[nodiscard]] double distance(int a, int b) const {
    return distances_[static_cast<std::size_t>(a) * rooms_ + static_cast<std::size_t>(b)];
  }
  std::span<const double> distances_;
  std::size_t rooms_;
};

class ByBisection final : public Grouping {
 public:
  ByBisection(std::span<const double> distances, std::size_t rooms, std::uint64_t seed, const Deadline& deadline)
      : distances_(distances), rooms_(rooms), seed_(seed), deadline_(deadline) {}

  [[nodiscard]] std::vector<Group> divide(const Group& group) const override {
    constexpr int kTries = 8;
    const auto half = static_cast<std::int64_t>(group.size() / 2);
    const std::array<std::int64_t, 2> capacity{static_cast<std::int64_t>(group.size()) - half, half};
    Random random(seed_);
    const std::vector<int> side = recursive_bisection(neighbours(group), capacity, kTries, deadline_, random);
    std::vector<Group> halves(2);
    for (std::size_t i = 0; i < group.size(); ++i) halves[static_cast<std::size_t>(side[i])].push_back(group[i]);
    while (halves[0].empty() || halves[1].empty()) {  // two places that nothing tells apart
      Group& full = halves[0].empty() ? halves[1] : halves[0];
      Group& empty = halves[0].empty() ? halves[0] : halves[1];
      empty.push_back(full.back());
      full.pop_back();
    }
    return halves;
  }

 private:
  /// An edge between places that are as near as the loneliest place's nearest neighbour.
  [[nodiscard]] Graph neighbours(const Group& group) const {
    const auto row = [&](int a) { return distances_.subspan(static_cast<std::size_t>(a) * rooms_, rooms_); };
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
        if (group[i] != a && distance <= reach) graph.arcs.push_back({static_cast<Node>(i), 1.0});
      }
      graph.first.push_back(static_cast<std::int64_t>(graph.arcs.size()));
    }
    return graph;
  }
  std::span<const double> distances_;
  std::size_t rooms_;
  std::uint64_t seed_;
  const Deadline& deadline_;
};

}  // namespace

std::vector<double> room_distances(const MapProblem& problem, std::span<const Room> rooms) {
  std::vector<double> distances(rooms.size() * rooms.size(), 0.0);
  for (std::size_t a = 0; a < rooms.size(); ++a) {
    for (std::size_t b = a + 1; b < rooms.size(); ++b) {
      const Topology& topology = problem.topology;
      const double there = topology.pair_cost(problem.metric, rooms[a].place, rooms[b].place);
      const double back = topology.pair_cost(problem.metric, rooms[b].place, rooms[a].place);
      distances[a * rooms.size() + b] = distances[b * rooms.size() + a] = there == back ? there : (there + back) / 2;
    }
  }
  return distances;
}

std::unique_ptr<Grouping> grouping_by_ancestors(const Topology& topology, std::span<const Room> rooms) {
  return std::make_unique<ByAncestors>(topology, rooms);
}
std::unique_ptr<Grouping> grouping_by_distance(std::span<const double> distances, std::size_t rooms) {
  return std::make_unique<ByDistance>(distances, rooms);
}
std::unique_ptr<Grouping> grouping_by_bisection(std::span<const double> distances, std::size_t rooms,
                                                std::uint64_t seed, const Deadline& deadline) {
  return std::make_unique<ByBisection>(distances, rooms, seed, deadline);
}

bool is_ultrametric(std::span<const double> distances, std::size_t rooms) {
  // A minimum spanning tree tells the only ultrametric that could fit: the distance of two places is the longest edge
  // on the path between them. Prim's algorithm adds one place at a time, so its distances to the earlier ones are
  // known.
  if (rooms < 2) return true;
  std::vector<double> path(rooms * rooms, 0.0);
  std::vector<double> nearest(rooms, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> via(rooms, 0);
  std::vector<std::size_t> joined{0};
  std::vector<bool> done(rooms, false);
  done[0] = true;
  for (std::size_t b = 1; b < rooms; ++b) nearest[b] = distances[b];
  while (joined.size() < rooms) {
    std::size_t next = rooms;
    for (std::size_t b = 0; b < rooms; ++b) {
      if (!done[b] && (next == rooms || nearest[b] < nearest[next])) next = b;
    }
    for (const std::size_t other : joined) {
      const double longest = std::max(nearest[next], path[via[next] * rooms + other]);
      if (longest != distances[next * rooms + other]) return false;
      path[next * rooms + other] = path[other * rooms + next] = longest;
    }
    done[next] = true;
    joined.push_back(next);
    for (std::size_t b = 0; b < rooms; ++b) {
      if (done[b] || distances[next * rooms + b] >= nearest[b]) continue;
      nearest[b] = distances[next * rooms + b];
      via[b] = next;
    }
  }
  return true;
}

}  // namespace topowise::multilevel
