// SPDX-License-Identifier: BSD-3-Clause
// Combining good solutions: what two of them agree on is kept together, what they differ in is decided anew (Sanders
// and Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012). Because no vertex of the coarser graphs
// crosses a boundary of either parent, the better parent exists on the coarsest level, and the child is at least as
// good.
#pragma once

#include <algorithm>
#include <vector>

#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

struct Member {
  std::vector<int> block_of;
  std::int64_t overload = 0;  ///< ranks above the capacities of their blocks
  double cost = 0;

  [[nodiscard]] bool better_than(const Member& other) const {
    return overload < other.overload || (overload == other.overload && cost < other.cost);
  }
};

template <class Cost>
[[nodiscard]] Member make_member(const PartitionProblem& problem, const Cost& cost, std::vector<int> block_of) {
  const double value = total_cost(*problem.graph, cost, block_of);
  return {std::move(block_of), overload(problem, block_of), value};
}

/// Fence that keeps the boundaries of both partitions. The number of blocks must be below 2^15.
[[nodiscard]] std::vector<int> overlay(std::span<const int> a, std::span<const int> b, std::size_t blocks);

/// Two different members; better ones more often.
struct Parents {
  std::size_t better;
  std::size_t other;
};
[[nodiscard]] Parents choose_parents(std::span<const Member> members, Random& random);

/// Puts the child in place of the member most like it among those that are no better; drops it if all are better.
void replace_similar(const Graph& graph, std::vector<Member>& members, Member child);

[[nodiscard]] const Member& best_of(std::span<const Member> members);

template <class Cost>
void evolve(const PartitionProblem& problem, const Cost& cost, std::vector<Member>& members, int generations,
            const Effort& effort, const Deadline& deadline, Random& random) {
  for (int i = 0; i < generations && !deadline.passed() && members.size() > 1; ++i) {
    const Parents parents = choose_parents(members, random);
    const Member& better = members[parents.better];
    const std::vector<int> fence = overlay(better.block_of, members[parents.other].block_of, problem.capacity.size());
    Member child = make_member(problem, cost, vcycle(problem, cost, better.block_of, fence, effort, deadline, random));
    replace_similar(*problem.graph, members, std::move(child));
  }
}

}  // namespace topowise::multilevel
