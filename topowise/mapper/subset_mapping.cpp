// SPDX-License-Identifier: BSD-3-Clause
// In a hierarchy (hierarchy.hpp) what a subtree pays depends only on the set S of ranks below it. So
//
//     f_v(S) = g_v(S) (+) min over all ways to share S out to the children of v of (+) f_child(share)
//
// with (+) the sum for hop-bytes and the larger one for max congestion, is the least cost inside and just above the
// subtree of v if S stands there, and f_root(all ranks) is the optimum (dynamic programming over subsets, as Held and
// Karp 1962 did for tours). Children are added one after the other, so every step splits a set in two. What makes it
// fast:
//
// - Subtrees of the same form share one table. A machine 2:2:2:2 has four forms, not thirty nodes.
// - Among children of the same form the one added last may take the smallest rank of the set: any other order is the
//   same mapping with children renamed. For 16 ranks on 2:2:2:2 under two million splits stand for 16! mappings.
// - A set must fit into its subtree, and what it leaves outside must fit there: with as many ranks as places only sets
//   of one size per form are looked at.
#include <topowise/mapper/subset_mapping.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>

namespace topowise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
using Set = std::uint32_t;

/// Least cost by set of ranks. Sets of other sizes do not fit, or leave too many for the rest of the machine.
struct Table {
  std::size_t capacity = 0;
  int low = 0;
  int high = 0;
  std::vector<double> value;
};

/// A step of the plan: `result` from `left` (the children so far) and `right` (the one that is added), or, without
/// `right`, a subtree from its inside (`left`, nothing for a leaf) and what it pays for its own link.
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

class Program {
 public:
  Program(const Hierarchy& machine, std::size_t ranks)
      : machine_(machine), ranks_(static_cast<int>(ranks)), form_of_(machine.nodes.size()) {
    std::map<std::tuple<double, double, std::size_t, std::vector<std::size_t>>, std::size_t> known;
    for (std::size_t v = 0; v < machine.nodes.size(); ++v) {
      const Hierarchy::Node& node = machine.nodes[v];
      std::vector<std::size_t> children;
      for (const std::size_t child : children_by_form(v)) children.push_back(form_of_[child]);
      const auto [at, is_new] =
          known.try_emplace({node.weight_out, node.weight_in, node.capacity, children}, forms_.size());
      if (is_new) add_form(node, children);
      form_of_[v] = at->second;
    }
  }

  [[nodiscard]] double work() const {
    double splits = 0;
    for (const Step& step : steps_) {
      double sets = 1;  // binomial(ranks, size)
      for (int size = 0; size <= tables_[step.result].high; ++size) {
        if (size >= tables_[step.result].low) splits += sets * splits_of(step, size);
        sets = sets * (ranks_ - size) / (size + 1);
      }
    }
    return splits;
  }

  [[nodiscard]] std::optional<Mapping> run(const Traffic& traffic, const Deadline& deadline) {
    find_cuts(traffic);
    for (const Step& step : steps_) {
      if (!fill(step, deadline)) return std::nullopt;
    }
    std::vector<Place> place_of(traffic.ranks());
    place_set(machine_.nodes.size() - 1, all(), place_of);
    return Mapping(std::move(place_of));
  }

 private:
  [[nodiscard]] Set all() const { return static_cast<Set>((std::uint64_t{1} << ranks_) - 1); }

  [[nodiscard]] std::vector<std::size_t> children_by_form(std::size_t v) const {
    std::vector<std::size_t> children = machine_.nodes[v].children;
    std::ranges::stable_sort(children, {}, [&](std::size_t child) { return form_of_[child]; });
    return children;
  }

  std::size_t add_table(std::size_t capacity) {
    const auto room = static_cast<int>(std::min<std::size_t>(capacity, static_cast<std::size_t>(ranks_)));
    const std::size_t elsewhere = machine_.nodes.back().capacity - capacity;
    const int low = elsewhere >= static_cast<std::size_t>(ranks_) ? 0 : ranks_ - static_cast<int>(elsewhere);
    tables_.push_back({.capacity = capacity, .low = low, .high = room, .value = {}});
    return tables_.size() - 1;
  }

  std::size_t add_split(std::size_t left, std::size_t right, bool alike) {
    const std::size_t result = add_table(tables_[left].capacity + tables_[right].capacity);
    steps_.push_back({.left = left, .right = right, .alike = alike, .result = result});
    return result;
  }

  void add_form(const Hierarchy::Node& node, const std::vector<std::size_t>& children) {
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
    form.table = add_table(node.capacity);
    steps_.push_back(
        {.left = inside, .weight_out = node.weight_out, .weight_in = node.weight_in, .result = form.table});
    forms_.push_back(std::move(form));
  }

  /// out(S) and in(S) for all sets, each from the set without its smallest rank.
  void find_cuts(const Traffic& traffic) {
    const auto n = static_cast<std::size_t>(ranks_);
    std::vector<double> flow(n * n, 0.0);
    std::vector<double> sent(n, 0.0);
    std::vector<double> received(n, 0.0);
    for (const TrafficEntry& entry : traffic.entries()) {
      if (entry.source == entry.destination) continue;
      flow[entry.source.index() * n + entry.destination.index()] = entry.bytes.value();
      sent[entry.source.index()] += entry.bytes.value();
      received[entry.destination.index()] += entry.bytes.value();
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
    table.value.assign(out_.size(), kNever);
    for (Set set = 0; set <= all(); ++set) {
      const int size = sizes_[set];
      if (size < table.low || size > table.high) continue;
      if ((set & kLookAtClock) == 0 && deadline.passed()) return false;
      if (step.right) {
        table.value[set] = best_split(step, set).value;
      } else {
        const double own = joined(step.weight_out * out_[set], step.weight_in * in_[set]);
        table.value[set] = step.left ? joined(own, tables_[*step.left].value[set]) : own;
      }
    }
    return true;
  }

  [[nodiscard]] const Step& step_to(std::size_t table) const {
    return *std::ranges::find(steps_, table, &Step::result);
  }

  /// The way back: shares `set` out below node `v` as the tables say.
  void place_set(std::size_t v, Set set, std::vector<Place>& place_of) const {
    const Hierarchy::Node& node = machine_.nodes[v];
    if (node.place) {
      for (Set rest = set; rest != 0; rest &= rest - 1) place_of[std::countr_zero(rest)] = *node.place;
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
  int ranks_;
  std::vector<Table> tables_;
  std::vector<Step> steps_;  ///< in an order in which each finds its tables filled
  std::vector<Form> forms_;
  std::vector<std::size_t> form_of_;  ///< by node
  std::vector<double> out_;           ///< by set: bytes to the other ranks
  std::vector<double> in_;
  std::vector<std::uint8_t> sizes_;  ///< by set
};

}  // namespace

double subset_mapping_work(const Hierarchy& machine, std::size_t ranks) {
  return ranks <= kMostSubsetRanks ? Program(machine, ranks).work() : std::numeric_limits<double>::infinity();
}

std::optional<Mapping> subset_mapping(const Hierarchy& machine, const Traffic& traffic, const Deadline& deadline) {
  return Program(machine, traffic.ranks()).run(traffic, deadline);
}

}  // namespace topowise
