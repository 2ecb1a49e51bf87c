// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/exchange_table.hpp>

#include <utility>

namespace topowise {
namespace {

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
