// SPDX-License-Identifier: BSD-3-Clause
// The machine as the multilevel algorithms want it: a hierarchy over blocks of places, and the cost between blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/multilevel/block_cost.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise::multilevel {

/// One vertex of the hierarchy. Its blocks are consecutive, and so are its children.
struct HostNode {
  int first_child = 0;
  int children = 0;  ///< 0: a single block
  int first_block = 0;
  int blocks = 0;
  double distance = 0;  ///< between places of different children; of a block: between ranks in it
};

/// A *block* is a place, or a group of places that hold one rank each and are equally far from each other: which of
/// them a rank of the group gets does not change the cost.
class Host {
 public:
  /// Reads the hierarchy off the machine: from its distances if they form an ultrametric (for any three places the two
  /// largest distances are equal) or, if it is too large for a table, from its arities or the parents of its vertices.
  /// Any other machine gets a hierarchy by recursive bisection of its places, a large regular network by its
  /// coordinates; these only guide the search.
  Host(const MapProblem& problem, const Deadline& deadline);

  [[nodiscard]] std::span<const HostNode> nodes() const { return nodes_; }  ///< the root first
  [[nodiscard]] std::span<const HostNode> children_of(const HostNode& node) const {
    return nodes().subspan(static_cast<std::size_t>(node.first_child), static_cast<std::size_t>(node.children));
  }
  [[nodiscard]] std::span<const std::int64_t> capacity() const { return capacity_; }
  [[nodiscard]] std::size_t blocks() const { return capacity_.size(); }
  /// True if the hierarchy's distances are the machine's.
  [[nodiscard]] bool is_hierarchy() const { return exact_; }
  /// Costs of all pairs of blocks; empty for a hierarchy too large for a table.
  [[nodiscard]] std::span<const double> table() const { return table_; }
  /// Distances of all vertices of the hierarchy and costs of all pairs of blocks.
  [[nodiscard]] std::vector<double> costs() const;
  /// Rounds all costs to multiples of `unit`; see exact_sums.hpp.
  void round_costs_to(double unit);
  /// A place for each rank, within its block. If a block is overfull, its last place is.
  [[nodiscard]] std::vector<Place> places_of(std::span<const int> block_of) const;

  /// Calls `visitor` with the machine's DenseCost or TreeCost.
  template <class Visitor>
  auto visit_cost(const Visitor& visitor) const {
    if (!table_.empty()) return visitor(DenseCost{table_, blocks()});
    return visitor(TreeCost{ancestors_, node_distance_, depth_});
  }

 private:
  friend class HostReader;
  std::vector<HostNode> nodes_;
  std::vector<std::int64_t> capacity_;
  std::vector<std::size_t> first_place_;  ///< places of block b: [first_place_[b], first_place_[b+1])
  std::vector<PlaceCapacity> capacities_;
  bool exact_ = true;
  std::vector<double> table_;  ///< blocks^2, empty where the hierarchy answers
  std::vector<int> ancestors_;
  std::vector<double> node_distance_;
  std::size_t depth_ = 0;
};

}  // namespace topowise::multilevel
