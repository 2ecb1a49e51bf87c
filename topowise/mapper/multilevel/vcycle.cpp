// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/vcycle.hpp>

#include <array>
#include <limits>

namespace topowise::multilevel {
namespace {

// Coarsening. Each vertex, in random order, is merged with the free neighbour whose edge rates highest by
// w(e)^2 / (c(u) c(v)), the "expansion*2" rating of Holtgrewe, Sanders and Schulz, "Engineering a scalable high quality
// graph partitioner" (IPDPS 2010): heavy edges first, but light vertices preferred, so that the vertices of a level
// stay about equally heavy and any balance remains possible.

constexpr GuestVertex kFree = -1;

GuestVertex best_partner(const Graph& graph, GuestVertex v, std::span<const GuestVertex> partner,
                         const CoarsenLimits& limits, Random& random) {
  const auto at = static_cast<std::size_t>(v);
  GuestVertex best = v;
  double best_rating = -1.0;
  for (const Arc& arc : graph.arcs_of(v)) {
    const auto to = static_cast<std::size_t>(arc.to);
    if (partner[to] != kFree || arc.to == v) continue;
    if (!limits.partition.empty() && limits.partition[to] != limits.partition[at]) continue;
    if (graph.load[at] + graph.load[to] > limits.largest_load) continue;
    const double rating = arc.weight * arc.weight / (static_cast<double>(graph.load[to]) * graph.load[at]);
    if (rating > best_rating || (rating == best_rating && (random() & 1) != 0)) {
      best = arc.to;
      best_rating = rating;
    }
  }
  return best;
}

/// All vertices in random order. In a large graph, vertices that are near each other in memory are also near each other
/// in time: chunks are in random order, and each chunk is shuffled.
std::vector<GuestVertex> visiting_order(GuestVertex size, Random& random) {
  constexpr GuestVertex kFitsCache = 4096;
  const GuestVertex chunk = size <= kFitsCache ? size : 256;
  std::vector<GuestVertex> begins;
  for (GuestVertex begin = 0; begin < size; begin += chunk) begins.push_back(begin);
  if (begins.size() > 1) random.shuffle(std::span(begins));
  std::vector<GuestVertex> order;
  order.reserve(static_cast<std::size_t>(size));
  for (const GuestVertex begin : begins) {
    const std::size_t done = order.size();
    for (GuestVertex v = begin; v < std::min(size, begin + chunk); ++v) order.push_back(v);
    random.shuffle(std::span(order).subspan(done));
  }
  return order;
}

/// The partner of each vertex; partner[v] == v for a vertex that stays alone.
std::vector<GuestVertex> match(const Graph& graph, const CoarsenLimits& limits, Random& random) {
  const std::vector<GuestVertex> order = visiting_order(graph.size(), random);
  std::vector<GuestVertex> partner(order.size(), kFree);
  for (const GuestVertex v : order) {
    if (partner[static_cast<std::size_t>(v)] != kFree) continue;
    const GuestVertex other = best_partner(graph, v, partner, limits, random);
    partner[static_cast<std::size_t>(v)] = other;
    partner[static_cast<std::size_t>(other)] = v;
  }
  return partner;
}

/// Adds up arcs between the same two clusters by one array that remembers where each cluster's arc stands.
class RowMerger {
 public:
  explicit RowMerger(GuestVertex clusters) : position_(static_cast<std::size_t>(clusters), -1) {}

  void add(std::vector<Arc>& arcs, GuestVertex to, double weight, std::int64_t row_begin) {
    std::int64_t& position = position_[static_cast<std::size_t>(to)];
    if (position >= row_begin) {
      arcs[static_cast<std::size_t>(position)].weight += weight;
    } else {
      position = static_cast<std::int64_t>(arcs.size());
      arcs.push_back({to, weight});
    }
  }

 private:
  std::vector<std::int64_t> position_;
};

Graph contract(const Graph& graph, std::span<const GuestVertex> partner, std::span<const GuestVertex> coarse_of,
               GuestVertex clusters) {
  Graph coarse;
  coarse.load.reserve(static_cast<std::size_t>(clusters));
  coarse.first.reserve(static_cast<std::size_t>(clusters) + 1);
  coarse.arcs.reserve(graph.arcs.size() * 3 / 4);
  RowMerger merger(clusters);
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    const GuestVertex other = partner[static_cast<std::size_t>(v)];
    if (other < v) continue;
    const GuestVertex cluster = coarse_of[static_cast<std::size_t>(v)];
    const auto row_begin = static_cast<std::int64_t>(coarse.arcs.size());
    int load = 0;
    for (const GuestVertex member : {v, other}) {
      for (const Arc& arc : graph.arcs_of(member)) {
        const GuestVertex to = coarse_of[static_cast<std::size_t>(arc.to)];
        if (to != cluster) merger.add(coarse.arcs, to, arc.weight, row_begin);
      }
      load += graph.load[static_cast<std::size_t>(member)];
      if (other == v) break;
    }
    coarse.load.push_back(load);
    coarse.first.push_back(static_cast<std::int64_t>(coarse.arcs.size()));
  }
  return coarse;
}

std::vector<int> coarse_partition(std::span<const int> partition, std::span<const GuestVertex> coarse_of,
                                  GuestVertex size) {
  std::vector<int> coarse(static_cast<std::size_t>(size));
  for (std::size_t v = 0; v < partition.size(); ++v) coarse[static_cast<std::size_t>(coarse_of[v])] = partition[v];
  return coarse;
}

}  // namespace

Coarsening coarsen(const Graph& graph, const CoarsenLimits& limits, Random& random) {
  const std::vector<GuestVertex> partner = match(graph, limits, random);
  std::vector<GuestVertex> coarse_of(partner.size());
  GuestVertex clusters = 0;
  for (std::size_t v = 0; v < partner.size(); ++v) {  // numbered in the order of their first member: memory locality
    const auto other = static_cast<std::size_t>(partner[v]);
    coarse_of[v] = other < v ? coarse_of[other] : clusters++;
  }
  Graph coarse = contract(graph, partner, coarse_of, clusters);
  return {std::move(coarse), std::move(coarse_of)};
}

Levels::Levels(const Graph& finest, GuestVertex target, const CoarsenLimits& limits, const Deadline& deadline,
               Random& random)
    : finest_(&finest) {
  std::vector<int> partition(limits.partition.begin(), limits.partition.end());
  while (graph(count() - 1).size() > target && !deadline.passed()) {
    const Graph& last = graph(count() - 1);
    Coarsening next = coarsen(last, {limits.largest_load, partition}, random);
    if (next.graph.size() > last.size() - last.size() / 20) break;
    if (!partition.empty()) partition = coarse_partition(partition, next.coarse_of, next.graph.size());
    coarser_.push_back(std::move(next));
  }
}

std::vector<int> Levels::project(std::size_t level, std::span<const int> coarse_blocks) const {
  const std::vector<GuestVertex>& coarse_of = coarser_[level].coarse_of;
  std::vector<int> blocks(coarse_of.size());
  for (std::size_t v = 0; v < blocks.size(); ++v) blocks[v] = coarse_blocks[static_cast<std::size_t>(coarse_of[v])];
  return blocks;
}

std::vector<GuestVertex> Levels::expand(std::size_t level, std::span<const GuestVertex> coarse_order) const {
  constexpr GuestVertex kNone = -1;
  const std::vector<GuestVertex>& coarse_of = coarser_[level].coarse_of;
  std::vector<std::array<GuestVertex, 2>> members(coarse_order.size(), {kNone, kNone});  // a matching joins two at most
  for (std::size_t v = 0; v < coarse_of.size(); ++v) {
    std::array<GuestVertex, 2>& pair = members[static_cast<std::size_t>(coarse_of[v])];
    pair[pair[0] == kNone ? 0 : 1] = static_cast<GuestVertex>(v);
  }
  std::vector<GuestVertex> order;
  order.reserve(coarse_of.size());
  for (const GuestVertex cluster : coarse_order) {
    for (const GuestVertex v : members[static_cast<std::size_t>(cluster)]) {
      if (v != kNone) order.push_back(v);
    }
  }
  return order;
}

std::vector<int> Levels::restrict_to_coarsest(std::span<const int> blocks) const {
  std::vector<int> result(blocks.begin(), blocks.end());
  for (const Coarsening& step : coarser_) result = coarse_partition(result, step.coarse_of, step.graph.size());
  return result;
}

std::vector<GuestVertex> clustered_order(const Graph& graph, const Deadline& deadline, Random& random) {
  constexpr GuestVertex kFew = 64;
  const Levels levels(graph, kFew, {std::numeric_limits<int>::max() / 2, {}}, deadline, random);
  std::vector<GuestVertex> order = breadth_first_order(levels.coarsest());
  for (std::size_t level = levels.count() - 1; level-- > 0;) order = levels.expand(level, order);
  return order;
}

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
