// SPDX-License-Identifier: BSD-3-Clause
// What exchanges with r or with s will change once r and s are exchanged, where ranks talk to few others: h is kept,
// and only the rows of partners change. O(facilities) for an exchange, and for each partner as much again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/exchange/dense_ends.hpp>
#include <topowise/mapper/exchange/exchange_kernels.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

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

}  // namespace topowise
