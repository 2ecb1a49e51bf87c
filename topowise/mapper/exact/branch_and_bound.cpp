// SPDX-License-Identifier: BSD-3-Clause
// Depth-first branch and bound. A branch has some ranks placed and a Relaxation of the rest. Its bound is raised by
// dual ascent as long as that pays; then all children are bounded, and those that cannot hold a better mapping are
// ruled out. The branch is split by the rank, or by the slot, that leaves the fewest children; the cheapest child goes
// first.
//
// Symmetry, of both sides. Let G be the automorphisms of the slots' costs that keep the occupied slots where they are.
// If g in G carries slot a to b, then rank i on a and rank i on b lead to the same costs, and one of them is enough.
// The same holds for the automorphisms of the flows that keep the placed ranks, when a slot is split by ranks. Each
// branch may choose either: both groups leave everything that was placed above as it is.
//
// Fixed ranks are placed above the root, so that of all symmetries those remain that keep them. Where ranks have loads,
// a place has a slot for each rank that it may have to hold, and each branch rules out what its places cannot bear any
// more; automorphisms keep loads, and carry all slots of a place to those of one that bears as much.
#include <topowise/mapper/exact/branch_and_bound.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <topowise/mapper/bound/dual_ascent.hpp>
#include <topowise/mapper/exact/slot_symmetry.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/matrix_symmetry.hpp>

namespace topowise {
namespace {

constexpr double kNothingOpen = std::numeric_limits<double>::infinity();

/// Flows, with loads on the diagonal.
std::vector<double> flows_and_loads(const Instance& instance, const Restrictions& restrictions) {
  std::vector<double> matrix = instance.flow;
  for (std::size_t i = 0; i < restrictions.loads.size(); ++i) matrix[i * instance.ranks + i] = restrictions.loads[i];
  return matrix;
}

std::vector<std::int64_t> bearable_by_slot(const Instance& instance, const Restrictions& restrictions) {
  std::vector<std::int64_t> bearable;
  if (restrictions.loads.empty()) return bearable;
  for (const Place place : instance.place_of_slot) bearable.push_back(restrictions.bearable[place.index()]);
  return bearable;
}

class Search {
 public:
  Search(const Instance& instance, const Restrictions& restrictions, SlotOfRank start, std::size_t branches,
         const Deadline& deadline)
      : instance_(instance),
        restrictions_(restrictions),
        deadline_(deadline),
        branches_left_(branches),
        symmetry_of_ranks_(flows_and_loads(instance, restrictions), instance.ranks),
        symmetry_of_slots_(symmetry_of_slots(instance, bearable_by_slot(instance, restrictions))),
        levels_(instance.ranks + 1),
        slot_of_rank_(instance.ranks),
        bearable_(restrictions.bearable) {
    result_.cost = instance.cost_of(start);
    result_.slot_of_rank = std::move(start);
  }

  SearchResult run() {
    levels_[0].relaxation = Relaxation::whole(instance_);
    for (const auto& [rank, slot] : restrictions_.fixed) {
      const Relaxation before = levels_[0].relaxation;
      const auto i = std::ranges::find(before.rank, rank) - before.rank.begin();
      const auto j = std::ranges::find(before.slot, slot) - before.slot.begin();
      before.make_child(static_cast<std::size_t>(i), static_cast<std::size_t>(j), levels_[0].relaxation);
      place(rank, slot);
    }
    const double open = explore(0);
    result_.lower_bound = std::min(result_.cost, open);
    return result_;
  }

 private:
  struct Choice {
    std::size_t i = 0;  ///< positions in the relaxation
    std::size_t j = 0;
    double bound = 0;
  };
  struct Level {
    Relaxation relaxation;
    std::vector<double> child_bounds;  ///< [i][j]
    std::vector<Choice> children;
    bool ranks_alike = true;  ///< some automorphism is left
    bool slots_alike = true;
    std::vector<std::uint32_t> rank_representative;
    std::vector<std::uint32_t> slot_representative;
  };

  /// A bound that reaches this leaves nothing for a better mapping: costs come in steps, and sums of them are rounded.
  [[nodiscard]] double limit() const {
    const double rounding = kRoundingOfSums * result_.cost;
    return instance_.step > 0
               ? result_.cost - instance_.step + std::min(1e-6 * instance_.step + rounding, instance_.step / 2)
               : result_.cost - rounding;
  }

  [[nodiscard]] bool out_of_time() {
    if (stopped_) return true;
    if (branches_left_ == 0 || deadline_.passed()) return stopped_ = true;
    --branches_left_;
    ++result_.branches;
    return false;
  }

  /// Searches below the branch at `depth`. Returns a lower bound of what was not searched, infinity if nothing is left.
  double explore(std::size_t depth) {
    Relaxation& branch = levels_[depth].relaxation;
    if (out_of_time()) return branch.bound();
    if (branch.rank.empty()) {
      record();
      return kNothingOpen;
    }
    rule_out_overload(branch);
    if (!raise_bound(branch) || !bound_children(depth)) return kNothingOpen;
    find_symmetry(depth);
    choose_children(depth);
    return explore_children(depth);
  }

  double explore_children(std::size_t depth) {
    Level& level = levels_[depth];
    double open = kNothingOpen;
    for (std::size_t c = 0; c < level.children.size(); ++c) {
      const Choice child = level.children[c];
      if (child.bound >= limit()) continue;
      if (stopped_) {
        open = std::min(open, child.bound);
        continue;
      }
      const std::uint32_t rank = level.relaxation.rank[child.i];
      const std::uint32_t slot = level.relaxation.slot[child.j];
      level.relaxation.make_child(child.i, child.j, levels_[depth + 1].relaxation);
      levels_[depth + 1].ranks_alike = level.ranks_alike;
      levels_[depth + 1].slots_alike = level.slots_alike;
      place(rank, slot);
      open = std::min(open, std::max(child.bound, explore(depth + 1)));
      take_back(rank, slot);
    }
    return open;
  }

  void place(std::uint32_t rank, std::uint32_t slot) {
    slot_of_rank_[rank] = slot;
    placed_ranks_.push_back(rank);
    taken_slots_.push_back(slot);
    if (!bearable_.empty()) bearable_[instance_.place_of_slot[slot].index()] -= restrictions_.loads[rank];
  }

  void take_back(std::uint32_t rank, std::uint32_t slot) {
    placed_ranks_.pop_back();
    taken_slots_.pop_back();
    if (!bearable_.empty()) bearable_[instance_.place_of_slot[slot].index()] += restrictions_.loads[rank];
  }

  void rule_out_overload(Relaxation& branch) const {
    if (bearable_.empty()) return;
    for (std::size_t i = 0; i < branch.rank.size(); ++i) {
      for (std::size_t j = 0; j < branch.slot.size(); ++j) {
        const std::size_t place = instance_.place_of_slot[branch.slot[j]].index();
        if (restrictions_.loads[branch.rank[i]] > bearable_[place]) branch.rule_out(i, j);
      }
    }
  }

  void record() {
    const double cost = instance_.cost_of(slot_of_rank_);
    if (cost >= result_.cost) return;
    result_.cost = cost;
    result_.slot_of_rank = slot_of_rank_;
  }

  /// Raises the bound as long as it would reach the limit within a few more rounds. Returns false if nothing better can
  /// be below.
  bool raise_bound(Relaxation& branch) {
    const bool at_root = placed_ranks_.size() == restrictions_.fixed.size();
    const int most_rounds = at_root ? kRoundsAtRoot : kRounds;
    double before = branch.bound();
    for (int round = 0; round < most_rounds; ++round) {
      if (!branch.ascend(limit(), assignment_)) return false;
      const double gained = branch.bound() - before;
      before = branch.bound();
      if (round > 0 && gained * kWorthRounds < limit() - before) break;
      if (deadline_.passed()) break;
    }
    return true;
  }

  /// Returns false if no child is left.
  bool bound_children(std::size_t depth) {
    Level& level = levels_[depth];
    Relaxation& branch = level.relaxation;
    const std::size_t m = branch.slot.size();
    level.child_bounds.assign(branch.rank.size() * m, kNothingOpen);
    for (std::size_t i = 0; i < branch.rank.size(); ++i) {
      bool any = false;
      for (std::size_t j = 0; j < m; ++j) {
        if (branch.is_out(i, j)) continue;
        const double bound = branch.child_bound(i, j, limit(), assignment_);
        if (bound >= limit()) {
          branch.rule_out(i, j);
        } else {
          level.child_bounds[i * m + j] = bound;
          any = true;
        }
      }
      if (!any) return false;
    }
    return true;
  }

  void find_symmetry(std::size_t depth) {
    Level& level = levels_[depth];
    const auto find = [](const Symmetry& symmetry, std::span<const std::uint32_t> fixed, bool& alike,
                         std::vector<std::uint32_t>& representative) {
      if (!alike) return;  // no automorphism is left further down either
      representative = symmetry.representatives(fixed);
      alike = false;
      for (std::uint32_t a = 0; a < representative.size(); ++a) alike = alike || representative[a] != a;
    };
    find(symmetry_of_ranks_, placed_ranks_, level.ranks_alike, level.rank_representative);
    find(symmetry_of_slots_, taken_slots_, level.slots_alike, level.slot_representative);
  }

  /// Chooses one child of each orbit, for the rank or slot that has the fewest such children. A slot may stay empty if
  /// there are more slots than ranks: then only ranks are branched on.
  void choose_children(std::size_t depth) {
    Level& level = levels_[depth];
    const Relaxation& branch = level.relaxation;
    const std::size_t n = branch.rank.size();
    const std::size_t m = branch.slot.size();
    level.children.clear();
    double sum_of_best = 0;
    const auto consider = [&](std::vector<Choice>&& children) {
      double sum = 0;
      for (const Choice& child : children) sum += child.bound;
      const bool first = level.children.empty();
      if (!first &&
          (children.size() > level.children.size() || (children.size() == level.children.size() && sum <= sum_of_best)))
        return;
      level.children = std::move(children);
      sum_of_best = sum;
    };
    for (std::size_t i = 0; i < n; ++i) consider(children_of(level, i, true));
    for (std::size_t j = 0; j < m && n == m; ++j) consider(children_of(level, j, false));
    std::ranges::stable_sort(level.children, {}, &Choice::bound);
  }

  std::vector<Choice> children_of(const Level& level, std::size_t line, bool of_rank) {
    const Relaxation& branch = level.relaxation;
    const std::size_t m = branch.slot.size();
    const std::vector<std::uint32_t>& across = of_rank ? branch.slot : branch.rank;
    const std::vector<std::uint32_t>& alike = of_rank ? level.slot_representative : level.rank_representative;
    const bool use_symmetry = of_rank ? level.slots_alike : level.ranks_alike;
    std::vector<Choice> children;
    seen_.assign(std::max(instance_.ranks, instance_.slots), 0);
    for (std::size_t k = 0; k < across.size(); ++k) {
      const std::size_t i = of_rank ? line : k;
      const std::size_t j = of_rank ? k : line;
      const double bound = level.child_bounds[i * m + j];
      const std::uint32_t orbit = use_symmetry ? alike[across[k]] : across[k];
      // If one of an orbit is ruled out, then so are the others, whether their bounds show it or not.
      if (bound == kNothingOpen) {
        std::erase_if(children, [&](const Choice& c) {
          const std::size_t member = across[of_rank ? c.j : c.i];
          return use_symmetry && alike[member] == orbit;
        });
        seen_[orbit] = 1;
      } else if (seen_[orbit] == 0) {
        children.push_back({i, j, bound});
        seen_[orbit] = 1;
      }
    }
    return children;
  }

  // Measured on nug12..16, had12..16, esc16: more rounds a branch save branches, but no time.
  static constexpr int kRoundsAtRoot = 60;
  static constexpr int kRounds = 3;
  static constexpr double kWorthRounds = 12;  ///< a bound that would need more rounds than that is left to the children
  const Instance& instance_;
  const Restrictions& restrictions_;
  const Deadline& deadline_;
  std::size_t branches_left_;
  bool stopped_ = false;
  Symmetry symmetry_of_ranks_;
  Symmetry symmetry_of_slots_;
  Assignment assignment_;
  std::vector<Level> levels_;
  SlotOfRank slot_of_rank_;
  std::vector<std::uint32_t> placed_ranks_;
  std::vector<std::uint32_t> taken_slots_;
  std::vector<std::int64_t> bearable_;  ///< by place: load that it can still bear
  std::vector<char> seen_;
  SearchResult result_;
};

}  // namespace

SearchResult branch_and_bound(const Instance& instance, const Restrictions& restrictions, SlotOfRank start,
                              std::size_t branches, const Deadline& deadline) {
  return Search(instance, restrictions, std::move(start), branches, deadline).run();
}

}  // namespace topowise
