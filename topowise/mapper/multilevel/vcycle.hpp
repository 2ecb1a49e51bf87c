// SPDX-License-Identifier: BSD-3-Clause
// The multilevel scheme: coarsen, partition the coarsest graph, refine on every level back up.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/multilevel/bisection.hpp>
#include <topowise/mapper/multilevel/fm_search.hpp>
#include <topowise/mapper/multilevel/repair.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::multilevel {

// Smaller graphs that look like the large one: heavy-edge matching and contraction.

/// A finer graph's vertices, and the vertex of the coarser graph that each became part of.
struct Coarsening {
  Graph graph;
  std::vector<GuestVertex> coarse_of;
};

struct CoarsenLimits {
  int largest_load = 0;            ///< no vertex may stand for more ranks
  std::span<const int> partition;  ///< only vertices of one part are merged; empty: all may be
};

/// One round of matching. The result has as many vertices as the graph if nothing could be merged.
[[nodiscard]] Coarsening coarsen(const Graph& graph, const CoarsenLimits& limits, Random& random);

/// A graph and all coarser graphs that are made from it, the finest first.
class Levels {
 public:
  /// Coarsens until at most `target` vertices are left, a round removes less than a twentieth of them, or no time is
  /// left. The partition is carried along.
  Levels(const Graph& finest, GuestVertex target, const CoarsenLimits& limits, const Deadline& deadline,
         Random& random);

  [[nodiscard]] std::size_t count() const { return coarser_.size() + 1; }
  [[nodiscard]] const Graph& graph(std::size_t level) const {
    return level == 0 ? *finest_ : coarser_[level - 1].graph;
  }
  [[nodiscard]] const Graph& coarsest() const { return graph(count() - 1); }
  /// Blocks of the vertices of `level` from those of the coarser level.
  [[nodiscard]] std::vector<int> project(std::size_t level, std::span<const int> coarse_blocks) const;
  /// Blocks of the coarsest vertices from those of the finest, which must be equal within a coarsest vertex.
  [[nodiscard]] std::vector<int> restrict_to_coarsest(std::span<const int> blocks) const;
  /// An order of the vertices of `level` in which those of a coarser vertex are together, from one of the coarser
  /// level.
  [[nodiscard]] std::vector<GuestVertex> expand(std::size_t level, std::span<const GuestVertex> coarse_order) const;

 private:
  const Graph* finest_;
  std::vector<Coarsening> coarser_;
};

/// All vertices, each near those that it would be merged with, level by level: the vertices of any piece of the order
/// talk mostly to each other.
[[nodiscard]] std::vector<GuestVertex> clustered_order(const Graph& graph, const Deadline& deadline, Random& random);

/// How hard to try. Work grows with each number.
struct Effort {
  int bisection_tries = 4;  ///< of each bisection of the coarsest graph
  int rounds = 3;           ///< of local search on each level, fewer if they stop gaining
  int idle_moves = 30;      ///< moves without a new best until a local search gives up
  int members = 1;          ///< partitions of each division that compete
  int generations = 0;      ///< children of two of them
  int threads = 1;

  /// The idle moves of a search from the whole boundary.
  [[nodiscard]] int idle_moves_of_all() const { return std::max(4 * idle_moves, 100); }
};

/// What is partitioned: ranks into blocks that hold at most `capacity` each.
struct PartitionProblem {
  const Graph* graph = nullptr;
  std::span<const std::int64_t> capacity;
};

/// Ranks above the capacities of their blocks.
[[nodiscard]] std::int64_t overload(const PartitionProblem& problem, std::span<const int> block_of);

/// Puts vertices into blocks as they come, each block up to its capacity; the last block gets all that is left.
[[nodiscard]] std::vector<int> in_order(const PartitionProblem& problem);

template <class Cost>
[[nodiscard]] double total_cost(const Graph& graph, const Cost& cost, std::span<const int> block_of) {
  double sum = 0;
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    const int own = block_of[static_cast<std::size_t>(v)];
    for (const Arc& arc : graph.arcs_of(v)) sum += arc.weight * cost(own, block_of[static_cast<std::size_t>(arc.to)]);
  }
  return sum / 2;
}

/// Capacities for a coarser level, where the heavy vertices may not fit exactly. They are only so much larger that no
/// block could be emptied into the others.
[[nodiscard]] std::vector<std::int64_t> relaxed_capacity(const PartitionProblem& problem, int heaviest);

/// Moves ranks out of overfull blocks: over the boundaries and, only if that is not enough, to wherever there is
/// capacity left.
template <class Cost>
void work_off_overload(const PartitionProblem& problem, const Cost& cost, std::vector<int>& block_of,
                       const Effort& effort, const Deadline& deadline, Random& random) {
  if (overload(problem, block_of) == 0) return;
  FmSearch<Cost> search(*problem.graph, cost, problem.capacity, block_of, deadline, random);
  search.set_slack(problem.graph->largest_load());
  search.global_pass(effort.idle_moves_of_all());
  if (search.overload() > 0) Repair<Cost>(*problem.graph, cost, problem.capacity, block_of).run();
}

/// Refines in place. Blocks may be overfull by less than the heaviest vertex, so on the finest level not at all.
template <class Cost>
void refine(const PartitionProblem& problem, const Cost& cost, std::vector<int>& block_of, const Effort& effort,
            const Deadline& deadline, Random& random) {
  const Graph& graph = *problem.graph;
  const int heaviest = graph.largest_load();
  const std::vector<std::int64_t> capacity = relaxed_capacity(problem, heaviest);
  const std::int64_t spare = std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0}) - graph.total_load();
  const bool tight = spare < 2 * static_cast<std::int64_t>(heaviest) * static_cast<std::int64_t>(capacity.size());
  work_off_overload(PartitionProblem{&graph, capacity}, cost, block_of, effort, deadline, random);
  FmSearch<Cost> search(graph, cost, capacity, block_of, deadline, random);
  if (tight || search.overload() > 0) {
    search.set_slack(heaviest);
    search.global_pass(effort.idle_moves_of_all());
  }
  if (!tight) search.set_slack(0);
  for (int round = 0; round < effort.rounds && !deadline.passed(); ++round) {
    double gained = search.local_round(effort.idle_moves);
    if (tight) gained += search.global_pass(effort.idle_moves_of_all());
    if (gained <= 0) break;
  }
}

/// Ranks that a vertex of the coarsest graph may stand for.
[[nodiscard]] inline int cluster_limit(const PartitionProblem& problem, GuestVertex target) {
  const auto smallest = *std::ranges::min_element(problem.capacity);
  const std::int64_t even = 2 * problem.graph->total_load() / std::max<GuestVertex>(target, 1);
  return static_cast<int>(std::clamp<std::int64_t>(std::min(even, smallest / 2), 1, 1 << 30));
}

[[nodiscard]] inline GuestVertex coarsest_size(const PartitionProblem& problem, GuestVertex per_block) {
  return std::max<GuestVertex>(per_block * static_cast<GuestVertex>(problem.capacity.size()), 80);
}

/// Turns a partition of the coarsest graph into one of the finest, and refines it on each finer level.
template <class Cost>
void refine_upwards(const Levels& levels, std::span<const std::int64_t> capacity, const Cost& cost,
                    std::vector<int>& block_of, const Effort& effort, const Deadline& deadline, Random& random) {
  for (std::size_t level = levels.count() - 1; level-- > 0;) {
    block_of = levels.project(level, block_of);
    refine(PartitionProblem{&levels.graph(level), capacity}, cost, block_of, effort, deadline, random);
  }
}

/// Makes a partition from nothing, for the edge cut.
[[nodiscard]] std::vector<int> multilevel_partition(const PartitionProblem& problem, const Effort& effort,
                                                    const Deadline& deadline, Random& random);

/// Improves a partition on all levels. Vertices of different parts of `partition` are never merged, so `start` exists
/// on every level; it must separate the blocks of `start`. Never worse than `start` if that has no overload.
template <class Cost>
[[nodiscard]] std::vector<int> vcycle(const PartitionProblem& problem, const Cost& cost, std::span<const int> start,
                                      std::span<const int> partition, const Effort& effort, const Deadline& deadline,
                                      Random& random) {
  const GuestVertex target = coarsest_size(problem, 4);
  const Levels levels(*problem.graph, target, {cluster_limit(problem, target), partition}, deadline, random);
  std::vector<int> block_of = levels.restrict_to_coarsest(start);
  refine(PartitionProblem{&levels.coarsest(), problem.capacity}, cost, block_of, effort, deadline, random);
  refine_upwards(levels, problem.capacity, cost, block_of, effort, deadline, random);
  return block_of;
}

}  // namespace topowise::multilevel
