// SPDX-License-Identifier: BSD-3-Clause
// What exchanges with r or with s will change once r and s are exchanged, where most ranks talk to most others: all
// matrices are by facility, all loops go over all facilities. O(facilities^2) for an exchange, nearly all of it one sum
// of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/exchange/ends_kernels.hpp>
#include <topowise/mapper/exchange/exchange_step.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

template <class Number>
class DenseEnds {
 public:
  /// Number is float only where `units` allow it.
  DenseEnds(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_facility,
            const EndsKernels<Number>& kernels = ends_kernels<Number>().back());

  /// What every exchange of i and j > i changes, as things stand; ranks x facilities. Other entries have no meaning.
  [[nodiscard]] PaddedRows<Number> changes() const;

  /// Exchanges r < s; r is a rank. `change` is what this changes. `changes_r` holds, by facility, what exchanges with s
  /// change, and becomes what exchanges with r will change, less step(); `changes_s` the other way round. Both are
  /// aligned and as long as rows of changes().
  void exchange(std::uint32_t r, std::uint32_t s, Number change, Number* changes_r, Number* changes_s);

  /// Completes that exchange. Between the two calls the new `changes_r` and `changes_s` may be written to where a pass
  /// of vector instructions will read them: the longer before that pass, the better.
  void settle(std::uint32_t r, std::uint32_t s);

  /// The step of the last exchange.
  [[nodiscard]] ExchangeStep<Number> step() const {
    return {steps_[kX], steps_[kD], symmetric_ ? nullptr : steps_[kY], symmetric_ ? nullptr : steps_[kE]};
  }

 private:
  enum StepRow { kX, kD, kY, kE, kStepRows };

  [[nodiscard]] const Number* flow_from(std::size_t facility) const { return flow_[std::min(facility, ranks_)]; }
  [[nodiscard]] const Number* flow_to(std::size_t facility) const { return back_flow_[std::min(facility, ranks_)]; }
  [[nodiscard]] EndRows<Number> rows_of(FacilityMatrix<Number>& matrix, std::uint32_t r, std::uint32_t s) const;
  void combine(const Number* x, const FacilityMatrix<Number>& matrix, std::vector<Cell<Number>>& cells,
               Number* sum) const;

  const EndsKernels<Number>& kernels_;
  std::size_t ranks_;
  std::size_t facilities_;
  bool symmetric_;
  /// F, both directions together if it is symmetric; if it is not, also its transpose. The last row stands for every
  /// dummy.
  PaddedRows<Number> flow_, back_flow_;
  FacilityMatrix<Number> from_, to_;  ///< D and, if it is not symmetric, its transpose
  PaddedRows<Number> steps_;          ///< x, d, y and e
  PaddedRows<Number> apart_;          ///< one row: h_r - h_s
  std::vector<Cell<Number>> cells_;
};

extern template class DenseEnds<float>;
extern template class DenseEnds<double>;

}  // namespace topowise
