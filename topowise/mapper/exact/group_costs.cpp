// SPDX-License-Identifier: BSD-3-Clause
// Dynamic programming over sets of ranks, as in subset_mapping.cpp, but over sets of the sizes that fill a group: of 32
// ranks 10.5 million sets fill a node of eight, where all sets were 4.3 thousand million. Among groups that are alike
// the one with the smallest rank is split off first.
#include <topowise/mapper/exact/group_costs.hpp>

#include <algorithm>
#include <limits>

#include <topowise/mapper/problem/parallel.hpp>

namespace topowise {
namespace {

bool alike(const Hierarchy& machine, std::size_t a, std::size_t b) {
  const Hierarchy::Node& one = machine.nodes[a];
  const Hierarchy::Node& other = machine.nodes[b];
  return one.capacity == other.capacity && one.weight_out == other.weight_out && one.weight_in == other.weight_in &&
         std::ranges::equal(one.children, other.children,
                            [&](std::size_t x, std::size_t y) { return alike(machine, x, y); });
}

}  // namespace

std::vector<GroupLevel> uniform_groups(const Hierarchy& machine) {
  std::vector<GroupLevel> levels;
  for (std::size_t v = machine.nodes.size() - 1; !machine.nodes[v].children.empty();) {
    const std::vector<std::size_t>& children = machine.nodes[v].children;
    const std::size_t first = children.front();
    if (!std::ranges::all_of(children, [&](std::size_t child) { return alike(machine, first, child); })) return {};
    const Hierarchy::Node& node = machine.nodes[first];
    if (node.weight_out != node.weight_in) return {};
    levels.push_back({.size = node.capacity, .members = node.children.size(), .price = node.weight_out});
    v = first;
  }
  std::ranges::reverse(levels);
  return levels;
}

namespace {

/// Most sets of a table. A set takes 8 bytes, so the largest table has 96 MB.
constexpr double kMostSets = 1.2e7;

std::array<std::uint8_t, KSubsets::kLargestSet> ranks_of(RankSet set) {
  std::array<std::uint8_t, KSubsets::kLargestSet> ranks{};
  for (std::size_t i = 0; set != 0; set &= set - 1, ++i) ranks[i] = static_cast<std::uint8_t>(lowest_rank(set));
  return ranks;
}

}  // namespace

PairBytes::PairBytes(const Traffic& traffic)
    : ranks_(traffic.ranks()), bytes_(ranks_ * ranks_, 0.0), of_rank_(ranks_, 0.0) {
  for (const TrafficEntry& entry : traffic.entries()) {
    const std::size_t a = entry.source.index();
    const std::size_t b = entry.destination.index();
    if (a == b) continue;
    for (const std::size_t at : {a * ranks_ + b, b * ranks_ + a}) bytes_[at] += entry.bytes.value();
    for (const std::size_t rank : {a, b}) of_rank_[rank] += entry.bytes.value();
  }
}

double PairBytes::crossing(RankSet set) const {
  double crossing = 0;
  double inside = 0;
  for (RankSet rest = set; rest != 0;) {
    const std::size_t rank = lowest_rank(rest);
    crossing += of_rank_[rank];
    rest &= rest - 1;
    for (RankSet others = rest; others != 0; others &= others - 1) inside += between(rank, lowest_rank(others));
  }
  return crossing - 2 * inside;
}

double GroupCosts::work(std::span<const GroupLevel> levels, std::size_t ranks) {
  double splits = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (KSubsets::count(ranks, levels[level].size) > kMostSets) return std::numeric_limits<double>::infinity();
    if (level == 0) continue;
    const std::size_t below = levels[level - 1].size;
    for (std::size_t size = 2 * below; size <= levels[level].size; size += below)
      splits += KSubsets::count(ranks, size) * KSubsets::count(size - 1, below - 1);
  }
  return splits;
}

GroupCosts::GroupCosts(std::span<const GroupLevel> levels, const PairBytes& bytes) : bytes_(bytes) {
  tables_.push_back({.sets = KSubsets(bytes.ranks(), levels.front().size),
                     .price = levels.front().price,
                     .patterns = {},
                     .cost = {}});
  for (std::size_t level = 1; level < levels.size(); ++level) {
    const std::size_t one = tables_.size() - 1;
    std::size_t joined = one;
    const std::size_t count = levels[level].members;
    for (std::size_t member = 2; member <= count; ++member)
      joined = add_table(member == count ? levels[level].price : 0, one, joined);
  }
}

std::size_t GroupCosts::add_table(double price, std::size_t one, std::size_t rest) {
  const std::size_t in_one = tables_[one].sets.set_size();
  const std::size_t size = in_one + tables_[rest].sets.set_size();
  Table table{
      .sets = KSubsets(bytes_.ranks(), size), .price = price, .one = one, .rest = rest, .patterns = {}, .cost = {}};
  for (std::uint32_t chosen = 1; chosen < (1U << size); chosen += 2) {  // the smallest rank is always there
    if (static_cast<std::size_t>(std::popcount(chosen)) != in_one) continue;
    Pattern pattern;
    auto to_one = pattern.one.begin();
    auto to_rest = pattern.rest.begin();
    for (std::uint8_t position = 0; position < size; ++position)
      *((chosen >> position & 1U) != 0 ? to_one : to_rest)++ = position;
    table.patterns.push_back(pattern);
  }
  tables_.push_back(std::move(table));
  return tables_.size() - 1;
}

GroupCosts::Split GroupCosts::best_split(const Table& table, const Ranks& ranks) const {
  const Table& one = tables_[table.one];
  const Table& rest = tables_[table.rest];
  const std::size_t in_one = one.sets.set_size();
  const std::size_t in_rest = rest.sets.set_size();
  Split best{.cost = std::numeric_limits<double>::infinity()};
  for (const Pattern& pattern : table.patterns) {
    std::size_t number_one = 0;
    for (std::size_t i = 0; i < in_one; ++i) number_one += KSubsets::share(ranks[pattern.one[i]], i + 1);
    std::size_t number_rest = 0;
    for (std::size_t i = 0; i < in_rest; ++i) number_rest += KSubsets::share(ranks[pattern.rest[i]], i + 1);
    const double cost = one.cost[number_one] + rest.cost[number_rest];
    if (cost < best.cost) best = {cost, &pattern};
  }
  return best;
}

void GroupCosts::fill_run(Table& table, const KSubsets::Run& run) const {
  std::size_t number = run.first;
  for (const std::uint16_t low : table.sets.lows(run)) {
    const RankSet set = run.high | low;
    double cost = table.price > 0 ? table.price * bytes_.crossing(set) : 0;
    if (!table.patterns.empty()) cost += best_split(table, ranks_of(set)).cost;
    table.cost[number++] = cost;
  }
}

bool GroupCosts::fill(int threads, const Deadline& deadline) {
  for (Table& table : tables_) {
    constexpr std::size_t kRunsOfPiece = 64;
    table.cost.resize(table.sets.size());
    const std::span<const KSubsets::Run> runs = table.sets.runs();
    const auto fill_piece = [&](int piece) {
      const std::size_t first = static_cast<std::size_t>(piece) * kRunsOfPiece;
      for (const KSubsets::Run& run : runs.subspan(first, std::min(kRunsOfPiece, runs.size() - first))) {
        if (deadline.passed()) return;
        fill_run(table, run);
      }
    };
    multilevel::for_each_piece(static_cast<int>((runs.size() + kRunsOfPiece - 1) / kRunsOfPiece), threads, fill_piece);
    if (deadline.passed()) return false;
  }
  return true;
}

void GroupCosts::append_in_order(RankSet set, std::vector<std::size_t>& ranks) const {
  append(tables_.back(), set, ranks);
}

void GroupCosts::append(const Table& table, RankSet set, std::vector<std::size_t>& ranks) const {
  const Ranks members = ranks_of(set);
  if (table.patterns.empty()) {
    for (std::size_t i = 0; i < table.sets.set_size(); ++i) ranks.push_back(members[i]);
    return;
  }
  const Split split = best_split(table, members);
  RankSet one = 0;
  for (std::size_t i = 0; i < tables_[table.one].sets.set_size(); ++i)
    one |= RankSet{1} << members[split.pattern->one[i]];
  append(tables_[table.one], one, ranks);
  append(tables_[table.rest], set ^ one, ranks);
}

}  // namespace topowise
