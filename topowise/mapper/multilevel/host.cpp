// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/host.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include <topowise/mapper/multilevel/bisection.hpp>
#include <topowise/mapper/multilevel/exact_sums.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>

namespace topowise::multilevel {

/// Divides a group of places into the groups of the next level down.
class Grouping {
 public:
  virtual ~Grouping() = default;
  /// Returns at least two groups, for a group of at least two places.
  [[nodiscard]] virtual std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const = 0;
};

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
    while (halves[0].empty() || halves[1].empty()) {  // two places that nothing distinguishes
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

/// Divides a large torus, mesh or dragonfly: a grid across its longest axis, a dragonfly between two groups, then
/// routers. Groups are in the order of the places.
class ByCoordinates final : public Grouping {
 public:
  ByCoordinates(const NetworkShape& shape, std::span<const PlaceCapacity> places) : places_(places) {
    if (const auto* grid = std::get_if<GridShape>(&shape)) {
      std::size_t stride = 1;
      for (std::size_t axis = grid->sizes.size(); axis-- > 0; stride *= grid->sizes[axis])
        units_.push_back({stride, grid->sizes[axis]});
    } else {
      const auto& fly = std::get<DragonflyShape>(shape);
      const std::size_t group = std::size_t{fly.places} * fly.routers;
      units_ = {{group, fly.groups}, {fly.places, fly.routers * fly.groups}, {1, group * fly.groups}};
      is_grid_ = false;
    }
  }

  [[nodiscard]] std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const override {
    std::size_t longest = 0;
    std::size_t across = 0;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const auto [low, high] = std::ranges::minmax(group, {}, [&](int place) { return at(place, unit); });
      const std::size_t length = at(high, unit) - at(low, unit);
      if (length <= longest) continue;
      longest = length;
      across = unit;
      if (!is_grid_) break;  // the largest unit that differs
    }
    std::vector<std::size_t> all;
    for (const int place : group) all.push_back(at(place, across));
    std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
    const std::size_t middle = std::max(all[all.size() / 2], std::ranges::min(all) + 1);
    std::vector<PlaceNumbers> halves(2);
    for (const int place : group) halves[at(place, across) < middle ? 0 : 1].push_back(place);
    return halves;
  }

 private:
  struct Unit {
    std::size_t places;  ///< in order, that have the same number
    std::size_t count;   ///< after so many numbers they begin anew
  };
  [[nodiscard]] std::size_t at(int place, std::size_t unit) const {
    return places_[static_cast<std::size_t>(place)].place.index() / units_[unit].places % units_[unit].count;
  }
  std::span<const PlaceCapacity> places_;
  std::vector<Unit> units_;
  bool is_grid_ = true;
};

/// Divides by the arities of a uniform hierarchy or, without arities, by the parents of the places' vertices.
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

constexpr std::size_t kLargestTable = 1024;  ///< blocks of a hierarchy; beyond, walking up is faster than the cache

}  // namespace

/// Builds a Host; holds the members that are needed only for that.
class HostReader {
 public:
  HostReader(const MapProblem& problem, const Deadline& deadline, Host& host)
      : problem_(problem), deadline_(deadline), host_(host), capacities_(place_capacities(problem)) {}

  void read() {
    choose_grouping();
    PlaceNumbers all(capacities_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    host_.first_place_.push_back(0);
    host_.nodes_.emplace_back();
    grow(0, all, 1);
    if (host_.blocks() > kLargestTable && (host_.exact_ || distances_.empty())) {
      list_ancestors();
    } else {
      host_.exact_ ? tabulate() : adopt_distances();
    }
  }

 private:
  void choose_grouping() {
    if (is_large_network(problem_)) {
      host_.exact_ = false;
      grouping_ = std::make_unique<ByCoordinates>(*problem_.topology.network(), capacities_);
      return;
    }
    if (capacities_.size() > Topology::kLargestDense) {
      grouping_ = grouping_by_ancestors(problem_.topology, capacities_);
      return;
    }
    distances_ = pair_distances(problem_, capacities_);
    host_.exact_ = is_ultrametric(distances_, capacities_.size());
    grouping_ = host_.exact_ ? grouping_by_distance(distances_, capacities_.size())
                             : grouping_by_bisection(distances_, capacities_.size(), problem_.seed, deadline_);
  }

  [[nodiscard]] double distance(int a, int b) const {
    if (!distances_.empty())
      return distances_[static_cast<std::size_t>(a) * capacities_.size() + static_cast<std::size_t>(b)];
    return problem_.topology.pair_cost(problem_.metric, capacities_[static_cast<std::size_t>(a)].place,
                                       capacities_[static_cast<std::size_t>(b)].place);
  }

  void grow(std::size_t node, const PlaceNumbers& group, std::size_t depth) {
    host_.depth_ = std::max(host_.depth_, depth);
    host_.nodes_[node].first_block = static_cast<int>(host_.blocks());
    if (group.size() == 1) {
      add_block(node, group);
    } else {
      const std::vector<PlaceNumbers> groups = grouping_->divide(group);
      host_.nodes_[node].distance = distance(groups[0].front(), groups[1].front());
      const auto single = [&](const PlaceNumbers& child) {
        return child.size() == 1 && capacities_[static_cast<std::size_t>(child.front())].capacity == 1;
      };
      if (host_.exact_ && std::ranges::all_of(groups, single)) {
        add_block(node, group);
      } else {
        const std::size_t first = host_.nodes_.size();
        host_.nodes_[node].first_child = static_cast<int>(first);
        host_.nodes_[node].children = static_cast<int>(groups.size());
        host_.nodes_.resize(first + groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i) grow(first + i, groups[i], depth + 1);
      }
    }
    host_.nodes_[node].blocks = static_cast<int>(host_.blocks()) - host_.nodes_[node].first_block;
  }

  void add_block(std::size_t node, const PlaceNumbers& group) {
    std::int64_t capacity = 0;
    for (const int index : group) {
      const PlaceCapacity& each = capacities_[static_cast<std::size_t>(index)];
      host_.capacities_.push_back(each);
      capacity += static_cast<std::int64_t>(each.capacity);
    }
    host_.capacity_.push_back(capacity);
    host_.first_place_.push_back(host_.capacities_.size());
    block_group_.push_back(group.front());
    block_node_.push_back(static_cast<int>(node));
  }

  void tabulate() {
    const std::size_t n = host_.blocks();
    host_.table_.resize(n * n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) host_.table_[a * n + b] = distance(block_group_[a], block_group_[b]);
      host_.table_[a * n + a] = host_.nodes_[static_cast<std::size_t>(block_node_[a])].distance;
    }
  }

  /// Here each block is one place; the blocks are in the order of the hierarchy.
  void adopt_distances() {
    const std::size_t n = host_.blocks();
    host_.table_.resize(n * n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) host_.table_[a * n + b] = distance(block_group_[a], block_group_[b]);
    }
  }

  void list_ancestors() {
    host_.ancestors_.resize(host_.blocks() * host_.depth_);
    for (const HostNode& node : host_.nodes_) host_.node_distance_.push_back(node.distance);
    list_ancestors_below(0, 0);
  }

  void list_ancestors_below(std::size_t node, std::size_t level) {
    const HostNode& here = host_.nodes_[node];
    const std::size_t last = here.children == 0 ? host_.depth_ : level + 1;
    for (int b = here.first_block; b < here.first_block + here.blocks; ++b) {
      for (std::size_t l = level; l < last; ++l)
        host_.ancestors_[static_cast<std::size_t>(b) * host_.depth_ + l] = static_cast<int>(node);
    }
    const auto first = static_cast<std::size_t>(here.first_child);
    const std::size_t end = first + static_cast<std::size_t>(here.children);
    for (std::size_t child = first; child < end; ++child) list_ancestors_below(child, level + 1);
  }

  const MapProblem& problem_;
  const Deadline& deadline_;
  Host& host_;
  std::vector<PlaceCapacity> capacities_;
  std::vector<double> distances_;  ///< empty for machines too large for a table
  std::unique_ptr<Grouping> grouping_;
  std::vector<int> block_group_;  ///< a place of each block
  std::vector<int> block_node_;
};

Host::Host(const MapProblem& problem, const Deadline& deadline) {
  HostReader(problem, deadline, *this).read();
}

std::vector<double> Host::costs() const {
  std::vector<double> all = table_;
  for (const HostNode& node : nodes_) all.push_back(node.distance);
  return all;
}

void Host::round_costs_to(double unit) {
  for (double& cost : table_) cost = rounded_to(cost, unit);
  for (double& distance : node_distance_) distance = rounded_to(distance, unit);
  for (HostNode& node : nodes_) node.distance = rounded_to(node.distance, unit);
}

std::vector<Place> Host::places_of(std::span<const int> block_of) const {
  std::vector<std::size_t> next_of_block(first_place_.begin(), first_place_.end() - 1);  // where the next rank goes
  std::vector<std::size_t> load(capacities_.size(), 0);
  std::vector<Place> places;
  places.reserve(block_of.size());
  for (const int block : block_of) {
    const auto at = static_cast<std::size_t>(block);
    std::size_t& place = next_of_block[at];
    if (load[place] == capacities_[place].capacity && place + 1 < first_place_[at + 1]) ++place;
    ++load[place];
    places.push_back(capacities_[place].place);
  }
  return places;
}

}  // namespace topowise::multilevel
