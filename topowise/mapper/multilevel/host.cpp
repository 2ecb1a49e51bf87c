// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/host.hpp>

#include <algorithm>
#include <memory>

#include <topowise/mapper/multilevel/exact_sums.hpp>
#include <topowise/mapper/multilevel/host_tree.hpp>

namespace topowise::multilevel {
namespace {

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
    if (host_.exact_ && host_.blocks() > kLargestTable) {
      list_ancestors();
    } else {
      host_.exact_ ? tabulate() : adopt_distances();
    }
  }

 private:
  void choose_grouping() {
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
