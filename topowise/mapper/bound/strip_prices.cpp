// SPDX-License-Identifier: BSD-3-Clause
// What groups of n cells can keep of a strip of W columns and L rows. With n_i cells in column i a group keeps at most
// n_i - 1 edges of that column, and min(n_i, n_i+1) between two. So only the counts matter, and how many groups have
// which counts is a linear program:
//
//   most of  sum of kept(c) x_c   over all counts c of n cells,   where   sum of c_i x_c = L   for each column i.
//
// Its dual solution prices the cells of a column: no group keeps more than its cells cost, and all prices together
// bound what all groups keep. Whole lines and boxes are not needed for that, so it holds where the entropies of
// product_bound can only be reached by boxes with fractions of ranks. The simplex method solves it; dynamic programming
// over the columns finds the counts that are worth more than their prices (column generation: Gilmore and Gomory 1961).
// Should it be stopped early, the prices are raised until none is.
//
// A cell stands for k ranks, and a group might hold some of them only. Cut it into its k slices, of n_1 .. n_k cells, n
// on the average. A slice of m cells keeps at most h(m) more than it costs, with h(n) = 0; but slices of different
// sizes part the ranks of cells: at least hold / 2 for each cell that the largest has and the smallest has not. If for
// some c
//   h(m) - c (m - n) <= hold / (2 k) (|m - n| + 1)    for all m /= n,
// the k slices together keep no more than they cost, whatever their sizes.
#include <topowise/mapper/bound/strip_prices.hpp>

#include <algorithm>
#include <limits>
#include <span>

namespace topowise {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

using Counts = std::vector<std::size_t>;  ///< cells in each column

/// How much more sets of cells keep than they cost.
class Surplus {
 public:
  Surplus(const Strip& strip, std::span<const double> prices, std::size_t most)
      : strip_(strip), prices_(prices), most_(most), best_(columns() * (most + 1) * (most + 1), kNever) {
    for (std::size_t column = 0; column < columns(); ++column) add(column);
  }

  /// The largest surplus of sets of `cells` cells, however the cells are connected.
  [[nodiscard]] double of(std::size_t cells) const {
    double most = kNever;
    for (std::size_t here = 0; here <= cells; ++here) most = std::max(most, at(columns() - 1, here, cells));
    // Here a set that goes round a cycle lacks one pair of columns, one of which has at most its share of cells.
    const std::size_t round = strip_.across.is_cycle ? cells / columns() : 0;
    return most + strip_.across.weight * static_cast<double>(round);
  }

  /// A set that has the largest surplus.
  [[nodiscard]] Counts counts_of(std::size_t cells) const {
    Counts counts(columns(), 0);
    std::size_t here = 0;
    for (std::size_t a = 0; a <= cells; ++a) {
      if (at(columns() - 1, a, cells) > at(columns() - 1, here, cells)) here = a;
    }
    for (std::size_t column = columns(); column-- > 0;) {
      counts[column] = here;
      cells -= here;
      if (column > 0) here = best_before(column, here, cells);
    }
    return counts;
  }

 private:
  [[nodiscard]] std::size_t columns() const { return strip_.columns(); }
  /// The surplus of sets in the columns up to `column`: `here` cells are in that column, `all` in all columns.
  [[nodiscard]] double& at(std::size_t column, std::size_t here, std::size_t all) {
    return best_[(column * (most_ + 1) + here) * (most_ + 1) + all];
  }
  [[nodiscard]] double at(std::size_t column, std::size_t here, std::size_t all) const {
    return best_[(column * (most_ + 1) + here) * (most_ + 1) + all];
  }

  [[nodiscard]] double with_before(std::size_t column, std::size_t here, std::size_t before, std::size_t all) const {
    return at(column - 1, before, all) + strip_.across.weight * static_cast<double>(std::min(here, before));
  }
  [[nodiscard]] std::size_t best_before(std::size_t column, std::size_t here, std::size_t all) const {
    std::size_t best = 0;
    for (std::size_t before = 1; before <= all; ++before) {
      if (with_before(column, here, before, all) > with_before(column, here, best, all)) best = before;
    }
    return best;
  }

  void add(std::size_t column) {
    const std::size_t rows = strip_.rows();
    for (std::size_t here = 0; here <= std::min(most_, rows); ++here) {
      const bool open = here > 0 && !(strip_.along.is_cycle && here == rows);
      const double own = strip_.along.weight * static_cast<double>(here - (open ? 1 : 0)) -
                         prices_[column] * static_cast<double>(here);
      for (std::size_t all = here; all <= most_; ++all) {
        const std::size_t others = all - here;
        if (column == 0 && others > 0) continue;
        const double before = column == 0 ? 0 : with_before(column, here, best_before(column, here, others), others);
        at(column, here, all) = before + own;
      }
    }
  }

  const Strip& strip_;
  std::span<const double> prices_;
  std::size_t most_;
  std::vector<double> best_;
};

/// The linear program over the counts that were found so far, for one row of the strip.
class Division {
 public:
  explicit Division(const Strip& strip) : size_(strip.columns()) {
    const auto cells = static_cast<double>(strip.cells);
    for (std::size_t i = 0; i < size_; ++i) {
      inverse_.emplace_back(size_, 0.0)[i] = 1 / cells;
      used_.push_back(1 / cells);
      kept_.push_back(strip.along.weight * (cells - 1));
    }
  }

  [[nodiscard]] std::vector<double> prices() const {
    std::vector<double> prices(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) prices[j] += kept_[i] * inverse_[i][j];
    }
    return prices;
  }

  /// Takes `counts` into use instead of those that run out first.
  void enter(const Counts& counts, double kept) {
    std::vector<double> instead(size_, 0.0);
    std::size_t out = size_;
    double share = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) instead[i] += inverse_[i][j] * static_cast<double>(counts[j]);
      if (instead[i] <= 1e-9 || used_[i] >= share * instead[i]) continue;
      share = used_[i] / instead[i];
      out = i;
    }
    if (out == size_) return;
    for (std::size_t i = 0; i < size_; ++i) used_[i] = std::max(0.0, used_[i] - share * instead[i]);
    for (double& entry : inverse_[out]) entry /= instead[out];
    for (std::size_t i = 0; i < size_; ++i) {
      if (i == out) continue;
      for (std::size_t j = 0; j < size_; ++j) inverse_[i][j] -= instead[i] * inverse_[out][j];
    }
    used_[out] = share;
    kept_[out] = kept;
  }

 private:
  std::size_t size_;
  std::vector<std::vector<double>> inverse_;  ///< of the counts in use: one row each
  std::vector<double> used_;                  ///< how often each of them is used
  std::vector<double> kept_;                  ///< bytes that one of each keeps
};

bool fits(const Strip& strip, std::size_t cells) {
  constexpr double kMostSteps = 3e7;
  const auto side = static_cast<double>(cells + 1);
  return static_cast<double>(strip.columns()) * side * side * side <= kMostSteps;
}

std::vector<double> prices_by_columns(const Strip& strip) {
  constexpr double kExact = 1e-11;
  Division division(strip);
  std::vector<double> prices = division.prices();
  const double scale = strip.across.weight + strip.along.weight;
  const std::size_t most_rounds = 64 * strip.columns();
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const Surplus surplus(strip, prices, strip.cells);
    if (surplus.of(strip.cells) <= kExact * scale) break;
    const Counts counts = surplus.counts_of(strip.cells);
    double kept = surplus.of(strip.cells);
    for (std::size_t i = 0; i < counts.size(); ++i) kept += prices[i] * static_cast<double>(counts[i]);
    division.enter(counts, kept);
    prices = division.prices();
  }
  return prices;
}

/// The most cells that a slice of a group can have.
std::size_t largest_slice(const Strip& strip) {
  return std::min(strip.cells * strip.ranks_of_a_cell, strip.columns() * strip.rows());
}

/// True if no group keeps more by holding parts of cells.
bool cells_stay_whole(const Strip& strip, std::span<const double> prices) {
  if (strip.ranks_of_a_cell == 1) return true;
  const std::size_t most = largest_slice(strip);
  const Surplus surplus(strip, prices, most);
  const double hold = strip.hold / (2 * static_cast<double>(strip.ranks_of_a_cell));
  double least = kNever;
  double largest = -kNever;
  for (std::size_t m = 0; m <= most; ++m) {
    const double more = static_cast<double>(m) - static_cast<double>(strip.cells);
    if (more > 0) least = std::max(least, (surplus.of(m) - hold * (more + 1)) / more);
    if (more < 0) largest = std::min(largest, (hold * (1 - more) - surplus.of(m)) / -more);
  }
  return least <= largest;
}

}  // namespace

std::optional<std::vector<double>> strip_prices(const Strip& strip) {
  if (!fits(strip, largest_slice(strip))) return std::nullopt;
  std::vector<double> prices =
      strip.across.is_cycle ? std::vector<double>(strip.columns(), 0.0) : prices_by_columns(strip);
  const double missing = Surplus(strip, prices, strip.cells).of(strip.cells) / static_cast<double>(strip.cells);
  for (double& price : prices) price += missing;
  return prices;
}

double strip_cut(const Product& product, std::size_t ranks, std::size_t group) {
  constexpr double kRounding = 1 + 1e-13;
  double cut = 0;
  if (ranks % group != 0) return cut;
  for (const Strip& strip : strips_of(product, group)) {
    const std::optional<std::vector<double>> prices = strip_prices(strip);
    if (!prices || !cells_stay_whole(strip, *prices)) continue;
    double kept = 0;
    for (const double price : *prices) kept += price * static_cast<double>(strip.rows() * strip.ranks_of_a_cell);
    cut = std::max(cut, strip.bytes() - kept * kRounding);
  }
  return cut;
}

}  // namespace topowise
