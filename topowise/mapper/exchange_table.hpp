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
// so that of h only the difference of the rows of r and s is asked for:
//     delta'(i, r) = delta(i, s) + A(p_i) - A(b) + x_i B(p_i) + y_i C(p_i)
//     delta'(i, s) = delta(i, r) + E(p_i) - E(a) - x_i C(p_i) - y_i B(p_i)
//     A = h'_r - h_s      B(q) = D[a][q] + D[q][b] - D[a][b]
//     E = h'_s - h_r      C(q) = D[q][a] + D[b][q] - D[b][a]
// Where traffic is sparse, h is kept: few rows change. Where it is dense, that difference is summed up anew from x and
// y,
//     h_r(q) - h_s(q) = sum over k of x_k D[q][p_k] + y_k D[p_k][q].
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
#include <span>
#include <utility>
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

  /// The weights of all exchanges, by lane and group of rows (exchange_kernels.hpp); ends the validity of the leasts.
  void weigh(Number rate, PaddedRows<Number>& by_lane);
  /// The same after an exchange, where traffic is dense in one pass.
  void exchange_and_weigh(std::uint32_t r, std::uint32_t s, Number rate, PaddedRows<Number>& by_lane);
  /// The entry is infinite, after whatever exchanges with weights, until it is shown again.
  void hide(std::uint32_t i, std::uint32_t j) { hidden_.push_back({i, j, std::exchange(delta_[i][j], kInfinite)}); }
  /// The entry that was hidden first of those that are.
  void show_oldest();
  [[nodiscard]] std::size_t hidden() const { return hidden_.size(); }

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

  struct Hidden {
    std::uint32_t i = 0, j = 0;
    Number entry = 0;
  };

  void fill_held();
  [[nodiscard]] Number change(std::size_t i, std::size_t j) const;
  void note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i);
  void find_touched(std::uint32_t r, std::uint32_t s);
  void find_ways(std::uint32_t r, std::uint32_t s);
  void subtract_held(std::uint32_t r, std::uint32_t s);
  void change_ends(std::uint32_t r, std::uint32_t s);
  void update_held();
  [[nodiscard]] ChangeUpdate<Number> update_of(std::size_t first, std::size_t end);
  [[nodiscard]] Number step(std::size_t i, std::size_t j) const;
  void update_changes(std::uint32_t r, std::uint32_t s);
  void add_to_columns(std::uint32_t r, std::uint32_t s);
  void read(std::uint32_t end, Number* changes) const;
  void write(std::uint32_t end, const Number* changes);
  void write_ahead(std::uint32_t r, std::uint32_t s);
  void write_ahead(std::uint32_t end, Number* changes);
  void assign(std::size_t i, std::size_t j, Number value);

  const ExchangeKernels<Number>& kernels_;
  std::size_t ranks_;
  std::size_t items_;
  bool symmetric_;
  bool dense_ = false;                   ///< many ranks talk to many
  std::vector<std::uint32_t> slot_;      ///< of every item
  PaddedRows<Number> flow_, back_flow_;  ///< F and, if it is not symmetric, its transpose; the last row is nobody's
  PaddedRows<Number> from_, to_;         ///< D and, if it is not symmetric, its transpose
  PaddedRows<Number> held_;              ///< h, ranks x slots; where traffic is dense, as it was at first
  UpperRows<Number> delta_;              ///< ranks x items
  PaddedRows<Number> least_;             ///< one row: of each row of delta
  std::vector<std::vector<std::uint32_t>> partners_;
  std::vector<std::uint32_t> twin_item_, twin_slot_;  ///< equal for twins
  bool has_twins_ = false;
  // As in the essay above; of symmetric matrices x is the sum of both, and y, e, C and E are not used.
  PaddedRows<Number> x_, y_;  ///< one row each, by item
  PaddedRows<Number> d_, e_;  ///< by slot, and by item in the second row
  PaddedRows<Number> apart_;  ///< one row: h_r - h_s
  std::vector<Number> by_slot_a_, by_slot_e_, by_slot_b_, by_slot_c_;
  std::vector<Number> changes_r_, changes_s_;  ///< of the exchanges of r and of s, by item
  std::vector<std::uint32_t> touched_;         ///< ranks with x or y not 0
  std::vector<std::uint32_t> stale_;           ///< rows whose least was overwritten
  std::vector<Hidden> hidden_;                 ///< the oldest first
  std::vector<std::uint32_t> found_, found_rows_;
};

extern template class ExchangeTable<float>;
extern template class ExchangeTable<double>;

}  // namespace topowise
