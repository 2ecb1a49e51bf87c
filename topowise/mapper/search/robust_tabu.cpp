// SPDX-License-Identifier: BSD-3-Clause
// Robust tabu search: E. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17
// (1991).
//
// Facilities (facilities.hpp) are on slots. A mapping costs the sum over all pairs of facilities of their flow times
// the cost between their slots. A step exchanges the slots of two facilities. A search that only ever takes the best
// exchange which lowers the cost soon ends in a local minimum. Tabu search goes on from there: each step takes the best
// exchange even if it raises the cost, and a tabu list keeps it from going straight back.
//
// An exchange is tabu while it would bring both facilities back to slots that they left less than T steps ago. T is
// drawn anew each time from [0.9 n, 1.1 n] for n facilities (section 3): with one fixed T a search can run in a circle.
// Two exceptions. An exchange that leads to a new best is always allowed. And every n steps one is forced whose
// facilities have both not been in their new slots for a very long time (the aspiration function), so that no region is
// left out for ever.
//
// What every exchange would change is kept in a table (exchange_table.hpp). Most of its rows are passed over by their
// least entry.
#include <topowise/mapper/search/robust_tabu.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/exchange_table.hpp>

namespace topowise {
namespace {

template <class Number>
class Search {
 public:
  Search(const Instance& instance, const WholeUnits& units, const SlotOfRank& start, const ExchangeLimits& limits)
      : table_(instance, units, start),
        unit_(units.flow * units.cost),
        limits_(limits),
        random_(limits.seed),
        tabu_until_(table_.ranks() * table_.facilities(), 0),
        cost_(instance.cost_of(start)),
        best_{start, cost_} {
    // Distinct negative times, so that the aspiration does not fire for all pairs at once.
    for (std::size_t i = 0; i < tabu_until_.size(); ++i)
      tabu_until_[i] = -static_cast<std::int64_t>(i % table_.facilities());
  }

  ExchangeResult run(const Deadline& deadline) {
    if (table_.facilities() < 2) return best_;
    constexpr std::size_t kLookAtClock = 64;
    for (std::size_t step = 1; step <= limits_.iterations && best_.cost > limits_.target; ++step) {
      if (step % kLookAtClock == 0 && deadline.passed()) break;
      const FacilityPair chosen = choose(static_cast<std::int64_t>(step));
      if (chosen.i != chosen.j) exchange(chosen, static_cast<std::int64_t>(step));
    }
    return best_;
  }

 private:
  /// When the pair's return to these slots ceases to be tabu, for either facility.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> tabu_until(std::uint32_t i, std::uint32_t j) const {
    const std::int64_t mine = tabu_until_[i * table_.facilities() + table_.slots()[j]];
    return {mine, j < table_.ranks() ? tabu_until_[j * table_.facilities() + table_.slots()[i]] : mine};
  }

  FacilityPair choose(std::int64_t step) {
    const auto facilities = static_cast<std::int64_t>(table_.facilities());
    const std::int64_t longest = 5 * facilities * facilities;
    if (step > longest && step % facilities == 0) {
      if (const std::optional<FacilityPair> neglected = find_neglected(step - longest)) return *neglected;
    }
    // Looks into the row of the least entry first: few other rows hold anything better than what is allowed there.
    least_ = std::numeric_limits<Number>::infinity();
    chosen_ = {};
    const auto record = static_cast<Number>((best_.cost - cost_ - tolerance()) / unit_);
    const Number bound = table_.least();
    const std::span<const std::uint32_t> first = table_.rows_at_most(bound);
    if (first.empty()) return chosen_;
    const std::uint32_t begin = *std::ranges::min_element(first);
    least_ = bound;
    look_into(begin, step, record);
    if (chosen_.i == chosen_.j) {
      least_ = std::numeric_limits<Number>::infinity();
      look_into(begin, step, record);
    }
    for (const std::uint32_t i : table_.rows_at_most(least_)) {
      if (i != begin && table_.least(i) <= least_) look_into(i, step, record);
    }
    return chosen_;
  }

  /// Chooses, among equal entries, that of the lowest row and column, so that the order of looking makes no difference.
  void look_into(std::uint32_t i, std::int64_t step, Number record) {
    const Number* row = table_.row(i);
    for (const std::uint32_t j : table_.entries_at_most(i, least_)) {
      if (row[j] > least_) continue;
      if (row[j] == least_ && chosen_.i != chosen_.j && std::pair(chosen_.i, chosen_.j) < std::pair(i, j)) continue;
      const auto [mine, its] = tabu_until(i, j);
      if (mine >= step && its >= step && row[j] >= record) continue;
      chosen_ = {i, j};
      least_ = row[j];
    }
  }

  /// The best of the exchanges into slots that both facilities have not been in since `time`.
  [[nodiscard]] std::optional<FacilityPair> find_neglected(std::int64_t time) const {
    std::optional<FacilityPair> found;
    for (std::uint32_t i = 0; i < table_.ranks(); ++i) {
      for (std::uint32_t j = i + 1; j < table_.facilities(); ++j) {
        if (table_.row(i)[j] == std::numeric_limits<Number>::infinity()) continue;
        const auto [mine, its] = tabu_until(i, j);
        if (mine < time && its < time && (!found || table_.row(i)[j] < table_.row(found->i)[found->j])) found = {i, j};
      }
    }
    return found;
  }

  void exchange(FacilityPair pair, std::int64_t step) {
    const std::uint32_t r = pair.i;
    const std::uint32_t s = pair.j;
    const std::size_t facilities = table_.facilities();
    const auto spread = static_cast<std::uint32_t>(facilities / 5 + 1);
    const auto shortest = static_cast<std::int64_t>(facilities - facilities / 10);
    tabu_until_[r * facilities + table_.slots()[r]] = step + shortest + random_.below(spread);
    if (s < table_.ranks()) tabu_until_[s * facilities + table_.slots()[s]] = step + shortest + random_.below(spread);
    cost_ += unit_ * static_cast<double>(table_.exchange(pair));
    if (cost_ < best_.cost - tolerance()) keep();
  }

  /// By how much a lower cost must be lower; less is rounding.
  [[nodiscard]] double tolerance() const { return 1e-12 * best_.cost; }

  void keep() {
    best_.cost = cost_;
    const auto ranks = static_cast<std::ptrdiff_t>(table_.ranks());
    best_.slot_of_rank.assign(table_.slots().begin(), table_.slots().begin() + ranks);
  }

  ExchangeTable<Number> table_;
  double unit_;  ///< of the table's entries
  const ExchangeLimits& limits_;
  Random random_;
  std::vector<std::int64_t> tabu_until_;  ///< [rank][slot]
  FacilityPair chosen_;                   ///< the best pair so far in this step
  Number least_ = 0;                      ///< its change
  double cost_;
  ExchangeResult best_;
};

}  // namespace

ExchangeResult robust_tabu(const Instance& instance, const SlotOfRank& start, const ExchangeLimits& limits,
                           const Deadline& deadline) {
  const WholeUnits units = whole_units(instance);
  return units.fits_float ? Search<float>(instance, units, start, limits).run(deadline)
                          : Search<double>(instance, units, start, limits).run(deadline);
}

}  // namespace topowise
