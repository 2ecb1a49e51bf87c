// SPDX-License-Identifier: BSD-3-Clause
// In a hierarchy (hierarchy.hpp) what a subtree pays depends only on the set S of ranks below it. So
//
//     f_v(S) = g_v(S) (+) min over all ways to share S out to the children of v of (+) f_child(share)
//
// with (+) the sum for hop-bytes and the larger one for max congestion, is the least cost inside and just above the
// subtree of v if S is there, and f_root(all ranks) is the optimum (dynamic programming over subsets, as Held and
// Karp 1962 did for tours). Children are added one after the other, so every step splits a set in two. What makes it
// fast:
//
// - Subtrees of the same form share one table. A machine 2:2:2:2 has four forms, not thirty nodes.
// - Among children of the same form the one added last may take the smallest rank of the set: any other order is the
//   same mapping with children renamed. For 16 ranks on 2:2:2:2 under two million splits stand for 16! mappings.
// - A set must fit into its subtree, and what it leaves outside must fit there: with as many ranks as places only sets
//   of one size per form are looked at.
//
// Constraints make the tables smaller. Tables are over sets of those ranks that are not fixed; a subtree in which ranks
// are fixed has a form of its own, and they belong to every set there. Where ranks have loads, a set fits by its load.
#include <topowise/mapper/exact/subset_mapping.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace topowise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
using Set = std::uint32_t;

/// The least cost by set of free ranks, for sets of `low` to `high` ranks. Sets of other sizes do not fit, or leave too
/// many ranks for the rest of the machine.
struct Table {
  std::int64_t capacity = 0;  ///< for free ranks
  Set fixed = 0;              ///< ranks that are always there
  int low = 0;
  int high = 0;
  std::vector<double> value;
};

/// A step of the plan. It makes `result` from `left` (the children so far) and `right` (the child that is added).
/// Without `right` it makes a subtree from its inside (`left`, nothing for a leaf) and what it pays for its own link.
struct Step {
  std::optional<std::size_t> left;
  std::optional<std::size_t> right;
  bool alike = false;  ///< all children in `left` have the form of `right`
  double weight_out = 0;
  double weight_in = 0;
  std::size_t result = 0;
};

/// A kind of subtree. Its children are taken in runs of the same form.
struct Form {
  struct Run {
    std::vector<std::size_t> tables;  ///< [k]: k + 1 children of the run
    std::size_t child = 0;            ///< table of one child
  };
  std::vector<Run> runs;
  std::vector<std::size_t> joined;  ///< [k]: the first k + 1 runs
  std::size_t table = 0;
};

/// The plan and its tables. The bits of a set are the free ranks in order, then the fixed ones.
class Program {
 public:
  Program(const Hierarchy& machine, const MapProblem& problem)
      : machine_(machine), problem_(problem), form_of_(machine.nodes.size()), capacity_(machine.nodes.size(), 0) {
    number_ranks();
    find_capacities();
    std::map<std::tuple<double, double, std::int64_t, Set, std::vector<std::size_t>>, std::size_t> known;
    for (std::size_t v = 0; v < machine.nodes.size(); ++v) {
      const Hierarchy::Node& node = machine.nodes[v];
      std::vector<std::size_t> children;
      for (const std::size_t child : children_by_form(v)) children.push_back(form_of_[child]);
      const auto [at, is_new] =
          known.try_emplace({node.weight_out, node.weight_in, capacity_[v], fixed_on(node), children}, forms_.size());
      if (is_new) add_form(v, children);
      form_of_[v] = at->second;
    }
  }

  [[nodiscard]] double bytes() const {
    const double sets = std::exp2(free_);
    return sets * sizeof(double) * static_cast<double>(tables_.size()) +
           2 * sizeof(double) * std::exp2(rank_of_bit_.size());
  }

  [[nodiscard]] double work() const {
    double splits = 0;
    for (const Step& step : steps_) {
      double sets = 1;  // binomial(ranks, size)
      for (int size = 0; size <= tables_[step.result].high; ++size) {
        if (size >= tables_[step.result].low) splits += sets * splits_of(step, size);
        sets = sets * (free_ - size) / (size + 1);
      }
    }
    return splits;
  }

  [[nodiscard]] std::optional<Mapping> run(const Deadline& deadline) {
    find_cuts(problem_.traffic);
    find_loads();
    for (const Step& step : steps_) {
      if (!fill(step, deadline)) return std::nullopt;
    }
    const std::size_t root = machine_.nodes.size() - 1;
    if (tables_[forms_[form_of_[root]].table].value[all()] == kNever) return std::nullopt;  // loads that do not fit
    std::vector<Place> place_of(problem_.traffic.ranks());
    for (const auto& [rank, place] : problem_.fixed) place_of[rank.index()] = place;
    place_set(root, all(), place_of);
    return Mapping(std::move(place_of));
  }

 private:
  [[nodiscard]] Set all() const { return static_cast<Set>((std::uint64_t{1} << free_) - 1); }

  void number_ranks() {
    const std::size_t n = problem_.traffic.ranks();
    std::vector<bool> is_fixed(n, false);
    for (const FixedRank& fixed : problem_.fixed) is_fixed[fixed.rank.index()] = true;
    for (std::size_t r = 0; r < n; ++r) {
      if (!is_fixed[r]) rank_of_bit_.push_back(r);
    }
    free_ = static_cast<int>(rank_of_bit_.size());
    for (const std::size_t rank : rank_of_bit_) lightest_.push_back(load_of(problem_, rank));
    std::ranges::sort(lightest_);
    std::partial_sum(lightest_.begin(), lightest_.end(), lightest_.begin());
    free_load_ = lightest_.empty() ? 0 : lightest_.back();
    for (const FixedRank& fixed : problem_.fixed) rank_of_bit_.push_back(fixed.rank.index());
  }

  /// The set of the ranks that are fixed on a leaf.
  [[nodiscard]] Set fixed_on(const Hierarchy::Node& node) const {
    Set set = 0;
    for (std::size_t f = 0; f < problem_.fixed.size(); ++f) {
      if (problem_.fixed[f].place == node.place) set |= Set{1} << (static_cast<std::size_t>(free_) + f);
    }
    return set;
  }

  void find_capacities() {
    for (std::size_t v = 0; v < machine_.nodes.size(); ++v) {
      const Hierarchy::Node& node = machine_.nodes[v];
      if (node.place) capacity_[v] = static_cast<std::int64_t>(node.capacity);
      for (const FixedRank& fixed : problem_.fixed)
        capacity_[v] -= fixed.place == node.place ? load_of(problem_, fixed.rank.index()) : 0;
      for (const std::size_t child : node.children) capacity_[v] += capacity_[child];
    }
  }

  /// How many free ranks fit at most, if the lightest are taken.
  [[nodiscard]] int most_within(std::int64_t capacity) const {
    return static_cast<int>(std::ranges::upper_bound(lightest_, capacity) - lightest_.begin());
  }

  [[nodiscard]] std::vector<std::size_t> children_by_form(std::size_t v) const {
    std::vector<std::size_t> children = machine_.nodes[v].children;
    std::ranges::stable_sort(children, {}, [&](std::size_t child) { return form_of_[child]; });
    return children;
  }

  std::size_t add_table(std::int64_t capacity, Set fixed) {
    const int low = free_ - most_within(capacity_.back() - capacity);
    tables_.push_back({.capacity = capacity, .fixed = fixed, .low = low, .high = most_within(capacity), .value = {}});
    return tables_.size() - 1;
  }

  std::size_t add_split(std::size_t left, std::size_t right, bool alike) {
    const std::size_t result =
        add_table(tables_[left].capacity + tables_[right].capacity, tables_[left].fixed | tables_[right].fixed);
    steps_.push_back({.left = left, .right = right, .alike = alike, .result = result});
    return result;
  }

  void add_form(std::size_t v, const std::vector<std::size_t>& children) {
    const Hierarchy::Node& node = machine_.nodes[v];
    Form form;
    for (std::size_t c = 0; c < children.size(); ++c) {
      const std::size_t child = forms_[children[c]].table;
      if (c > 0 && children[c] == children[c - 1]) {
        std::vector<std::size_t>& tables = form.runs.back().tables;
        tables.push_back(add_split(tables.back(), child, true));
      } else {
        form.runs.push_back({.tables = {child}, .child = child});
      }
    }
    for (const Form::Run& run : form.runs) {
      const std::size_t whole = run.tables.back();
      form.joined.push_back(form.joined.empty() ? whole : add_split(form.joined.back(), whole, false));
    }
    std::optional<std::size_t> inside;
    if (!form.joined.empty()) inside = form.joined.back();
    form.table = add_table(capacity_[v], inside ? tables_[*inside].fixed : fixed_on(node));
    steps_.push_back(
        {.left = inside, .weight_out = node.weight_out, .weight_in = node.weight_in, .result = form.table});
    forms_.push_back(std::move(form));
  }

  /// out(S) and in(S) for all sets, each from the set without its smallest rank.
  void find_cuts(const Traffic& traffic) {
    const std::size_t n = rank_of_bit_.size();
    std::vector<std::size_t> bit_of(n);
    for (std::size_t bit = 0; bit < n; ++bit) bit_of[rank_of_bit_[bit]] = bit;
    std::vector<double> flow(n * n, 0.0);
    std::vector<double> sent(n, 0.0);
    std::vector<double> received(n, 0.0);
    for (const TrafficEntry& entry : traffic.entries()) {
      if (entry.source == entry.destination) continue;
      const std::size_t source = bit_of[entry.source.index()];
      const std::size_t destination = bit_of[entry.destination.index()];
      flow[source * n + destination] = entry.bytes.value();
      sent[source] += entry.bytes.value();
      received[destination] += entry.bytes.value();
    }
    out_.assign(std::size_t{1} << n, 0.0);
    in_.assign(std::size_t{1} << n, 0.0);
    sizes_.assign(std::size_t{1} << n, 0);
    for (std::size_t set = 1; set < out_.size(); ++set) {
      const auto rank = static_cast<std::size_t>(std::countr_zero(set));
      const std::size_t others = set & (set - 1);
      sizes_[set] = static_cast<std::uint8_t>(sizes_[others] + 1);
      double among = 0;  // no longer crosses the border of the set, in either direction
      for (std::size_t rest = others; rest != 0; rest &= rest - 1) {
        const auto other = static_cast<std::size_t>(std::countr_zero(rest));
        among += flow[rank * n + other] + flow[other * n + rank];
      }
      out_[set] = out_[others] + sent[rank] - among;
      in_[set] = in_[others] + received[rank] - among;
    }
  }

  void find_loads() {
    if (problem_.loads.empty()) return;
    loads_.assign(std::size_t{1} << free_, 0);
    for (std::size_t set = 1; set < loads_.size(); ++set) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(set));
      loads_[set] = loads_[set & (set - 1)] + load_of(problem_, rank_of_bit_[bit]);
    }
  }

  /// True if the set fits there and the other free ranks fit elsewhere.
  [[nodiscard]] bool fits(const Table& table, Set set) const {
    const int size = sizes_[set];
    if (size < table.low || size > table.high) return false;
    return loads_.empty() ||
           (loads_[set] <= table.capacity && free_load_ - loads_[set] <= capacity_.back() - table.capacity);
  }

  [[nodiscard]] double joined(double a, double b) const { return machine_.adds ? a + b : std::max(a, b); }

  struct Sizes {
    int low;
    int high;
  };
  /// How many of a set of `size` may go to the right table.
  [[nodiscard]] Sizes right_sizes(const Step& step, int size) const {
    const Table& left = tables_[*step.left];
    const Table& right = tables_[*step.right];
    return {std::max(right.low, size - left.high), std::min(right.high, size - left.low)};
  }

  [[nodiscard]] double splits_of(const Step& step, int size) const {
    if (!step.right) return 1;
    const Sizes sizes = right_sizes(step, size);
    const int taken = step.alike && size > 0 ? 1 : 0;
    if (sizes.high < sizes.low) return 0;
    return sizes.high <= taken ? 1 : static_cast<double>(std::uint64_t{1} << (size - taken));
  }

  struct Split {
    double value = kNever;
    Set right = 0;
  };
  [[nodiscard]] Split best_split(const Step& step, Set set) const {
    const std::vector<double>& left = tables_[*step.left].value;
    const std::vector<double>& right = tables_[*step.right].value;
    const Set taken = step.alike ? set & (~set + 1) : 0;
    const Sizes sizes = right_sizes(step, sizes_[set]);
    const int low = sizes.low - (taken != 0 ? 1 : 0);
    const int high = sizes.high - (taken != 0 ? 1 : 0);
    const Set free = set ^ taken;
    Split best;
    if (high < 0) return best;
    for (Set part = high == 0 ? 0 : free;; part = (part - 1) & free) {
      const int size = sizes_[part];
      if (size >= low && size <= high) {
        const double value = joined(left[free ^ part], right[taken | part]);
        if (value < best.value) best = {value, taken | part};
      }
      if (part == 0) return best;
    }
  }

  bool fill(const Step& step, const Deadline& deadline) {
    constexpr Set kLookAtClock = 1023;
    Table& table = tables_[step.result];
    table.value.assign(std::size_t{all()} + 1, kNever);
    for (Set set = 0; set <= all(); ++set) {
      if ((set & kLookAtClock) == 0 && deadline.passed()) return false;
      if (!fits(table, set)) continue;
      if (step.right) {
        table.value[set] = best_split(step, set).value;
      } else {
        const Set there = set | table.fixed;
        const double own = joined(step.weight_out * out_[there], step.weight_in * in_[there]);
        table.value[set] = step.left ? joined(own, tables_[*step.left].value[set]) : own;
      }
    }
    return true;
  }

  [[nodiscard]] const Step& step_to(std::size_t table) const {
    return *std::ranges::find(steps_, table, &Step::result);
  }

  /// Goes the way back: shares `set` out below node `v` as the tables say.
  void place_set(std::size_t v, Set set, std::vector<Place>& place_of) const {
    const Hierarchy::Node& node = machine_.nodes[v];
    if (node.place) {
      for (Set rest = set; rest != 0; rest &= rest - 1)
        place_of[rank_of_bit_[static_cast<std::size_t>(std::countr_zero(rest))]] = *node.place;
      return;
    }
    const Form& form = forms_[form_of_[v]];
    std::vector<std::size_t> children = children_by_form(v);
    for (std::size_t r = form.runs.size(); r > 0; --r) {
      const Form::Run& run = form.runs[r - 1];
      Set in_run = set;
      if (r > 1) in_run = best_split(step_to(form.joined[r - 1]), set).right;
      set ^= in_run;
      for (std::size_t k = run.tables.size(); k > 0; --k) {
        Set share = in_run;
        if (k > 1) share = best_split(step_to(run.tables[k - 1]), in_run).right;
        in_run ^= share;
        place_set(children.back(), share, place_of);
        children.pop_back();
      }
    }
  }

  const Hierarchy& machine_;
  const MapProblem& problem_;
  int free_ = 0;                          ///< ranks that are not fixed
  std::int64_t free_load_ = 0;            ///< of all of them
  std::vector<std::size_t> rank_of_bit_;  ///< the free ones first
  std::vector<std::int64_t> lightest_;    ///< [k]: load of the k + 1 lightest free ranks
  std::vector<Table> tables_;
  std::vector<Step> steps_;  ///< in an order in which each finds its tables filled
  std::vector<Form> forms_;
  std::vector<std::size_t> form_of_;    ///< by node
  std::vector<std::int64_t> capacity_;  ///< by node, for free ranks
  std::vector<double> out_;             ///< by set: bytes to the other ranks
  std::vector<double> in_;
  std::vector<std::uint8_t> sizes_;  ///< by set
  std::vector<std::int64_t> loads_;  ///< by set of free ranks; empty where all weigh 1
};

}  // namespace

double subset_mapping_work(const Hierarchy& machine, const MapProblem& problem) {
  constexpr double kNeverFits = std::numeric_limits<double>::infinity();
  constexpr double kMostBytes = 1 << 30;
  if (problem.traffic.ranks() > kMostSubsetRanks) return kNeverFits;
  const Program program(machine, problem);
  return program.bytes() <= kMostBytes ? program.work() : kNeverFits;
}

std::optional<Mapping> subset_mapping(const Hierarchy& machine, const MapProblem& problem, const Deadline& deadline) {
  return Program(machine, problem).run(deadline);
}

}  // namespace topowise
