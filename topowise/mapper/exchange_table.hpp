// SPDX-License-Identifier: BSD-3-Clause
// What every exchange of two items would change, kept up to date.
//
// Items 0..ranks-1 are the ranks; the others stand for "nobody" and fill the empty slots, so that a rank's move to an
// empty slot is an exchange like any other. F is the flow, D the cost, p the slots.
//
// Two tables. The first holds what the traffic of rank i would cost if i stood on slot q and no one else moved,
//     h_i(q) = sum over k of F[i][k] D[q][p_k] + F[k][i] D[p_k][q].
// The second holds the change of cost of every exchange,
//     delta(i, j) = h_i(p_j) - h_i(p_i) + h_j(p_i) - h_j(p_j) + (F[i][j] + F[j][i]) (D[p_i][p_j] + D[p_j][p_i]).
//
// When r goes from slot a to b and s from b to a, h changes by products of two vectors, rank by slot,
//     h_i(q) -= x_i d(q) + y_i e(q)
//     x_i = F[r][i] - F[s][i]      d(q) = D[a][q] - D[b][q]
//     y_i = F[i][r] - F[i][s]      e(q) = D[q][a] - D[q][b]
// and delta of a pair that has nothing to do with r and s by (Burkard and Rendl 1984, here for matrices that need not
// be symmetric)
//     delta(i, j) += (x_i - x_j) (d(p_i) - d(p_j)) + (y_i - y_j) (e(p_i) - e(p_j)).
// That of the others follows from what the exchange with the one that now stands elsewhere would have changed before,
// so that h is asked for the rows of r and s only:
//     delta'(i, r) = delta(i, s) + A(p_i) - A(b) + x_i B(p_i) + y_i C(p_i)
//     delta'(i, s) = delta(i, r) + E(p_i) - E(a) - x_i C(p_i) - y_i B(p_i)
//     A = h'_r - h_s      B(q) = D[a][q] + D[q][b] - D[a][b]
//     E = h'_s - h_r      C(q) = D[q][a] + D[b][q] - D[b][a]
// Changes of h that are not asked for are gathered and applied several at a time.
//
// The least entry of every row is kept too, so that a search looks only into rows that hold something of use. Where the
// traffic is dense, all entries are updated and the leasts found in one pass of vector instructions
// (exchange_kernels.hpp); where it is sparse, only the rows and columns of partners of r or s.
//
// Twins are items that have the same traffic with everyone else; nobodies are twins. Exchanging them changes nothing,
// so that a search must not spend steps on it: their entry is infinite.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <topowise/mapper/exchange_kernels.hpp>
#include <topowise/mapper/instance.hpp>

namespace topowise {

/// Flows and costs in units in which they are small whole numbers, if there are such units.
struct WholeUnits {
  double flow = 1;
  double cost = 1;
  bool fits_float = false;  ///< every number that the table can hold is a whole number below 2^24: float is exact
};
[[nodiscard]] WholeUnits whole_units(const Instance& instance);

/// For each row of a square matrix the first of its twins, itself if there is none before it. Two are twins if nothing
/// changes when both their rows and their columns are exchanged. The diagonal must be zero.
[[nodiscard]] std::vector<std::uint32_t> first_twins(std::span<const double> matrix, std::size_t size);

/// Number is float where WholeUnits allows it, which is twice as fast, else double.
template <class Number>
class ExchangeTable {
 public:
  ExchangeTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank,
                const ExchangeKernels<Number>& kernels = exchange_kernels<Number>().back());

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] std::size_t items() const { return items_; }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slot_; }
  /// Cost after minus before the exchange of i and j for j > i, in units; infinite for j <= i and where twins are
  /// involved and nothing would change.
  [[nodiscard]] const Number* row(std::size_t i) const { return delta_[i]; }
  /// The least entry of row i.
  [[nodiscard]] Number least(std::size_t i) const { return least_[0][i]; }
  /// The least entry of all.
  [[nodiscard]] Number least() const { return kernels_.least(least_[0], least_.stride()); }
  /// The rows whose least is at most `bound`, and where in row i the entries are at most that; finite ones only, in no
  /// particular order, valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> rows_at_most(Number bound) {
    return {found_rows_.data(),
            kernels_.find_at_most(least_[0], least_.stride(), std::min(bound, kMost), found_rows_.data())};
  }
  [[nodiscard]] std::span<const std::uint32_t> entries_at_most(std::size_t i, Number bound) {
    const std::size_t before = delta_.begin(i);
    const std::size_t count =
        kernels_.find_at_most(delta_[i] + before, delta_.length(i), std::min(bound, kMost), found_.data());
    for (std::uint32_t& j : std::span(found_).first(count)) j += static_cast<std::uint32_t>(before);
    return {found_.data(), count};
  }
  /// Of r < s; r is a rank.
  void exchange(std::uint32_t r, std::uint32_t s);

 private:
  static constexpr Number kInfinite = std::numeric_limits<Number>::infinity();
  static constexpr Number kMost = std::numeric_limits<Number>::max();

  [[nodiscard]] Number flow(std::size_t i, std::size_t j) const {
    return i < ranks_ && j < ranks_ ? flow_[i][j] : Number(0);
  }
  [[nodiscard]] const Number* from(std::size_t slot) const { return from_[slot]; }
  [[nodiscard]] const Number* to(std::size_t slot) const { return symmetric_ ? from_[slot] : to_[slot]; }
  [[nodiscard]] Number held(std::size_t i, std::size_t slot) const { return i < ranks_ ? held_[i][slot] : Number(0); }
  [[nodiscard]] bool are_twins(std::size_t i, std::size_t j) const {
    return has_twins_ && (twin_item_[i] == twin_item_[j] || twin_slot_[slot_[i]] == twin_slot_[slot_[j]]);
  }

  void fill_held();
  [[nodiscard]] Number change(std::size_t i, std::size_t j) const;
  void note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i);
  void find_touched(std::uint32_t r, std::uint32_t s);
  void find_ways(std::uint32_t r, std::uint32_t s);
  void settle(std::uint32_t rank);
  void defer();
  void update_rows(std::size_t first, std::size_t end);
  void update_changes(std::uint32_t r, std::uint32_t s);
  void add_to_columns(std::uint32_t r, std::uint32_t s);
  void read(std::uint32_t end, Number* changes) const;
  void write(std::uint32_t end, const Number* changes);
  void assign(std::size_t i, std::size_t j, Number value);

  const ExchangeKernels<Number>& kernels_;
  std::size_t ranks_;
  std::size_t items_;
  bool symmetric_;
  bool dense_ = false;                   ///< many ranks talk to many
  std::vector<std::uint32_t> slot_;      ///< of every item
  PaddedRows<Number> flow_, back_flow_;  ///< F and, if it is not symmetric, its transpose; the last row is nobody's
  PaddedRows<Number> from_, to_;         ///< D and, if it is not symmetric, its transpose
  PaddedRows<Number> held_;              ///< h, ranks x slots, without what is deferred
  UpperRows<Number> delta_;              ///< ranks x items
  PaddedRows<Number> least_;             ///< one row: of each row of delta
  std::vector<std::vector<std::uint32_t>> partners_;
  std::vector<std::uint32_t> twin_item_, twin_slot_;  ///< equal for twins
  bool has_twins_ = false;
  // As in the essay above; of symmetric matrices x is the sum of both, and y, e, C and E are not used.
  PaddedRows<Number> x_, y_;    ///< one row each, by item
  PaddedRows<Number> d_, e_;    ///< by slot, and by item in the second row
  std::vector<Number> silent_;  ///< a row of h of nobody
  std::vector<Number> by_slot_a_, by_slot_e_, by_slot_b_, by_slot_c_;
  PaddedRows<Number> deferred_x_, deferred_d_;  ///< a row each for a product that h still lacks
  std::size_t deferred_ = 0;
  std::vector<Number> changes_r_, changes_s_;  ///< of the exchanges of r and of s, by item
  std::vector<std::uint32_t> touched_;         ///< ranks with x or y not 0
  std::vector<std::uint32_t> stale_;           ///< rows whose least was overwritten
  std::vector<std::uint32_t> found_, found_rows_;
};

/// With a row of zeros at the end.
template <class Number>
PaddedRows<Number> scaled(std::span<const double> matrix, std::size_t size, double unit) {
  PaddedRows<Number> result(size + 1, size, Number(0));
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) result[a][b] = static_cast<Number>(matrix[a * size + b] / unit);
  }
  return result;
}

template <class Number>
ExchangeTable<Number>::ExchangeTable(const Instance& instance, const WholeUnits& units,
                                     std::span<const std::uint32_t> slot_of_rank,
                                     const ExchangeKernels<Number>& kernels)
    : kernels_(kernels),
      ranks_(instance.ranks),
      items_(instance.slots),
      symmetric_(instance.symmetric),
      slot_(slot_of_rank.begin(), slot_of_rank.end()),
      flow_(scaled<Number>(instance.flow, ranks_, units.flow)),
      from_(scaled<Number>(instance.cost, items_, units.cost)),
      held_(ranks_, items_, Number(0)),
      delta_(ranks_, items_),
      least_(1, ranks_, kInfinite),
      partners_(ranks_),
      x_(1, items_, Number(0)),
      y_(x_),
      d_(2, items_, Number(0)),
      e_(d_),
      silent_(items_, Number(0)),
      by_slot_a_(items_),
      by_slot_e_(items_),
      by_slot_b_(items_),
      by_slot_c_(items_),
      deferred_x_(kMostTerms, ranks_, Number(0)),
      deferred_d_(kMostTerms, items_, Number(0)),
      changes_r_(items_),
      changes_s_(items_),
      found_(delta_.end()),
      found_rows_(least_.stride()) {
  std::vector<bool> taken(items_, false);
  for (const std::uint32_t slot : slot_of_rank) taken[slot] = true;
  for (std::uint32_t slot = 0; slot < items_; ++slot) {
    if (!taken[slot]) slot_.push_back(slot);
  }
  if (!symmetric_) {
    back_flow_ = flow_;
    for (std::size_t i = 0; i < ranks_; ++i) {
      for (std::size_t j = 0; j < ranks_; ++j) back_flow_[j][i] = flow_[i][j];
    }
    to_ = from_;
    for (std::size_t a = 0; a < items_; ++a) {
      for (std::size_t b = 0; b < items_; ++b) to_[b][a] = from_[a][b];
    }
  }
  std::size_t pairs = 0;
  for (std::uint32_t i = 0; i < ranks_; ++i) {
    for (std::uint32_t j = 0; j < ranks_; ++j) {
      if (flow(i, j) != 0 || flow(j, i) != 0) partners_[i].push_back(j);
    }
    pairs += partners_[i].size();
  }
  dense_ = 4 * pairs > ranks_ * items_;
  twin_slot_ = first_twins(instance.cost, items_);
  twin_item_ = first_twins(instance.flow, ranks_);
  const auto silent = std::ranges::find_if(partners_, &std::vector<std::uint32_t>::empty);
  twin_item_.resize(items_, static_cast<std::uint32_t>(silent - partners_.begin()));
  for (std::uint32_t i = 0; i < items_; ++i) has_twins_ = has_twins_ || twin_item_[i] != i || twin_slot_[i] != i;
  fill_held();
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < items_; ++j) delta_[i][j] = change(i, j);
    least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  }
}

template <class Number>
void ExchangeTable<Number>::fill_held() {
  for (std::size_t i = 0; i < ranks_; ++i) {
    Number* row = held_[i];
    for (const std::uint32_t k : partners_[i]) {
      const Number* in = to(slot_[k]);
      const Number* out = from(slot_[k]);
      for (std::size_t q = 0; q < items_; ++q) row[q] += flow(i, k) * in[q] + flow(k, i) * out[q];
    }
  }
}

template <class Number>
Number ExchangeTable<Number>::change(std::size_t i, std::size_t j) const {
  if (are_twins(i, j)) return kInfinite;
  const std::uint32_t pi = slot_[i];
  const std::uint32_t pj = slot_[j];
  return held(i, pj) - held(i, pi) + held(j, pi) - held(j, pj) +
         (flow(i, j) + flow(j, i)) * (from(pi)[pj] + from(pj)[pi]);
}

template <class Number>
void ExchangeTable<Number>::exchange(std::uint32_t r, std::uint32_t s) {
  find_touched(r, s);
  find_ways(r, s);
  read(r, changes_s_.data());  // of the one that will stand where the other does
  read(s, changes_r_.data());
  const Number back = -delta_[r][s];
  const std::uint32_t a = slot_[r];
  const std::uint32_t b = slot_[s];
  const Number* x = x_[0];
  const Number* y = y_[0];
  const Number offset_r = -by_slot_a_[b];
  const Number offset_s = symmetric_ ? by_slot_a_[a] : -by_slot_e_[a];
  for (std::size_t i = 0; symmetric_ && i < items_; ++i) {
    const std::uint32_t p = slot_[i];
    const Number moved = by_slot_a_[p] + x[i] * by_slot_b_[p];
    changes_r_[i] += offset_r + moved;
    changes_s_[i] += offset_s - moved;
  }
  for (std::size_t i = 0; !symmetric_ && i < items_; ++i) {
    const std::uint32_t p = slot_[i];
    changes_r_[i] += offset_r + (by_slot_a_[p] + (x[i] * by_slot_b_[p] + y[i] * by_slot_c_[p]));
    changes_s_[i] += offset_s + (by_slot_e_[p] - (x[i] * by_slot_c_[p] + y[i] * by_slot_b_[p]));
  }
  std::swap(slot_[r], slot_[s]);
  changes_r_[s] = changes_s_[r] = back;
  for (std::size_t i = 0; i < items_; ++i) d_[1][i] = d_[0][slot_[i]];
  for (std::size_t i = 0; !symmetric_ && i < items_; ++i) e_[1][i] = e_[0][slot_[i]];
  update_changes(r, s);
  defer();
  for (const std::uint32_t i : touched_) x_[0][i] = y_[0][i] = 0;
  write(r, changes_r_.data());
  write(s, changes_s_.data());
  for (const std::uint32_t i : stale_) least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  stale_.clear();
}

template <class Number>
void ExchangeTable<Number>::note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i) {
  Number& x = x_[0][i];
  Number& y = y_[0][i];
  x = flow(r, i) - flow(s, i);
  y = flow(i, r) - flow(i, s);
  if (symmetric_) {
    x += y;
    y = 0;
  }
  if (x != 0 || y != 0) touched_.push_back(i);
}

template <class Number>
void ExchangeTable<Number>::find_touched(std::uint32_t r, std::uint32_t s) {
  touched_.clear();
  if (dense_) {
    // Of all ranks, without looking who is touched: x and y of the last exchange are overwritten.
    const Number ways = symmetric_ ? 2 : 1;
    const auto subtract = [&](const PaddedRows<Number>& flows, Number* result) {
      const Number* one = flows[r];
      const Number* other = flows[std::min<std::size_t>(s, ranks_)];
      for (std::size_t i = 0; i < ranks_; ++i) result[i] = ways * (one[i] - other[i]);
    };
    subtract(flow_, x_[0]);
    if (!symmetric_) subtract(back_flow_, y_[0]);
    return;
  }
  for (const std::uint32_t end : {r, s}) {
    if (end >= ranks_) continue;
    for (const std::uint32_t i : partners_[end]) {
      if (x_[0][i] == 0 && y_[0][i] == 0) note_flow(r, s, i);
    }
  }
}

/// Before the exchange.
template <class Number>
void ExchangeTable<Number>::find_ways(std::uint32_t r, std::uint32_t s) {
  settle(r);
  settle(s);
  const std::uint32_t a = slot_[r];
  const std::uint32_t b = slot_[s];
  const auto subtract = [&](const Number* one, const Number* other, Number* difference) {
    for (std::size_t q = 0; q < items_; ++q) difference[q] = one[q] - other[q];
  };
  Number* d = d_[0];
  Number* e = symmetric_ ? d_[0] : e_[0];
  subtract(from(a), from(b), d);
  if (!symmetric_) subtract(to(a), to(b), e);
  const auto at = [&](std::uint32_t rank) { return rank < ranks_ ? held_[rank] : silent_.data(); };
  const Number* held_r = at(r);
  const Number* held_s = at(s);
  // Both products of the change of h_r and of h_s: their x and y are the flows between r and s.
  const Number one = flow(s, r);
  const Number other = flow(r, s);
  for (std::size_t q = 0; q < items_; ++q) {
    by_slot_a_[q] = held_r[q] - held_s[q] + (one * d[q] + other * e[q]);
    by_slot_b_[q] = from(a)[q] + to(b)[q] - from(a)[b];
  }
  for (std::size_t q = 0; !symmetric_ && q < items_; ++q) {
    by_slot_e_[q] = held_s[q] - held_r[q] - (other * d[q] + one * e[q]);
    by_slot_c_[q] = to(a)[q] + from(b)[q] - from(b)[a];
  }
}

/// Applies to a row of h what it still lacks.
template <class Number>
void ExchangeTable<Number>::settle(std::uint32_t rank) {
  if (deferred_ == 0 || rank >= ranks_) return;
  kernels_.update_held({held_, rank, rank + 1, kMostTerms, deferred_x_, deferred_d_});
  for (std::size_t term = 0; term < deferred_; ++term) deferred_x_[term][rank] = 0;
}

/// Notes the products by which h changes. Where traffic is sparse only few rows change, and they do at once.
template <class Number>
void ExchangeTable<Number>::defer() {
  const auto note = [&](const Number* x, const Number* d) {
    std::copy_n(x, ranks_, deferred_x_[deferred_]);
    std::copy_n(d, items_, deferred_d_[deferred_]);
    ++deferred_;
  };
  note(x_[0], d_[0]);
  if (!symmetric_) note(y_[0], e_[0]);
  if (dense_ && deferred_ < kMostTerms) return;
  const std::size_t terms = dense_ ? kMostTerms : deferred_;
  if (dense_) {
    kernels_.update_held({held_, 0, ranks_, terms, deferred_x_, deferred_d_});
  } else {
    for (const std::uint32_t i : touched_) kernels_.update_held({held_, i, i + 1, terms, deferred_x_, deferred_d_});
  }
  for (std::size_t term = 0; term < terms; ++term) std::fill_n(deferred_x_[term], ranks_, Number(0));
  deferred_ = 0;
}

template <class Number>
void ExchangeTable<Number>::update_rows(std::size_t first, std::size_t end) {
  const Number* y = symmetric_ ? nullptr : y_[0];
  kernels_.update_changes({delta_, first, end, x_[0], d_[1], y, e_[1], least_[0]});
}

/// Of all pairs without r and s; theirs become infinite where their rows are updated as a whole.
template <class Number>
void ExchangeTable<Number>::update_changes(std::uint32_t r, std::uint32_t s) {
  const auto hide = [&](std::size_t i) {
    if (i < r) delta_[i][r] = kInfinite;
    if (i < s) delta_[i][s] = kInfinite;
  };
  // A row is contiguous and a column is not: with many touched items all rows are cheaper.
  constexpr std::size_t kRowsPerColumn = 16;
  if (dense_ || kRowsPerColumn * touched_.size() > items_) {
    for (std::size_t i = 0; i < ranks_; ++i) hide(i);
    update_rows(0, ranks_);
    return;
  }
  for (const std::uint32_t i : touched_) {
    hide(i);
    update_rows(i, i + 1);
  }
  add_to_columns(r, s);
}

/// Columns of the touched ranks in the rows of the others, whose own x and y are 0.
template <class Number>
void ExchangeTable<Number>::add_to_columns(std::uint32_t r, std::uint32_t s) {
  const Number* x = x_[0];
  const Number* y = y_[0];
  const Number* g = d_[1];
  const Number* e = e_[1];
  for (const std::uint32_t j : touched_) {
    if (j == r || j == s) continue;
    for (std::uint32_t i = 0; i < j; ++i) {
      if (x[i] == 0 && y[i] == 0) assign(i, j, delta_[i][j] + (x[j] * (g[j] - g[i]) + y[j] * (e[j] - e[i])));
    }
  }
}

template <class Number>
void ExchangeTable<Number>::assign(std::size_t i, std::size_t j, Number value) {
  Number& entry = delta_[i][j];
  Number& least = least_[0][i];
  if (value < least) {
    least = value;
  } else if (entry == least && value > entry) {
    stale_.push_back(static_cast<std::uint32_t>(i));
  }
  entry = value;
}

/// Of every exchange of `end`; those of twins, or of two that stand for nobody, change nothing.
template <class Number>
void ExchangeTable<Number>::read(std::uint32_t end, Number* changes) const {
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) changes[i] = delta_[i][end];
  if (end < ranks_) {
    std::copy(delta_[end] + end + 1, delta_[end] + items_, changes + end + 1);
  } else {
    std::fill(changes + before, changes + items_, Number(0));
  }
  for (std::size_t i = 0; has_twins_ && i < items_; ++i) {
    if (changes[i] == kInfinite) changes[i] = 0;
  }
}

template <class Number>
void ExchangeTable<Number>::write(std::uint32_t end, const Number* changes) {
  const auto value = [&](std::size_t i) { return are_twins(i, end) ? kInfinite : changes[i]; };
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  if (dense_ && !has_twins_) {
    // Hidden before all rows were updated, so that it is in no least yet.
    for (std::size_t i = 0; i < before; ++i) {
      delta_[i][end] = changes[i];
      least_[0][i] = std::min(least_[0][i], changes[i]);
    }
  } else {
    for (std::size_t i = 0; i < before; ++i) assign(i, end, value(i));
  }
  if (end >= ranks_) return;
  Number* row = delta_[end];
  for (std::size_t j = end + 1; j < items_; ++j) row[j] = value(j);
  least_[0][end] = kernels_.least(row + delta_.begin(end), delta_.length(end));
}

}  // namespace topowise
