// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/exchange_table.hpp>

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

template <class Number>
constexpr Number kInfinite = std::numeric_limits<Number>::infinity();

template <class Number>
std::variant<DenseEnds<Number>, SparseEnds<Number>> make_ends(const Instance& instance, const WholeUnits& units,
                                                              std::span<const std::uint32_t> slot_of_facility) {
  if (SparseEnds<Number>::suits(instance)) return SparseEnds<Number>(instance, units, slot_of_facility);
  return DenseEnds<Number>(instance, units, slot_of_facility);
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

template <class Number>
ExchangeTable<Number>::ExchangeTable(const Instance& instance, const WholeUnits& units,
                                     std::span<const std::uint32_t> slot_of_rank)
    : kernels_(exchange_kernels<Number>().back()),
      ranks_(instance.ranks),
      slot_(slot_of_facility(slot_of_rank, instance.slots)),
      interchangeable_(instance),
      ends_(make_ends<Number>(instance, units, slot_)),
      delta_(ranks_, instance.slots),
      least_(1, ranks_, kInfinite<Number>),
      changes_(2, instance.slots, Number(0)),
      found_(delta_.end()),
      found_rows_(least_.stride()) {
  const auto* sparse = std::get_if<SparseEnds<Number>>(&ends_);
  const PaddedRows<Number> changes =
      sparse != nullptr ? sparse->changes(slot_) : std::get<DenseEnds<Number>>(ends_).changes();
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < facilities(); ++j)
      delta_[i][j] = interchangeable_.are(i, j, slot_) ? kInfinite<Number> : changes[i][j];
    least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  }
}

template <class Number>
Number ExchangeTable<Number>::exchange(FacilityPair pair) {
  const Number change = delta_[pair.i][pair.j];
  read(pair.i, changes_[1]);  // each gets the changes of the one whose slot it takes
  read(pair.j, changes_[0]);
  std::visit([&](auto& ends) { exchange(pair, ends); }, ends_);
  return change;
}

template <class Number>
void ExchangeTable<Number>::exchange(FacilityPair pair, DenseEnds<Number>& ends) {
  const auto [r, s] = pair;
  ends.exchange(r, s, delta_[r][s], changes_[0], changes_[1]);
  std::swap(slot_[r], slot_[s]);
  write_ahead(r, changes_[0]);
  write_ahead(s, changes_[1]);
  ends.settle(r, s);
  update_rows(ends.step(), 0, ranks_);
}

template <class Number>
void ExchangeTable<Number>::exchange(FacilityPair pair, SparseEnds<Number>& ends) {
  const auto [r, s] = pair;
  ends.exchange(r, s, delta_[r][s], slot_, changes_[0], changes_[1]);
  std::swap(slot_[r], slot_[s]);
  update_changes(ends, r, s);
  write(r, changes_[0]);
  write(s, changes_[1]);
  for (const std::uint32_t i : stale_) least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  stale_.clear();
}

template <class Number>
void ExchangeTable<Number>::update_rows(const ExchangeStep<Number>& step, std::size_t first, std::size_t end) {
  kernels_.update_changes({.rows = delta_, .first = first, .end = end, .step = step, .least = least_[0]});
}

/// Where traffic is sparse, updates the changes of all pairs without r and s. The entries of r and s become infinite
/// where rows are updated as a whole.
template <class Number>
void ExchangeTable<Number>::update_changes(const SparseEnds<Number>& ends, std::uint32_t r, std::uint32_t s) {
  const auto hide = [&](std::size_t i) {
    if (i < r) delta_[i][r] = kInfinite<Number>;
    if (i < s) delta_[i][s] = kInfinite<Number>;
  };
  // A row is contiguous and a column is not: with many touched facilities all rows are cheaper.
  constexpr std::size_t kRowsPerColumn = 16;
  if (kRowsPerColumn * ends.touched().size() > facilities()) {
    for (std::size_t i = 0; i < ranks_; ++i) hide(i);
    update_rows(ends.step(), 0, ranks_);
    return;
  }
  for (const std::uint32_t i : ends.touched()) {
    hide(i);
    update_rows(ends.step(), i, i + 1);
  }
  add_to_columns(ends, r, s);
}

/// Adds the step to the columns of the touched ranks, in the rows of the other ranks, whose own x and y are 0.
template <class Number>
void ExchangeTable<Number>::add_to_columns(const SparseEnds<Number>& ends, std::uint32_t r, std::uint32_t s) {
  const ExchangeStep<Number> step = ends.step();
  for (const std::uint32_t j : ends.touched()) {
    if (j == r || j == s) continue;
    for (std::uint32_t i = 0; i < j; ++i) {
      if (step.x[i] == 0 && (step.y == nullptr || step.y[i] == 0)) assign(i, j, delta_[i][j] + step(i, j));
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

/// Reads what every exchange of `end` changes: nothing with an interchangeable facility, dummies among them. The entry
/// of `end` itself has no meaning.
template <class Number>
void ExchangeTable<Number>::read(std::uint32_t end, Number* changes) const {
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) changes[i] = delta_[i][end];
  if (end < ranks_) {
    std::copy(delta_[end] + end + 1, delta_[end] + facilities(), changes + end + 1);
  } else {
    std::fill(changes + before, changes + facilities(), Number(0));
  }
  for (std::size_t i = 0; interchangeable_.any() && i < facilities(); ++i) {
    if (changes[i] == kInfinite<Number>) changes[i] = 0;
  }
}

template <class Number>
void ExchangeTable<Number>::write(std::uint32_t end, const Number* changes) {
  const auto value = [&](std::size_t i) {
    return interchangeable_.are(i, end, slot_) ? kInfinite<Number> : changes[i];
  };
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) assign(i, end, value(i));
  if (end >= ranks_) return;
  Number* row = delta_[end];
  for (std::size_t j = end + 1; j < facilities(); ++j) row[j] = value(j);
  least_[0][end] = kernels_.least(row + delta_.begin(end), delta_.length(end));
}

/// Writes changes before an update of all rows, which finds the leasts.
template <class Number>
void ExchangeTable<Number>::write_ahead(std::uint32_t end, Number* changes) {
  for (std::size_t i = 0; interchangeable_.any() && i < facilities(); ++i) {
    if (interchangeable_.are(i, end, slot_)) changes[i] = kInfinite<Number>;
  }
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) delta_[i][end] = changes[i];
  if (end < ranks_) std::copy(changes + end + 1, changes + facilities(), delta_[end] + end + 1);
}

template class ExchangeTable<float>;
template class ExchangeTable<double>;

}  // namespace topowise
