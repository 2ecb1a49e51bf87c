// SPDX-License-Identifier: BSD-3-Clause
// What every exchange of two facilities would change, kept up to date, after R. E. Burkard and F. Rendl (European
// Journal of Operational Research 17, 1984) and Taillard (1991), but for matrices that need not be symmetric. To
// compute one change takes a loop over all facilities. To update it after another exchange takes a few multiplications,
// as long as the two exchanges have no facility in common.
//
// F is the flow between facilities (facilities.hpp), D the cost between slots, p the slots of the facilities.
//
// Two tables. The first holds what the traffic of rank i would cost if i were on slot q and no one else moved,
//     h_i(q) = sum over k of F[i][k] D[q][p_k] + F[k][i] D[p_k][q].
// The second holds the change of cost of every exchange,
//     delta(i, j) = h_i(p_j) - h_i(p_i) + h_j(p_i) - h_j(p_j) + (F[i][j] + F[j][i]) (D[p_i][p_j] + D[p_j][p_i]).
//
// When r goes from slot a to b and s from b to a, h changes by products of two vectors, rank by slot,
//     h_i(q) -= x_i d(q) + y_i e(q)
//     x_i = F[r][i] - F[s][i]      d(q) = D[a][q] - D[b][q]
//     y_i = F[i][r] - F[i][s]      e(q) = D[q][a] - D[q][b]
// and delta of a pair that has nothing to do with r and s by
//     delta(i, j) += (x_i - x_j) (d(p_i) - d(p_j)) + (y_i - y_j) (e(p_i) - e(p_j)).
// The new delta with r follows from the old delta with s, and the other way round, so that of h only the difference of
// the rows of r and s is needed:
//     delta'(i, r) = delta(i, s) + A(p_i) - A(b) + x_i B(p_i) + y_i C(p_i)
//     delta'(i, s) = delta(i, r) + E(p_i) - E(a) - x_i C(p_i) - y_i B(p_i)
//     A = h'_r - h_s      B(q) = D[a][q] + D[q][b] - D[a][b]
//     E = h'_s - h_r      C(q) = D[q][a] + D[b][q] - D[b][a]
// Where traffic is sparse, h is kept: few rows change (SparseEnds). Where it is dense, that difference is summed
// up anew from x and y (dense_ends.hpp),
//     h_r(q) - h_s(q) = sum over k of x_k D[q][p_k] + y_k D[p_k][q].
//
// The least entry of every row is kept too, so that a search looks only into rows that hold something of use. Where the
// traffic is dense, all entries are updated and the leasts found in one pass of vector instructions
// (exchange_kernels.hpp); where it is sparse, only the rows and columns of partners of r or s. Entries of
// interchangeable facilities (facilities.hpp) are infinite.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include <topowise/mapper/exchange/dense_ends.hpp>
#include <topowise/mapper/exchange/exchange_kernels.hpp>
#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

// What exchanges with r or with s will change once r and s are exchanged, where ranks talk to few others: h is kept,
// and only the rows of partners change. O(facilities) for an exchange, and for each partner as much again.

template <class Number>
class SparseEnds {
 public:
  SparseEnds(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_facility);

  /// Whether it pays to know who talks to whom.
  [[nodiscard]] static bool suits(const Instance& instance);

  /// What every exchange of i and j > i changes, as things stand; ranks x facilities. Other entries have no meaning.
  [[nodiscard]] PaddedRows<Number> changes(std::span<const std::uint32_t> slot_of_facility) const;

  /// Exchanges r < s; r is a rank. Called before their slots are exchanged. `change` is what this changes. `changes_r`
  /// holds, by facility, what exchanges with s change, and becomes what exchanges with r will change; `changes_s` the
  /// other way round.
  void exchange(std::uint32_t r, std::uint32_t s, Number change, std::span<const std::uint32_t> slot_of_facility,
                Number* changes_r, Number* changes_s);

  /// The step of the last exchange; x and y are 0 except for the touched ranks.
  [[nodiscard]] ExchangeStep<Number> step() const {
    return {x_[0], d_[1], symmetric_ ? nullptr : y_[0], symmetric_ ? nullptr : e_[1]};
  }
  [[nodiscard]] std::span<const std::uint32_t> touched() const { return touched_; }

 private:
  [[nodiscard]] Number flow(std::size_t i, std::size_t j) const {
    return i < ranks_ && j < ranks_ ? flow_[i][j] : Number(0);
  }
  [[nodiscard]] const Number* from(std::size_t slot) const { return from_[slot]; }
  [[nodiscard]] const Number* to(std::size_t slot) const { return symmetric_ ? from_[slot] : to_[slot]; }
  [[nodiscard]] Number held(std::size_t i, std::size_t slot) const { return i < ranks_ ? held_[i][slot] : Number(0); }

  void find_touched(std::uint32_t r, std::uint32_t s);
  void note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i);
  void find_ways(std::uint32_t r, std::uint32_t s, std::uint32_t a, std::uint32_t b);
  void update_held();

  const ExchangeKernels<Number>& kernels_;
  std::size_t ranks_;
  std::size_t facilities_;
  bool symmetric_;
  PaddedRows<Number> flow_;       ///< F
  PaddedRows<Number> from_, to_;  ///< D and, if it is not symmetric, its transpose; by slot
  PaddedRows<Number> held_;       ///< h, ranks x slots
  std::vector<std::vector<std::uint32_t>> partners_;
  // The names are those of the essay in exchange_table.hpp; of symmetric matrices x is the sum of both, and y, e, C and
  // E are not used.
  PaddedRows<Number> x_, y_;  ///< one row each, by facility
  PaddedRows<Number> d_, e_;  ///< by slot, and by facility in the second row
  std::vector<Number> by_slot_a_, by_slot_e_, by_slot_b_, by_slot_c_;
  std::vector<std::uint32_t> touched_;  ///< ranks with x or y not 0
};

extern template class SparseEnds<float>;
extern template class SparseEnds<double>;

/// Number is float where WholeUnits allows it, which is twice as fast, else double.
template <class Number>
class ExchangeTable {
 public:
  ExchangeTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank);

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] std::size_t facilities() const { return slot_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slot_; }
  /// Cost after minus before the exchange of i and j for j > i, in units; infinite for j <= i and where nothing
  /// would change because facilities or slots are interchangeable.
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
  /// Makes the exchange. Returns what it changes, in units.
  Number exchange(FacilityPair pair);

 private:
  static constexpr Number kMost = std::numeric_limits<Number>::max();

  void exchange(FacilityPair pair, DenseEnds<Number>& ends);
  void exchange(FacilityPair pair, SparseEnds<Number>& ends);
  void update_changes(const SparseEnds<Number>& ends, std::uint32_t r, std::uint32_t s);
  void update_rows(const ExchangeStep<Number>& step, std::size_t first, std::size_t end);
  void add_to_columns(const SparseEnds<Number>& ends, std::uint32_t r, std::uint32_t s);
  void read(std::uint32_t end, Number* changes) const;
  void write(std::uint32_t end, const Number* changes);
  void write_ahead(std::uint32_t end, Number* changes);
  void assign(std::size_t i, std::size_t j, Number value);

  const ExchangeKernels<Number>& kernels_;
  std::size_t ranks_;
  std::vector<std::uint32_t> slot_;  ///< of every facility
  Interchangeable interchangeable_;
  std::variant<DenseEnds<Number>, SparseEnds<Number>> ends_;
  UpperRows<Number> delta_;           ///< ranks x facilities
  PaddedRows<Number> least_;          ///< one row: the least of each row of delta
  PaddedRows<Number> changes_;        ///< of the exchanges of r and of s, by facility
  std::vector<std::uint32_t> stale_;  ///< rows whose least was overwritten
  std::vector<std::uint32_t> found_, found_rows_;
};

extern template class ExchangeTable<float>;
extern template class ExchangeTable<double>;

}  // namespace topowise
