// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical multisection: the ranks are divided among the children of the root with as few bytes as possible between
// them, then the ranks of each child among its children, and so on (Kirchbach, Schulz and Traeff, "Better process
// mapping and sparse quadratic assignment", ACM JEA 25, 2020). With distances that grow by level, the top cut counts
// most, and it is found first. As in SharedMap (Schulz and Woydt, ACDA 2025), each division gets the imbalance that its
// ancestors left over.
#include <topowise/mapper/multilevel/multisection.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <topowise/mapper/multilevel/evolution.hpp>
#include <topowise/mapper/problem/parallel.hpp>

namespace topowise::multilevel {
namespace {

/// What a division and those below it may use.
struct Course {
  Random* random;
  int threads;
};

class Multisection {
 public:
  Multisection(const Host& host, std::span<const std::int64_t> capacity, const Effort& effort, const Deadline& deadline,
               std::vector<int>& block_of)
      : host_(host), capacity_(capacity), effort_(effort), deadline_(deadline), block_of_(block_of) {}

  /// Returns what the part of the machine costs then. On a hierarchy that is never more than with the ranks in order,
  /// and a later division does not change the cost of other parts. So if the deadline strikes half-way, the parts that
  /// are done stay as they are: the more of them, the better.
  double divide(const HostNode& node, const Graph& graph, std::span<const GuestVertex> origin, Course course) {
    fill(node, graph, origin);
    const double filled = cost_of(graph, origin);
    if (node.children == 0 || graph.size() == 0 || is_late()) return filled;
    const std::vector<Member> members = partition(node, graph, course);
    if (is_late()) return filled;
    const std::vector<int> in_order = blocks_of(origin);
    const double divided = divide_along(best_of(members).block_of, node, graph, origin, course);
    if (divided <= filled || !host_.is_hierarchy()) return divided;
    for (std::size_t i = 0; i < origin.size(); ++i) block_of_[static_cast<std::size_t>(origin[i])] = in_order[i];
    return filled;
  }

  /// Partitions among the children of `node`; the best is not always the best for the whole.
  std::vector<Member> partition(const HostNode& node, const Graph& graph, Course course) {
    const std::vector<std::int64_t> capacity = share_of_children(node, graph.total_load());
    const PartitionProblem problem{&graph, capacity};
    const bool top = graph.size() == static_cast<GuestVertex>(block_of_.size());
    const double share = share_of_effort(node);
    const auto of_share = [share](int number) { return static_cast<int>(share * number); };
    const int generations = of_share(top ? effort_.generations : std::min(effort_.generations, kLowerGenerations));
    const int count = std::max(1, of_share(top ? effort_.members : std::min(effort_.members, kLowerGenerations / 4)));
    Effort effort = effort_;
    effort.threads = course.threads;
    if (node.children >= kManyChildren && graph.arcs.size() >= kManyArcs) effort.idle_moves /= 2;
    std::vector<Member> members = first_members(problem, count, effort, deadline_, *course.random);
    evolve(problem, CutCost{}, members, generations, effort, deadline_, *course.random);
    return members;
  }

  double divide_along(std::span<const int> child_of, const HostNode& node, const Graph& graph,
                      std::span<const GuestVertex> origin, Course course) {
    std::vector<Subgraph> parts = split(graph, child_of, node.children);
    const std::span<const HostNode> children = host_.children_of(node);
    std::vector<double> costs(parts.size());
    const auto divide_part = [&](std::size_t i, Course own) {
      Subgraph& part = parts[i];
      for (GuestVertex& v : part.origin) v = origin[static_cast<std::size_t>(v)];
      costs[i] = divide(children[i], part.graph, part.origin, own);
      part = {};
    };
    if (has_one_search_each()) {
      std::vector<std::uint64_t> seeds(parts.size());
      for (std::uint64_t& seed : seeds) seed = (*course.random)();
      for_each_piece(node.children, course.threads, [&](int piece) {
        const auto i = static_cast<std::size_t>(piece);
        Random own(seeds[i]);
        divide_part(i, {&own, std::max(1, course.threads / node.children)});
      });
    } else {
      for (std::size_t i = 0; i < parts.size(); ++i) divide_part(i, course);
    }
    return std::accumulate(costs.begin(), costs.end(), node.distance * total_cost(graph, CutCost{}, child_of));
  }

  /// Puts the ranks into the blocks in order, each block up to its capacity; the last block gets the rest.
  void fill(const HostNode& node, const Graph& graph, std::span<const GuestVertex> origin) {
    const auto capacity =
        capacity_.subspan(static_cast<std::size_t>(node.first_block), static_cast<std::size_t>(node.blocks));
    const std::vector<int> block_of = in_order({&graph, capacity});
    for (std::size_t i = 0; i < origin.size(); ++i)
      block_of_[static_cast<std::size_t>(origin[i])] = node.first_block + block_of[i];
  }

  /// True once the deadline was seen to have passed, and from then on: divisions that were not cut say so, too, and the
  /// clock is not asked again.
  [[nodiscard]] bool is_late() {
    if (!late_ && deadline_.passed()) late_ = true;
    return late_;
  }

 private:
  /// True if a division is one search: then threads have nothing to share within it, so they make the divisions of a
  /// level at once.
  [[nodiscard]] bool has_one_search_each() const { return effort_.members == 1 && effort_.generations == 0; }

  [[nodiscard]] std::vector<int> blocks_of(std::span<const GuestVertex> vertices) const {
    std::vector<int> blocks;
    blocks.reserve(vertices.size());
    for (const GuestVertex v : vertices) blocks.push_back(block_of_[static_cast<std::size_t>(v)]);
    return blocks;
  }

  [[nodiscard]] double cost_of(const Graph& graph, std::span<const GuestVertex> origin) const {
    const std::vector<int> blocks = blocks_of(origin);
    return host_.visit_cost([&](const auto& cost) { return total_cost(graph, cost, blocks); });
  }

  /// What the cuts of a level add to the cost, all its divisions together, up to a factor: an edge that is cut there
  /// costs so much more than one that is kept, and the number of edges between k parts of a flat graph grows with the
  /// square root of k.
  [[nodiscard]] double importance(const HostNode& node) const {
    double kept = 0;
    for (const HostNode& child : host_.children_of(node)) kept = std::max(kept, child.distance);
    const double parts = static_cast<double>(host_.blocks()) * node.children / node.blocks;
    return (node.distance - kept) * std::sqrt(parts);
  }

  /// Divisions that matter less than the first are worth less time.
  [[nodiscard]] double share_of_effort(const HostNode& node) const {
    constexpr double kLeast = 0.25;
    const double first = importance(host_.nodes().front());
    if (!host_.is_hierarchy() || first <= 0) return 1.0;
    return std::clamp(std::sqrt(std::max(0.0, importance(node)) / first), kLeast, 1.0);
  }

  /// Part of the spare capacity that this level may use; the levels below get the rest.
  std::vector<std::int64_t> share_of_children(const HostNode& node, std::int64_t ranks) const {
    std::vector<std::int64_t> capacity;
    bool last = true;
    for (const HostNode& child : host_.children_of(node)) {
      const std::span<const std::int64_t> blocks =
          capacity_.subspan(static_cast<std::size_t>(child.first_block), static_cast<std::size_t>(child.blocks));
      capacity.push_back(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}));
      last = last && child.children == 0;
    }
    if (last) return capacity;
    const auto total = static_cast<double>(std::accumulate(capacity.begin(), capacity.end(), std::int64_t{0}));
    for (std::int64_t& ranks_of_child : capacity) {
      const double even = static_cast<double>(ranks_of_child) * static_cast<double>(ranks) / total;
      const double spare = static_cast<double>(ranks_of_child) - even;
      ranks_of_child = static_cast<std::int64_t>(std::floor(std::ceil(even) + spare * kShare));
    }
    return capacity;
  }

  static constexpr double kShare = 0.6;
  static constexpr int kLowerGenerations = 60;  ///< the cuts below the top are small problems and weigh less
  // A search starts at each vertex of the boundary, which is long between many parts: shorter searches are worth as
  // much.
  static constexpr int kManyChildren = 8;
  static constexpr std::size_t kManyArcs = 100000;
  const Host& host_;
  std::span<const std::int64_t> capacity_;
  const Effort& effort_;
  const Deadline& deadline_;
  std::vector<int>& block_of_;
  std::atomic<bool> late_ = false;
};

void compact(const Host& host, const HostNode& node, std::int64_t& ranks, std::vector<std::int64_t>& capacity) {
  const auto sum = [&](const HostNode& child) {
    const auto blocks =
        host.capacity().subspan(static_cast<std::size_t>(child.first_block), static_cast<std::size_t>(child.blocks));
    return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  };
  if (node.children == 0) {
    std::int64_t& here = capacity[static_cast<std::size_t>(node.first_block)];
    here = std::min(ranks, host.capacity()[static_cast<std::size_t>(node.first_block)]);
    ranks -= here;
    return;
  }
  const HostNode* smallest = nullptr;  // child that holds them all
  for (const HostNode& child : host.children_of(node)) {
    if (sum(child) >= ranks && (smallest == nullptr || sum(child) < sum(*smallest))) smallest = &child;
  }
  if (smallest != nullptr) return compact(host, *smallest, ranks, capacity);
  for (const HostNode& child : host.children_of(node)) {
    if (ranks > 0) compact(host, child, ranks, capacity);
  }
}

}  // namespace

Divisions multisection(const Graph& graph, const Host& host, std::span<const std::int64_t> capacity, int count,
                       const Effort& effort, const Deadline& deadline, Random& random) {
  std::vector<int> block_of(static_cast<std::size_t>(graph.size()), 0);
  std::vector<GuestVertex> all(block_of.size());
  std::iota(all.begin(), all.end(), 0);
  Multisection sections(host, capacity, effort, deadline, block_of);
  const Course course{&random, effort.threads};
  const HostNode& root = host.nodes().front();
  sections.fill(root, graph, all);
  Divisions result{block_of, {}};
  if (root.children == 0 || sections.is_late()) return result;
  std::vector<Member> tops = sections.partition(root, graph, course);
  if (sections.is_late()) return result;
  std::ranges::stable_sort(tops, [](const Member& a, const Member& b) { return a.better_than(b); });
  const auto same = [](const Member& a, const Member& b) { return a.cost == b.cost; };
  tops.erase(std::unique(tops.begin(), tops.end(), same), tops.end());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && !sections.is_late(); ++i) {
    sections.divide_along(tops[i % tops.size()].block_of, root, graph, all, course);
    if (host.is_hierarchy() || !sections.is_late()) result.divided.push_back(block_of);
  }
  return result;
}

std::vector<std::int64_t> compact_capacity(const Host& host, std::int64_t ranks) {
  constexpr double kMuchSpare = 1.1;
  const std::int64_t total = std::accumulate(host.capacity().begin(), host.capacity().end(), std::int64_t{0});
  if (static_cast<double>(total) < kMuchSpare * static_cast<double>(ranks))
    return {host.capacity().begin(), host.capacity().end()};
  std::vector<std::int64_t> capacity(host.blocks(), 0);
  compact(host, host.nodes().front(), ranks, capacity);
  return capacity;
}

}  // namespace topowise::multilevel
