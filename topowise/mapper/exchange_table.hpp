// SPDX-License-Identifier: BSD-3-Clause
// What every exchange of two items would change, kept up to date.
//
// Items 0..ranks-1 are the ranks; the others stand for "nobody" and fill the empty slots, so that a rank's move to an
// empty slot is an exchange like any other. F is the flow, D the cost, p the slots.
//
// Two tables. The first holds what the traffic of rank i would cost if i stood on slot q and no one else moved,
//     h_i(q) = sum over k of F[i][k] D[q][p_k] + F[k][i] D[p_k][q],
// and changes by a product of two vectors when r and s are exchanged: only rows of partners of r or s, each one a
// contiguous run. The second holds the change of cost of every exchange,
//     delta(i, j) = h_i(p_j) - h_i(p_i) + h_j(p_i) - h_j(p_j) + (F[i][j] + F[j][i]) (D[p_i][p_j] + D[p_j][p_i]),
// from which rows r and s are computed anew, O(1) an entry; that of a disjoint pair changes by (Burkard and Rendl 1984,
// here for matrices that need not be symmetric)
//     (x_i - x_j) (g_i - g_j) + (y_i - y_j) (e_i - e_j)
//     x_i = F[r][i] - F[s][i]      g_i = D[p_s][p_i] - D[p_r][p_i]
//     y_i = F[i][r] - F[i][s]      e_i = D[p_i][p_s] - D[p_i][p_r]
// with the slots after the exchange: nothing where neither i nor j talks to r or s.
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
  ExchangeTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank);

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] std::size_t items() const { return items_; }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slot_; }
  /// Cost after minus before the exchange of i and j, valid for j > i, in units; infinite where twins
  /// are involved and nothing would change.
  [[nodiscard]] const Number* row(std::size_t i) const { return &delta_[i * items_]; }
  /// Of r < s; r is a rank.
  void exchange(std::uint32_t r, std::uint32_t s);

 private:
  [[nodiscard]] Number flow(std::size_t i, std::size_t j) const {
    return i < ranks_ && j < ranks_ ? flow_[i * ranks_ + j] : Number(0);
  }
  [[nodiscard]] const Number* from(std::size_t slot) const { return &from_[slot * items_]; }
  [[nodiscard]] const Number* to(std::size_t slot) const { return symmetric_ ? from(slot) : &to_[slot * items_]; }
  [[nodiscard]] Number& delta(std::size_t i, std::size_t j) { return delta_[i * items_ + j]; }
  [[nodiscard]] Number held(std::size_t i, std::size_t slot) const {
    return i < ranks_ ? held_[i * items_ + slot] : Number(0);
  }

  void fill_held();
  [[nodiscard]] Number change(std::size_t i, std::size_t j) const;
  void find_touched(std::uint32_t r, std::uint32_t s);
  void update_held(std::uint32_t r, std::uint32_t s);
  void add_to_row(std::size_t i);
  void add_to_columns();

  std::size_t ranks_;
  std::size_t items_;
  bool symmetric_;
  std::vector<std::uint32_t> slot_;  ///< of every item
  std::vector<Number> flow_;
  std::vector<Number> from_, to_;  ///< D and, if it is not symmetric, its transpose
  std::vector<Number> held_;       ///< h, ranks x slots
  std::vector<Number> delta_;      ///< ranks x items
  std::vector<std::vector<std::uint32_t>> partners_;
  std::vector<std::uint32_t> twin_item_, twin_slot_;  ///< equal for twins
  std::vector<Number> x_, y_, g_, e_;                 ///< as in the essay above, by item
  std::vector<Number> to_slot_, from_slot_;           ///< g and e by slot
  std::vector<std::uint32_t> touched_;
};

template <class Number>
ExchangeTable<Number>::ExchangeTable(const Instance& instance, const WholeUnits& units,
                                     std::span<const std::uint32_t> slot_of_rank)
    : ranks_(instance.ranks),
      items_(instance.slots),
      symmetric_(instance.symmetric),
      slot_(slot_of_rank.begin(), slot_of_rank.end()),
      held_(ranks_ * items_, Number(0)),
      delta_(ranks_ * items_, Number(0)),
      partners_(ranks_),
      x_(items_, Number(0)),
      y_(items_, Number(0)),
      g_(items_),
      e_(items_),
      to_slot_(items_),
      from_slot_(items_) {
  std::vector<bool> taken(items_, false);
  for (const std::uint32_t slot : slot_of_rank) taken[slot] = true;
  for (std::uint32_t slot = 0; slot < items_; ++slot) {
    if (!taken[slot]) slot_.push_back(slot);
  }
  const auto scaled = [](const std::vector<double>& matrix, double unit) {
    std::vector<Number> result;
    result.reserve(matrix.size());
    for (const double value : matrix) result.push_back(static_cast<Number>(value / unit));
    return result;
  };
  flow_ = scaled(instance.flow, units.flow);
  from_ = scaled(instance.cost, units.cost);
  if (!symmetric_) {
    to_.resize(from_.size());
    for (std::size_t a = 0; a < items_; ++a) {
      for (std::size_t b = 0; b < items_; ++b) to_[b * items_ + a] = from_[a * items_ + b];
    }
  }
  for (std::uint32_t i = 0; i < ranks_; ++i) {
    for (std::uint32_t j = 0; j < ranks_; ++j) {
      if (flow(i, j) != 0 || flow(j, i) != 0) partners_[i].push_back(j);
    }
  }
  twin_slot_ = first_twins(instance.cost, items_);
  twin_item_ = first_twins(instance.flow, ranks_);
  const auto silent = std::ranges::find_if(partners_, &std::vector<std::uint32_t>::empty);
  twin_item_.resize(items_, static_cast<std::uint32_t>(silent - partners_.begin()));
  fill_held();
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < items_; ++j) delta(i, j) = change(i, j);
  }
}

template <class Number>
void ExchangeTable<Number>::fill_held() {
  for (std::size_t i = 0; i < ranks_; ++i) {
    Number* row = &held_[i * items_];
    for (const std::uint32_t k : partners_[i]) {
      const Number* in = to(slot_[k]);
      const Number* out = from(slot_[k]);
      for (std::size_t q = 0; q < items_; ++q) row[q] += flow(i, k) * in[q] + flow(k, i) * out[q];
    }
  }
}

template <class Number>
Number ExchangeTable<Number>::change(std::size_t i, std::size_t j) const {
  const std::uint32_t pi = slot_[i];
  const std::uint32_t pj = slot_[j];
  if (twin_item_[i] == twin_item_[j] || twin_slot_[pi] == twin_slot_[pj])
    return std::numeric_limits<Number>::infinity();
  return held(i, pj) - held(i, pi) + held(j, pi) - held(j, pj) +
         (flow(i, j) + flow(j, i)) * (from(pi)[pj] + from(pj)[pi]);
}

template <class Number>
void ExchangeTable<Number>::exchange(std::uint32_t r, std::uint32_t s) {
  std::swap(slot_[r], slot_[s]);
  find_touched(r, s);
  update_held(r, s);
  for (std::size_t i = 0; i < items_; ++i) {
    g_[i] = to_slot_[slot_[i]];
    e_[i] = symmetric_ ? g_[i] : from_slot_[slot_[i]];
  }
  // A row is contiguous and a column is not: with many touched items all rows are cheaper.
  if (4 * touched_.size() > ranks_) {
    for (std::size_t i = 0; i < ranks_; ++i) add_to_row(i);
  } else {
    for (const std::uint32_t i : touched_) add_to_row(i);
    add_to_columns();
  }
  for (const std::uint32_t i : touched_) x_[i] = y_[i] = 0;
  for (const std::uint32_t end : {r, s}) {
    for (std::size_t i = 0; i < end && i < ranks_; ++i) delta(i, end) = change(i, end);
    for (std::size_t j = end + 1; end < ranks_ && j < items_; ++j) delta(end, j) = change(end, j);
  }
}

template <class Number>
void ExchangeTable<Number>::find_touched(std::uint32_t r, std::uint32_t s) {
  touched_.clear();
  for (const std::uint32_t end : {r, s}) {
    if (end >= ranks_) continue;
    for (const std::uint32_t i : partners_[end]) {
      if (x_[i] != 0 || y_[i] != 0) continue;  // seen
      x_[i] = flow(r, i) - flow(s, i);
      y_[i] = flow(i, r) - flow(i, s);
      if (x_[i] != 0 || y_[i] != 0) touched_.push_back(i);
    }
  }
}

template <class Number>
void ExchangeTable<Number>::update_held(std::uint32_t r, std::uint32_t s) {
  const std::uint32_t pr = slot_[r];
  const std::uint32_t ps = slot_[s];
  for (std::size_t q = 0; q < items_; ++q) to_slot_[q] = from(ps)[q] - from(pr)[q];
  if (!symmetric_) {
    for (std::size_t q = 0; q < items_; ++q) from_slot_[q] = to(ps)[q] - to(pr)[q];
  }
  for (const std::uint32_t i : touched_) {
    Number* row = &held_[i * items_];
    const Number x = x_[i];
    const Number y = y_[i];
    if (symmetric_) {
      for (std::size_t q = 0; q < items_; ++q) row[q] -= 2 * x * to_slot_[q];
    } else {
      for (std::size_t q = 0; q < items_; ++q) row[q] -= x * to_slot_[q] + y * from_slot_[q];
    }
  }
}

template <class Number>
void ExchangeTable<Number>::add_to_row(std::size_t i) {
  Number* row = &delta_[i * items_];
  const Number xi = x_[i];
  const Number yi = y_[i];
  const Number gi = g_[i];
  const Number ei = e_[i];
  if (symmetric_) {
    for (std::size_t j = i + 1; j < items_; ++j) row[j] += 2 * (xi - x_[j]) * (gi - g_[j]);
  } else {
    for (std::size_t j = i + 1; j < items_; ++j) row[j] += (xi - x_[j]) * (gi - g_[j]) + (yi - y_[j]) * (ei - e_[j]);
  }
}

/// Columns of the touched ranks in the rows of the others, whose own x and y are 0.
template <class Number>
void ExchangeTable<Number>::add_to_columns() {
  for (const std::uint32_t j : touched_) {
    for (std::uint32_t i = 0; i < j; ++i) {
      if (x_[i] != 0 || y_[i] != 0) continue;
      delta(i, j) += x_[j] * (g_[j] - g_[i]) + y_[j] * (e_[j] - e_[i]);
    }
  }
}

}  // namespace topowise
