// SPDX-License-Identifier: BSD-3-Clause
// Combining good solutions: what two of them agree on is kept together, what they differ in is decided anew (Sanders
// and Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012). Because no vertex of the coarser graphs
// crosses a boundary of either parent, the better parent exists on the coarsest level, and the child is at least as
// good.
//
// Searches are made in batches that share the first levels of coarsening, along the boundaries of all members. Those
// levels take most of the time to build, a quarter of the whole search if each has its own, and what is found depends
// on them least: below them and on the way back up each search goes its own way.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <topowise/mapper/multilevel/vcycle.hpp>
#include <topowise/mapper/problem/parallel.hpp>

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

/// A partition with the boundaries of both: `partition` has parts 0 to `parts` - 1, and gets more.
void overlay(std::vector<int>& partition, int& parts, std::span<const int> block_of, std::size_t blocks);

/// The levels that the searches of a batch share; for a small graph nothing but the graph itself. No vertex crosses a
/// boundary of a member.
[[nodiscard]] Levels common_levels(const PartitionProblem& problem, std::span<const Member> members,
                                   const Deadline& deadline, Random& random);

/// Two different members; better ones more often.
struct Parents {
  std::size_t better;
  std::size_t other;
};
[[nodiscard]] Parents choose_parents(std::span<const Member> members, Random& random);

/// Lists the arcs that a member cuts, which replace_similar() compares.
void list_cut(const Graph& graph, Member& member);

/// Puts the child in place of the member most like it among those that are no better; drops it if all are better.
void replace_similar(std::vector<Member>& members, Member child);

[[nodiscard]] const Member& best_of(std::span<const Member> members);

inline constexpr int kBatch = 4;

/// The child: what the better member becomes if only what both agree on is kept together.
template <class Cost>
Member child_of(const PartitionProblem& problem, const Cost& cost, const Levels& common, const Member& better,
                const Member& other, const Effort& effort, const Deadline& deadline, Random& random) {
  const PartitionProblem coarse{&common.coarsest(), problem.capacity};
  const std::vector<int> start = common.restrict_to_coarsest(better.block_of);
  std::vector<int> partition = start;
  int parts = static_cast<int>(problem.capacity.size());
  overlay(partition, parts, common.restrict_to_coarsest(other.block_of), problem.capacity.size());
  std::vector<int> block_of = vcycle(coarse, cost, start, partition, effort, deadline, random);
  refine_upwards(common, problem.capacity, cost, block_of, effort, deadline, random);
  return make_member(problem, cost, std::move(block_of));
}

/// Children are made in batches from the members at the batch's beginning, so that several threads can work on one.
template <class Cost>
void evolve(const PartitionProblem& problem, const Cost& cost, std::vector<Member>& members, int generations,
            const Effort& effort, const Deadline& deadline, Random& random) {
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
    const Levels common = common_levels(problem, members, deadline, random);
    std::array<Member, kBatch> children;
    for_each_piece(kBatch, threads_worth(problem, effort), [&](int piece) {
      const auto i = static_cast<std::size_t>(piece);
      Random own(seeds[i]);
      children[i] =
          child_of(problem, cost, common, members[parents[i].better], members[parents[i].other], effort, deadline, own);
    });
    for (Member& child : children) {
      list_cut(*problem.graph, child);
      replace_similar(members, std::move(child));
    }
  }
}

/// Makes partitions from nothing, for the edge cut: at least one, more while there is time.
[[nodiscard]] std::vector<Member> first_members(const PartitionProblem& problem, int count, const Effort& effort,
                                                const Deadline& deadline, Random& random);

}  // namespace topowise::multilevel
