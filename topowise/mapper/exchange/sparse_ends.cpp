// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/sparse_ends.hpp>

#include <algorithm>
#include <utility>

namespace topowise {
namespace {

template <class Number>
PaddedRows<Number> scaled(std::span<const double> matrix, std::size_t size, double unit) {
  PaddedRows<Number> result(size, size, Number(0));
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) result[a][b] = static_cast<Number>(matrix[a * size + b] / unit);
  }
  return result;
}

}  // namespace

template <class Number>
bool SparseEnds<Number>::suits(const Instance& instance) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    for (std::size_t j = 0; j < instance.ranks; ++j)
      pairs += instance.flow[i * instance.ranks + j] != 0 || instance.flow[j * instance.ranks + i] != 0 ? 1 : 0;
  }
  return 4 * pairs <= instance.ranks * instance.slots;
}

template <class Number>
SparseEnds<Number>::SparseEnds(const Instance& instance, const WholeUnits& units,
                               std::span<const std::uint32_t> slot_of_facility)
    : kernels_(exchange_kernels<Number>().back()),
      ranks_(instance.ranks),
      facilities_(instance.slots),
      symmetric_(instance.symmetric),
      flow_(scaled<Number>(instance.flow, ranks_, units.flow)),
      from_(scaled<Number>(instance.cost, facilities_, units.cost)),
      held_(ranks_, facilities_, Number(0)),
      partners_(ranks_),
      x_(1, facilities_, Number(0)),
      y_(x_),
      d_(2, facilities_, Number(0)),
      e_(d_),
      by_slot_a_(facilities_),
      by_slot_e_(facilities_),
      by_slot_b_(facilities_),
      by_slot_c_(facilities_) {
  if (!symmetric_) {
    to_ = from_;
    for (std::size_t a = 0; a < facilities_; ++a) {
      for (std::size_t b = 0; b < facilities_; ++b) to_[b][a] = from_[a][b];
    }
  }
  for (std::uint32_t i = 0; i < ranks_; ++i) {
    for (std::uint32_t k = 0; k < ranks_; ++k) {
      if (flow(i, k) == 0 && flow(k, i) == 0) continue;
      partners_[i].push_back(k);
      const Number* in = to(slot_of_facility[k]);
      const Number* out = from(slot_of_facility[k]);
      for (std::size_t q = 0; q < facilities_; ++q) held_[i][q] += flow(i, k) * in[q] + flow(k, i) * out[q];
    }
  }
}

template <class Number>
PaddedRows<Number> SparseEnds<Number>::changes(std::span<const std::uint32_t> slot_of_facility) const {
  PaddedRows<Number> result(ranks_, facilities_, Number(0));
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < facilities_; ++j) {
      const std::uint32_t pi = slot_of_facility[i];
      const std::uint32_t pj = slot_of_facility[j];
      result[i][j] = held(i, pj) - held(i, pi) + held(j, pi) - held(j, pj) +
                     (flow(i, j) + flow(j, i)) * (from(pi)[pj] + from(pj)[pi]);
    }
  }
  return result;
}

template <class Number>
void SparseEnds<Number>::exchange(std::uint32_t r, std::uint32_t s, Number change,
                                  std::span<const std::uint32_t> slot_of_facility, Number* changes_r,
                                  Number* changes_s) {
  const std::uint32_t a = slot_of_facility[r];
  const std::uint32_t b = slot_of_facility[s];
  find_touched(r, s);
  find_ways(r, s, a, b);
  const Number* x = x_[0];
  const Number* y = y_[0];
  const Number offset_r = -by_slot_a_[b];
  const Number offset_s = symmetric_ ? by_slot_a_[a] : -by_slot_e_[a];
  for (std::size_t i = 0; i < facilities_; ++i) {
    const std::uint32_t p = slot_of_facility[i];
    if (symmetric_) {
      const Number moved = by_slot_a_[p] + x[i] * by_slot_b_[p];
      changes_r[i] += offset_r + moved;
      changes_s[i] += offset_s - moved;
    } else {
      changes_r[i] += offset_r + (by_slot_a_[p] + (x[i] * by_slot_b_[p] + y[i] * by_slot_c_[p]));
      changes_s[i] += offset_s + (by_slot_e_[p] - (x[i] * by_slot_c_[p] + y[i] * by_slot_b_[p]));
    }
  }
  changes_r[s] = changes_s[r] = -change;  // exchanging r and s again goes back
  const auto by_facility = [&](PaddedRows<Number>& ways) {
    for (std::size_t i = 0; i < facilities_; ++i) ways[1][i] = ways[0][slot_of_facility[i]];
    std::swap(ways[1][r], ways[1][s]);
  };
  by_facility(d_);
  if (!symmetric_) by_facility(e_);
  update_held();
}

template <class Number>
void SparseEnds<Number>::find_touched(std::uint32_t r, std::uint32_t s) {
  for (const std::uint32_t i : touched_) x_[0][i] = y_[0][i] = 0;
  touched_.clear();
  for (const std::uint32_t end : {r, s}) {
    if (end >= ranks_) continue;
    for (const std::uint32_t i : partners_[end]) {
      if (x_[0][i] == 0 && y_[0][i] == 0) note_flow(r, s, i);
    }
  }
}

template <class Number>
void SparseEnds<Number>::note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i) {
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

/// Finds d and e, and what the changes need of A, B, C and E, by slot; r goes from a to b.
template <class Number>
void SparseEnds<Number>::find_ways(std::uint32_t r, std::uint32_t s, std::uint32_t a, std::uint32_t b) {
  const auto subtract = [&](const Number* one, const Number* other, Number* difference) {
    for (std::size_t q = 0; q < facilities_; ++q) difference[q] = one[q] - other[q];
  };
  Number* d = d_[0];
  Number* e = symmetric_ ? d_[0] : e_[0];
  subtract(from(a), from(b), d);
  if (!symmetric_) subtract(to(a), to(b), e);
  // Both products of the change of h_r and of h_s: their x and y are the flows between r and s.
  const Number one = flow(s, r);
  const Number other = flow(r, s);
  Number* apart = by_slot_a_.data();  // h_r - h_s at first
  std::copy_n(held_[r], facilities_, apart);
  for (std::size_t q = 0; s < ranks_ && q < facilities_; ++q) apart[q] -= held_[s][q];
  for (std::size_t q = 0; !symmetric_ && q < facilities_; ++q) by_slot_e_[q] = -apart[q] - (other * d[q] + one * e[q]);
  for (std::size_t q = 0; q < facilities_; ++q) by_slot_a_[q] += one * d[q] + other * e[q];
  const auto sum = [&](const Number* out, const Number* in, Number less, Number* result) {
    for (std::size_t q = 0; q < facilities_; ++q) result[q] = out[q] + in[q] - less;
  };
  sum(from(a), to(b), from(a)[b], by_slot_b_.data());
  if (!symmetric_) sum(to(a), from(b), from(b)[a], by_slot_c_.data());
}

template <class Number>
void SparseEnds<Number>::update_held() {
  for (const std::uint32_t i : touched_) {
    kernels_.update_held({.row = held_[i], .length = held_.stride(), .x = x_[0][i], .d = d_[0]});
    if (!symmetric_) kernels_.update_held({.row = held_[i], .length = held_.stride(), .x = y_[0][i], .d = e_[0]});
  }
}

template class SparseEnds<float>;
template class SparseEnds<double>;

}  // namespace topowise
