// SPDX-License-Identifier: BSD-3-Clause
// What every exchange of two facilities would change, kept up to date, after R. E. Burkard and F. Rendl (European
// Journal of Operational Research 17, 1984) and Taillard (1991), but for matrices that need not be symmetric. To
// compute one change takes a loop over all facilities. To update it after another exchange takes a few multiplications,
// as long as the two exchanges have no facility in common.
//
// F is the flow between facilities (facilities.hpp), D the cost between slots, p the slots of the facilities.
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
// and delta of a pair that has nothing to do with r and s by
//     delta(i, j) += (x_i - x_j) (d(p_i) - d(p_j)) + (y_i - y_j) (e(p_i) - e(p_j)).
// The new delta with r follows from the old delta with s, and the other way round, so that of h only the difference of
// the rows of r and s is needed:
//     delta'(i, r) = delta(i, s) + A(p_i) - A(b) + x_i B(p_i) + y_i C(p_i)
//     delta'(i, s) = delta(i, r) + E(p_i) - E(a) - x_i C(p_i) - y_i B(p_i)
//     A = h'_r - h_s      B(q) = D[a][q] + D[q][b] - D[a][b]
//     E = h'_s - h_r      C(q) = D[q][a] + D[b][q] - D[b][a]
// Where traffic is sparse, h is kept: few rows change (sparse_ends.hpp). Where it is dense, that difference is summed
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
#include <topowise/mapper/exchange/sparse_ends.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

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
