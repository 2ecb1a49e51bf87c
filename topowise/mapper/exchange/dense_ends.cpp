// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/dense_ends.hpp>

#include <algorithm>
#include <utility>

namespace topowise {

template <class Number>
DenseEnds<Number>::DenseEnds(const Instance& instance, const WholeUnits& units,
                             std::span<const std::uint32_t> slot_of_facility, const EndsKernels<Number>& kernels)
    : kernels_(kernels),
      ranks_(instance.ranks),
      facilities_(instance.slots),
      symmetric_(instance.symmetric),
      flow_(ranks_ + 1, facilities_, Number(0)),
      from_(instance.cost, facilities_, units.cost, slot_of_facility),
      steps_(kStepRows, facilities_, Number(0)),
      apart_(1, facilities_, Number(0)),
      cells_(from_.rows_of_cells()) {
  const auto flow = [&](std::size_t i, std::size_t j) {
    return static_cast<Number>(instance.flow[i * ranks_ + j] / units.flow);
  };
  if (!symmetric_) {
    back_flow_ = flow_;
    std::vector<double> transposed(instance.cost.size());
    for (std::size_t a = 0; a < facilities_; ++a) {
      for (std::size_t b = 0; b < facilities_; ++b)
        transposed[b * facilities_ + a] = instance.cost[a * facilities_ + b];
    }
    to_ = FacilityMatrix<Number>(transposed, facilities_, units.cost, slot_of_facility);
  }
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = 0; j < ranks_; ++j) {
      flow_[i][j] = symmetric_ ? 2 * flow(i, j) : flow(i, j);
      if (!symmetric_) back_flow_[j][i] = flow(i, j);
    }
  }
}

template <class Number>
PaddedRows<Number> DenseEnds<Number>::changes() const {
  PaddedRows<Number> held(facilities_, facilities_, Number(0));  // h; that of dummies is 0
  std::vector<Cell<Number>> cells(cells_.size());
  for (std::size_t i = 0; i < ranks_; ++i) {
    combine(flow_[i], symmetric_ ? from_ : to_, cells, held[i]);
    if (!symmetric_) combine(back_flow_[i], from_, cells, held[i]);
  }
  PaddedRows<Number> result(ranks_, facilities_, Number(0));
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < facilities_; ++j) {
      const Number flows = symmetric_ ? flow_[i][j] : flow_[i][j] + back_flow_[i][j];
      const Number costs = from_.at(i, j) + from_.at(j, i);
      result[i][j] = held[i][j] - held[i][i] + held[j][i] - held[j][j] + flows * costs;
    }
  }
  return result;
}

template <class Number>
void DenseEnds<Number>::exchange(std::uint32_t r, std::uint32_t s, Number change, Number* changes_r,
                                 Number* changes_s) {
  const auto subtract = [&](const Number* one, const Number* other, Number* difference) {
    for (std::size_t i = 0; i < flow_.stride(); ++i) difference[i] = one[i] - other[i];
  };
  Number* apart = apart_[0];
  std::fill_n(apart, apart_.stride(), Number(0));
  subtract(flow_from(r), flow_from(s), steps_[kX]);
  combine(steps_[kX], symmetric_ ? from_ : to_, cells_, apart);
  if (!symmetric_) {
    subtract(flow_to(r), flow_to(s), steps_[kY]);
    combine(steps_[kY], from_, cells_, apart);
  }
  kernels_.update_ends({.from = rows_of(from_, r, s),
                        .to = symmetric_ ? EndRows<Number>{} : rows_of(to_, r, s),
                        .cost_rs = from_.at(r, s),
                        .cost_sr = from_.at(s, r),
                        .flow_sr = flow_from(s)[r],
                        .flow_rs = flow_from(r)[s],
                        .apart = apart,
                        .x = steps_[kX],
                        .y = symmetric_ ? nullptr : steps_[kY],
                        .d = steps_[kD],
                        .e = steps_[kE],
                        .changes_r = changes_r,
                        .changes_s = changes_s,
                        .length = steps_.stride()});
  std::swap(steps_[kD][r], steps_[kD][s]);
  if (!symmetric_) std::swap(steps_[kE][r], steps_[kE][s]);
  changes_r[s] = changes_s[r] = -change - step()(r, s);  // exchanging r and s again goes back
}

template <class Number>
void DenseEnds<Number>::settle(std::uint32_t r, std::uint32_t s) {
  from_.exchange_columns(r, s);
  if (!symmetric_) to_.exchange_columns(r, s);
}

template <class Number>
EndRows<Number> DenseEnds<Number>::rows_of(FacilityMatrix<Number>& matrix, std::uint32_t r, std::uint32_t s) const {
  constexpr std::size_t kRows = kRowsOfCell<Number>;
  return {.of_r = matrix.cells()[r / kRows], .of_s = matrix.cells()[s / kRows], .r = r, .s = s};
}

/// sum[j] += sum over k of x[k] matrix[k][j]
template <class Number>
void DenseEnds<Number>::combine(const Number* x, const FacilityMatrix<Number>& matrix, std::vector<Cell<Number>>& cells,
                                Number* sum) const {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if constexpr (kRowsOfCell<Number> == 2) {
      cells[k] = row_pair(static_cast<std::int16_t>(x[2 * k]), static_cast<std::int16_t>(x[2 * k + 1]));
    } else {
      cells[k] = x[k];
    }
  }
  kernels_.combine({.x = cells, .cells = matrix.cells(), .sum = sum});
}

template class DenseEnds<float>;
template class DenseEnds<double>;

}  // namespace topowise
