// SPDX-License-Identifier: BSD-3-Clause
// What any set of ranks costs at least inside a group of the machine and at its border.
//
// Hierarchies whose groups of a level are all alike, as nodes of a cluster and the GPUs in them mostly are.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <topowise/mapper/exact/k_subsets.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>

namespace topowise {

/// Groups of one level.
struct GroupLevel {
  std::size_t size = 0;     ///< ranks that each holds
  std::size_t members = 0;  ///< groups of the level below in each; 0 at the lowest level, whose groups are places
  double price = 0;         ///< of a byte that crosses its border, either way
};

/// The levels from the places up; the machine as a whole is none. Empty if groups of a level differ, or if a byte out
/// of a group costs another price than a byte into it.
[[nodiscard]] std::vector<GroupLevel> uniform_groups(const Hierarchy& machine);

/// Bytes between every two ranks, both ways.
class PairBytes {
 public:
  explicit PairBytes(const Traffic& traffic);
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] double between(std::size_t a, std::size_t b) const { return bytes_[a * ranks_ + b]; }
  [[nodiscard]] double of(std::size_t rank) const { return of_rank_[rank]; }
  /// What crosses the border of a set.
  [[nodiscard]] double crossing(RankSet set) const;

 private:
  std::size_t ranks_;
  std::vector<double> bytes_;
  std::vector<double> of_rank_;
};

/// Tables over all sets of ranks that may fill a group.
class GroupCosts {
 public:
  /// Splits of sets that fill() looks at; infinity if there are more sets than a table holds.
  [[nodiscard]] static double work(std::span<const GroupLevel> levels, std::size_t ranks);

  /// `levels` are the lowest of a machine. `bytes` must outlive this.
  GroupCosts(std::span<const GroupLevel> levels, const PairBytes& bytes);
  /// False if the deadline passed: nothing else may be asked then.
  [[nodiscard]] bool fill(int threads, const Deadline& deadline);

  /// The sets that fill a group of the highest level, and what each costs at least.
  [[nodiscard]] const KSubsets& sets() const { return tables_.back().sets; }
  [[nodiscard]] std::span<const double> costs() const { return tables_.back().cost; }
  /// Appends the ranks of such a set in an order that costs as little as the table says.
  void append_in_order(RankSet set, std::vector<std::size_t>& ranks) const;

 private:
  /// Which of the ranks of a set, by their order in it, go to the one group and which to the others.
  struct Pattern {
    std::array<std::uint8_t, KSubsets::kLargestSet> one{};
    std::array<std::uint8_t, KSubsets::kLargestSet> rest{};
  };
  /// The sets of ranks that groups side by side may hold. A set on one place is not split further.
  struct Table {
    KSubsets sets;
    double price = 0;               ///< of the border around all; 0 if more groups will join them
    std::size_t one = 0;            ///< table of the group with the smallest rank
    std::size_t rest = 0;           ///< table of the others
    std::vector<Pattern> patterns;  ///< empty for a place
    std::vector<double> cost;
  };
  struct Split {
    double cost = 0;
    const Pattern* pattern = nullptr;
  };
  using Ranks = std::array<std::uint8_t, KSubsets::kLargestSet>;

  std::size_t add_table(double price, std::size_t one, std::size_t rest);
  [[nodiscard]] Split best_split(const Table& table, const Ranks& ranks) const;
  void fill_run(Table& table, const KSubsets::Run& run) const;
  void append(const Table& table, RankSet set, std::vector<std::size_t>& ranks) const;

  const PairBytes& bytes_;
  std::vector<Table> tables_;  ///< each needs only those before it
};

}  // namespace topowise
