// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/evolution.hpp>

#include <bit>

namespace topowise::multilevel {
namespace {

/// Arcs that one of the two cuts and the other does not.
std::int64_t difference(const Member& a, const Member& b) {
  std::int64_t count = 0;
  for (std::size_t word = 0; word < a.cut.size(); ++word) count += std::popcount(a.cut[word] ^ b.cut[word]);
  return count;
}

}  // namespace

void overlay(std::vector<int>& partition, int& parts, std::span<const int> block_of, std::size_t blocks) {
  std::vector<int> part_of(static_cast<std::size_t>(parts) * blocks, -1);
  parts = 0;
  for (std::size_t v = 0; v < partition.size(); ++v) {
    int& part = part_of[static_cast<std::size_t>(partition[v]) * blocks + static_cast<std::size_t>(block_of[v])];
    if (part < 0) part = parts++;
    partition[v] = part;
  }
}

Levels common_levels(const PartitionProblem& problem, std::span<const Member> members, const Deadline& deadline,
                     Random& random) {
  constexpr GuestVertex kLarge = 2000;
  constexpr GuestVertex kShrinkage = 8;
  const GuestVertex size = problem.graph->size();
  const GuestVertex target = size < kLarge ? size : size / kShrinkage;
  std::vector<int> partition(static_cast<std::size_t>(size), 0);
  int parts = 1;
  if (target < size) {
    for (const Member& member : members) overlay(partition, parts, member.block_of, problem.capacity.size());
  }
  const int limit = cluster_limit(problem, coarsest_size(problem, 4));
  return {*problem.graph, target, {limit, partition}, deadline, random};
}

Parents choose_parents(std::span<const Member> members, Random& random) {
  const auto size = static_cast<std::uint32_t>(members.size());
  const auto pick = [&] {
    const std::uint32_t a = random.below(size);
    const std::uint32_t b = random.below(size);
    return members[b].better_than(members[a]) ? b : a;
  };
  const std::size_t first = pick();
  std::size_t second = pick();
  if (second == first) second = (first + 1 + random.below(size - 1)) % size;
  return members[second].better_than(members[first]) ? Parents{second, first} : Parents{first, second};
}

void list_cut(const Graph& graph, Member& member) {
  member.cut.assign((graph.arcs.size() + 63) / 64, 0);
  std::size_t arc = 0;
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    const int own = member.block_of[static_cast<std::size_t>(v)];
    for (const Arc& to : graph.arcs_of(v)) {
      const bool is_cut = member.block_of[static_cast<std::size_t>(to.to)] != own;
      member.cut[arc / 64] |= static_cast<std::uint64_t>(is_cut) << (arc % 64);
      ++arc;
    }
  }
}

void replace_similar(std::vector<Member>& members, Member child) {
  Member* victim = nullptr;
  std::int64_t least = 0;
  for (Member& member : members) {
    if (member.better_than(child)) continue;
    const std::int64_t unlike = difference(member, child);
    if (victim != nullptr && unlike >= least) continue;
    victim = &member;
    least = unlike;
  }
  if (victim != nullptr) *victim = std::move(child);
}

const Member& best_of(std::span<const Member> members) {
  return *std::ranges::min_element(members, [](const Member& a, const Member& b) { return a.better_than(b); });
}

std::vector<Member> first_members(const PartitionProblem& problem, int count, const Effort& effort,
                                  const Deadline& deadline, Random& random) {
  std::vector<Member> members;
  while (static_cast<int>(members.size()) < count && !(deadline.passed() && !members.empty())) {
    const Levels common = common_levels(problem, {}, deadline, random);
    const PartitionProblem coarse{&common.coarsest(), problem.capacity};
    std::vector<std::uint64_t> seeds(std::min<std::size_t>(kBatch, static_cast<std::size_t>(count) - members.size()));
    for (std::uint64_t& seed : seeds) seed = random();
    std::vector<Member> batch(seeds.size());
    for_each_piece(static_cast<int>(batch.size()), threads_worth(problem, effort), [&](int piece) {
      const auto i = static_cast<std::size_t>(piece);
      if (i > 0 && deadline.passed()) return;
      Random own(seeds[i]);
      std::vector<int> block_of = multilevel_partition(coarse, effort, deadline, own);
      refine_upwards(common, problem.capacity, CutCost{}, block_of, effort, deadline, own);
      batch[i] = make_member(problem, CutCost{}, std::move(block_of));
    });
    std::ranges::copy_if(std::move(batch), std::back_inserter(members), [&](const Member& member) {
      return member.block_of.size() == static_cast<std::size_t>(problem.graph->size());
    });
  }
  return members;
}

}  // namespace topowise::multilevel
