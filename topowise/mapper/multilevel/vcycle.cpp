// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

std::int64_t overload(const PartitionProblem& problem, std::span<const int> block_of) {
  std::vector<std::int64_t> capacity_left(problem.capacity.begin(), problem.capacity.end());
  for (std::size_t v = 0; v < block_of.size(); ++v)
    capacity_left[static_cast<std::size_t>(block_of[v])] -= problem.graph->load[v];
  std::int64_t sum = 0;
  for (const std::int64_t left : capacity_left) sum -= std::min<std::int64_t>(left, 0);
  return sum;
}

std::vector<std::int64_t> relaxed_capacity(const PartitionProblem& problem, int heaviest) {
  const auto blocks = static_cast<std::int64_t>(problem.capacity.size());
  std::vector<std::int64_t> capacity(problem.capacity.begin(), problem.capacity.end());
  for (std::int64_t& ranks : capacity) ranks += std::min<std::int64_t>(heaviest - 1, ranks / (2 * blocks));
  return capacity;
}

std::vector<int> in_order(const PartitionProblem& problem) {
  std::vector<int> block_of(static_cast<std::size_t>(problem.graph->size()));
  std::size_t block = 0;
  std::int64_t load = 0;
  for (std::size_t v = 0; v < block_of.size(); ++v) {
    while (load + problem.graph->load[v] > problem.capacity[block] && block + 1 < problem.capacity.size()) {
      ++block;
      load = 0;
    }
    load += problem.graph->load[v];
    block_of[v] = static_cast<int>(block);
  }
  return block_of;
}

std::vector<int> multilevel_partition(const PartitionProblem& problem, const Effort& effort, const Deadline& deadline,
                                      Random& random) {
  const GuestVertex target = coarsest_size(problem, 20);
  const Levels levels(*problem.graph, target, {cluster_limit(problem, target), {}}, deadline, random);
  if (deadline.passed()) return in_order(problem);
  std::vector<int> block_of =
      recursive_bisection(levels.coarsest(), problem.capacity, effort.bisection_tries, deadline, random);
  refine(PartitionProblem{&levels.coarsest(), problem.capacity}, CutCost{}, block_of, effort, deadline, random);
  refine_upwards(levels, problem.capacity, CutCost{}, block_of, effort, deadline, random);
  return block_of;
}

}  // namespace topowise::multilevel
