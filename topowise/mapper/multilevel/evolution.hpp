// SPDX-License-Identifier: BSD-3-Clause
// Combining good solutions: what two of them agree on is kept together, what they differ in is decided anew (Sanders
// and Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012). Because no vertex of the coarser graphs
// crosses a boundary of either parent, the better parent exists on the coarsest level, and the child is at least as
// good.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <topowise/mapper/multilevel/parallel.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

struct Member {
  std::vector<int> block_of;
  std::vector<std::uint64_t> cut;  ///< a bit for every arc: its ends are in different blocks
  std::int64_t overload = 0;       ///< ranks above the capacities of their blocks
  double cost = 0;

  [[nodiscard]] bool better_than(const Member& other) const {
    return overload < other.overload || (overload == other.overload && cost < other.cost);
  }
};

template <class Cost>
[[nodiscard]] Member make_member(const PartitionProblem& problem, const Cost& cost, std::vector<int> block_of) {
  const std::int64_t overloaded = overload(problem, block_of);
  const double value = total_cost(*problem.graph, cost, block_of);
  return {std::move(block_of), {}, overloaded, value};
}

/// Threads for several searches of this problem: one if they are shorter than it takes to start a thread.
[[nodiscard]] inline int threads_worth(const PartitionProblem& problem, const Effort& effort) {
  constexpr std::size_t kFewArcs = 1000;
  return problem.graph->arcs.size() < kFewArcs ? 1 : effort.threads;
}

/// Fence that keeps the boundaries of both partitions. The number of blocks must be below 2^15.
[[nodiscard]] std::vector<int> overlay(std::span<const int> a, std::span<const int> b, std::size_t blocks);

/// Two different members; better ones more often.
struct Parents {
  std::size_t better;
  std::size_t other;
};
[[nodiscard]] Parents choose_parents(std::span<const Member> members, Random& random);

/// What replace_similar() compares.
void list_cut(const Graph& graph, Member& member);

/// Puts the child in place of the member most like it among those that are no better; drops it if all are better.
void replace_similar(std::vector<Member>& members, Member child);

[[nodiscard]] const Member& best_of(std::span<const Member> members);

/// Children are made in batches from the members at the batch's beginning, so that several threads can work on one.
template <class Cost>
void evolve(const PartitionProblem& problem, const Cost& cost, std::vector<Member>& members, int generations,
            const Effort& effort, const Deadline& deadline, Random& random) {
  constexpr int kBatch = 4;
  if (generations > 0 && members.size() > 1) {
    for (Member& member : members) list_cut(*problem.graph, member);
  }
  for (int done = 0; done < generations && !deadline.passed() && members.size() > 1; done += kBatch) {
    std::array<Parents, kBatch> parents;
    std::array<std::uint64_t, kBatch> seeds;
    for (std::size_t i = 0; i < kBatch; ++i) {
      parents[i] = choose_parents(members, random);
      seeds[i] = random();
    }
    std::array<Member, kBatch> children;
    for_each_piece(kBatch, threads_worth(problem, effort), [&](int piece) {
      const auto i = static_cast<std::size_t>(piece);
      Random own(seeds[i]);
      const Member& better = members[parents[i].better];
      const std::vector<int> fence =
          overlay(better.block_of, members[parents[i].other].block_of, problem.capacity.size());
      children[i] = make_member(problem, cost, vcycle(problem, cost, better.block_of, fence, effort, deadline, own));
    });
    for (Member& child : children) {
      list_cut(*problem.graph, child);
      replace_similar(members, std::move(child));
    }
  }
}

/// Partitions from nothing, for the edge cut. At least one, more while there is time.
[[nodiscard]] std::vector<Member> first_members(const PartitionProblem& problem, int count, const Effort& effort,
                                                const Deadline& deadline, Random& random);

}  // namespace topowise::multilevel
