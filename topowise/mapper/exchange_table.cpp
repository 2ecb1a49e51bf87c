// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange_table.hpp>

#include <cmath>
#include <numeric>

namespace topowise {
namespace {

/// The largest number of which all are multiples, 0 if they are not all whole halves (means of two whole numbers) that
/// a double holds exactly.
double common_unit(std::span<const double> numbers) {
  constexpr double kExact = 4503599627370496.0;  // 2^52
  std::int64_t divisor = 0;
  for (const double number : numbers) {
    const double twice = 2 * number;
    if (twice != std::floor(twice) || std::abs(twice) > kExact) return 0;
    divisor = std::gcd(divisor, static_cast<std::int64_t>(twice));
  }
  return divisor == 0 ? 1.0 : static_cast<double>(divisor) / 2;
}

/// With a row of zeros at the end.
template <class Number>
PaddedRows<Number> scaled(std::span<const double> matrix, std::size_t size, double unit) {
  PaddedRows<Number> result(size + 1, size, Number(0));
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) result[a][b] = static_cast<Number>(matrix[a * size + b] / unit);
  }
  return result;
}

}  // namespace

WholeUnits whole_units(const Instance& instance) {
  constexpr double kFloatExact = 16777216.0;  // 2^24
  WholeUnits units{.flow = common_unit(instance.flow), .cost = common_unit(instance.cost)};
  if (units.flow == 0 || units.cost == 0) return {};
  double most_flow = 0;  // of one rank, both ways
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < instance.ranks; ++k)
      sum += instance.flow[i * instance.ranks + k] + instance.flow[k * instance.ranks + i];
    most_flow = std::max(most_flow, sum / units.flow);
  }
  const double most_cost = instance.cost.empty() ? 0.0 : *std::ranges::max_element(instance.cost) / units.cost;
  // Each of the five terms of a delta is at most h; a step of an update is no larger.
  units.fits_float = 8 * most_flow * most_cost < kFloatExact;
  return units;
}

std::vector<std::uint32_t> first_twins(std::span<const double> matrix, std::size_t size) {
  const auto at = [&](std::size_t i, std::size_t j) { return matrix[i * size + j]; };
  const auto are_twins = [&](std::size_t i, std::size_t j) {
    if (at(i, j) != at(j, i)) return false;
    for (std::size_t k = 0; k < size; ++k) {
      if (k != i && k != j && (at(i, k) != at(j, k) || at(k, i) != at(k, j))) return false;
    }
    return true;
  };
  std::vector<std::uint32_t> first(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    first[i] = i;
    for (std::uint32_t j = 0; j < i && first[i] == i; ++j) {
      if (first[j] == j && are_twins(i, j)) first[i] = j;
    }
  }
  return first;
}

template <class Number>
ExchangeTable<Number>::ExchangeTable(const Instance& instance, const WholeUnits& units,
                                     std::span<const std::uint32_t> slot_of_rank,
                                     const ExchangeKernels<Number>& kernels)
    : kernels_(kernels),
      ranks_(instance.ranks),
      items_(instance.slots),
      symmetric_(instance.symmetric),
      slot_(slot_of_rank.begin(), slot_of_rank.end()),
      flow_(scaled<Number>(instance.flow, ranks_, units.flow)),
      from_(scaled<Number>(instance.cost, items_, units.cost)),
      held_(ranks_, items_, Number(0)),
      delta_(ranks_, items_),
      least_(1, ranks_, kInfinite),
      partners_(ranks_),
      x_(1, items_, Number(0)),
      y_(x_),
      d_(2, items_, Number(0)),
      e_(d_),
      apart_(1, items_, Number(0)),
      by_slot_a_(items_),
      by_slot_e_(items_),
      by_slot_b_(items_),
      by_slot_c_(items_),
      changes_r_(items_),
      changes_s_(items_),
      found_(delta_.end()),
      found_rows_(least_.stride()) {
  std::vector<bool> taken(items_, false);
  for (const std::uint32_t slot : slot_of_rank) taken[slot] = true;
  for (std::uint32_t slot = 0; slot < items_; ++slot) {
    if (!taken[slot]) slot_.push_back(slot);
  }
  if (!symmetric_) {
    back_flow_ = flow_;
    for (std::size_t i = 0; i < ranks_; ++i) {
      for (std::size_t j = 0; j < ranks_; ++j) back_flow_[j][i] = flow_[i][j];
    }
    to_ = from_;
    for (std::size_t a = 0; a < items_; ++a) {
      for (std::size_t b = 0; b < items_; ++b) to_[b][a] = from_[a][b];
    }
  }
  std::size_t pairs = 0;
  for (std::uint32_t i = 0; i < ranks_; ++i) {
    for (std::uint32_t j = 0; j < ranks_; ++j) {
      if (flow(i, j) != 0 || flow(j, i) != 0) partners_[i].push_back(j);
    }
    pairs += partners_[i].size();
  }
  dense_ = 4 * pairs > ranks_ * items_;
  twin_slot_ = first_twins(instance.cost, items_);
  twin_item_ = first_twins(instance.flow, ranks_);
  const auto silent = std::ranges::find_if(partners_, &std::vector<std::uint32_t>::empty);
  twin_item_.resize(items_, static_cast<std::uint32_t>(silent - partners_.begin()));
  for (std::uint32_t i = 0; i < items_; ++i) has_twins_ = has_twins_ || twin_item_[i] != i || twin_slot_[i] != i;
  fill_held();
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < items_; ++j) delta_[i][j] = change(i, j);
    least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  }
}

template <class Number>
void ExchangeTable<Number>::fill_held() {
  const auto at = std::span(slot_).first(ranks_);
  for (std::size_t i = 0; i < ranks_; ++i) {
    if (dense_) {
      kernels_.combine({.x = flow_[i], .at = at, .rows = symmetric_ ? from_ : to_, .sum = held_[i]});
      kernels_.combine({.x = symmetric_ ? flow_[i] : back_flow_[i], .at = at, .rows = from_, .sum = held_[i]});
      continue;
    }
    Number* row = held_[i];
    for (const std::uint32_t k : partners_[i]) {
      const Number* in = to(slot_[k]);
      const Number* out = from(slot_[k]);
      for (std::size_t q = 0; q < items_; ++q) row[q] += flow(i, k) * in[q] + flow(k, i) * out[q];
    }
  }
}

template <class Number>
Number ExchangeTable<Number>::change(std::size_t i, std::size_t j) const {
  if (are_twins(i, j)) return kInfinite;
  const std::uint32_t pi = slot_[i];
  const std::uint32_t pj = slot_[j];
  return held(i, pj) - held(i, pi) + held(j, pi) - held(j, pj) +
         (flow(i, j) + flow(j, i)) * (from(pi)[pj] + from(pj)[pi]);
}

template <class Number>
void ExchangeTable<Number>::exchange(std::uint32_t r, std::uint32_t s) {
  change_ends(r, s);
  if (dense_) {
    write_ahead(r, s);
    kernels_.update_changes(update_of(0, ranks_));
    return;
  }
  update_changes(r, s);
  update_held();
  for (const std::uint32_t i : touched_) x_[0][i] = y_[0][i] = 0;
  write(r, changes_r_.data());
  write(s, changes_s_.data());
  for (const std::uint32_t i : stale_) least_[0][i] = kernels_.least(delta_[i] + delta_.begin(i), delta_.length(i));
  stale_.clear();
}

template <class Number>
void ExchangeTable<Number>::weigh(Number rate, PaddedRows<Number>& by_lane) {
  std::fill_n(x_[0], items_, Number(0));
  std::fill_n(y_[0], items_, Number(0));
  kernels_.update_and_weigh({.update = update_of(0, ranks_), .rate = rate, .by_lane = by_lane});
}

template <class Number>
void ExchangeTable<Number>::exchange_and_weigh(std::uint32_t r, std::uint32_t s, Number rate,
                                               PaddedRows<Number>& by_lane) {
  for (const Hidden& hidden : hidden_) delta_[hidden.i][hidden.j] = hidden.entry;
  if (dense_) {
    change_ends(r, s);
    write_ahead(r, s);
  } else {
    exchange(r, s);  // leaves no step
  }
  for (Hidden& hidden : hidden_) {
    Number& entry = delta_[hidden.i][hidden.j];
    hidden.entry = entry + step(hidden.i, hidden.j);
    entry = kInfinite;
  }
  kernels_.update_and_weigh({.update = update_of(0, ranks_), .rate = rate, .by_lane = by_lane});
}

template <class Number>
void ExchangeTable<Number>::show_oldest() {
  delta_[hidden_.front().i][hidden_.front().j] = hidden_.front().entry;
  hidden_.erase(hidden_.begin());
}

/// Swaps the slots and finds what all exchanges of r and of s would change thereafter.
template <class Number>
void ExchangeTable<Number>::change_ends(std::uint32_t r, std::uint32_t s) {
  find_touched(r, s);
  find_ways(r, s);
  read(r, changes_s_.data());  // of the one that will stand where the other does
  read(s, changes_r_.data());
  const Number back = -delta_[r][s];
  const std::uint32_t a = slot_[r];
  const std::uint32_t b = slot_[s];
  const Number* x = x_[0];
  const Number* y = y_[0];
  const Number offset_r = -by_slot_a_[b];
  const Number offset_s = symmetric_ ? by_slot_a_[a] : -by_slot_e_[a];
  for (std::size_t i = 0; symmetric_ && i < items_; ++i) {
    const std::uint32_t p = slot_[i];
    const Number moved = by_slot_a_[p] + x[i] * by_slot_b_[p];
    changes_r_[i] += offset_r + moved;
    changes_s_[i] += offset_s - moved;
  }
  for (std::size_t i = 0; !symmetric_ && i < items_; ++i) {
    const std::uint32_t p = slot_[i];
    changes_r_[i] += offset_r + (by_slot_a_[p] + (x[i] * by_slot_b_[p] + y[i] * by_slot_c_[p]));
    changes_s_[i] += offset_s + (by_slot_e_[p] - (x[i] * by_slot_c_[p] + y[i] * by_slot_b_[p]));
  }
  std::swap(slot_[r], slot_[s]);
  changes_r_[s] = changes_s_[r] = back;
  for (std::size_t i = 0; i < items_; ++i) d_[1][i] = d_[0][slot_[i]];
  for (std::size_t i = 0; !symmetric_ && i < items_; ++i) e_[1][i] = e_[0][slot_[i]];
}

template <class Number>
void ExchangeTable<Number>::note_flow(std::uint32_t r, std::uint32_t s, std::uint32_t i) {
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

template <class Number>
void ExchangeTable<Number>::find_touched(std::uint32_t r, std::uint32_t s) {
  touched_.clear();
  if (dense_) {
    // Of all ranks, without looking who is touched: x and y of the last exchange are overwritten.
    const Number ways = symmetric_ ? 2 : 1;
    const auto subtract = [&](const PaddedRows<Number>& flows, Number* result) {
      const Number* one = flows[r];
      const Number* other = flows[std::min<std::size_t>(s, ranks_)];
      for (std::size_t i = 0; i < ranks_; ++i) result[i] = ways * (one[i] - other[i]);
    };
    subtract(flow_, x_[0]);
    if (!symmetric_) subtract(back_flow_, y_[0]);
    return;
  }
  for (const std::uint32_t end : {r, s}) {
    if (end >= ranks_) continue;
    for (const std::uint32_t i : partners_[end]) {
      if (x_[0][i] == 0 && y_[0][i] == 0) note_flow(r, s, i);
    }
  }
}

/// Before the exchange.
template <class Number>
void ExchangeTable<Number>::find_ways(std::uint32_t r, std::uint32_t s) {
  const std::uint32_t a = slot_[r];
  const std::uint32_t b = slot_[s];
  const auto subtract = [&](const Number* one, const Number* other, Number* difference) {
    for (std::size_t q = 0; q < items_; ++q) difference[q] = one[q] - other[q];
  };
  Number* d = d_[0];
  Number* e = symmetric_ ? d_[0] : e_[0];
  subtract(from(a), from(b), d);
  if (!symmetric_) subtract(to(a), to(b), e);
  subtract_held(r, s);
  // Both products of the change of h_r and of h_s: their x and y are the flows between r and s.
  const Number one = flow(s, r);
  const Number other = flow(r, s);
  const Number* held = apart_[0];
  const auto sum = [&](const Number* out, const Number* in, Number less, Number* result) {
    for (std::size_t q = 0; q < items_; ++q) result[q] = out[q] + in[q] - less;
  };
  for (std::size_t q = 0; q < items_; ++q) by_slot_a_[q] = held[q] + (one * d[q] + other * e[q]);
  sum(from(a), to(b), from(a)[b], by_slot_b_.data());
  if (symmetric_) return;
  for (std::size_t q = 0; q < items_; ++q) by_slot_e_[q] = -held[q] - (other * d[q] + one * e[q]);
  sum(to(a), from(b), from(b)[a], by_slot_c_.data());
}

/// h_r - h_s.
template <class Number>
void ExchangeTable<Number>::subtract_held(std::uint32_t r, std::uint32_t s) {
  Number* apart = apart_[0];
  if (dense_) {
    std::fill_n(apart, items_, Number(0));
    const auto at = std::span(slot_).first(ranks_);
    kernels_.combine({.x = x_[0], .at = at, .rows = symmetric_ ? from_ : to_, .sum = apart});
    if (!symmetric_) kernels_.combine({.x = y_[0], .at = at, .rows = from_, .sum = apart});
    return;
  }
  std::copy_n(held_[r], items_, apart);
  for (std::size_t q = 0; s < ranks_ && q < items_; ++q) apart[q] -= held_[s][q];
}

/// Where traffic is sparse only few rows change.
template <class Number>
void ExchangeTable<Number>::update_held() {
  for (const std::uint32_t i : touched_) {
    kernels_.update_held({.row = held_[i], .length = held_.stride(), .x = x_[0][i], .d = d_[0]});
    if (!symmetric_) kernels_.update_held({.row = held_[i], .length = held_.stride(), .x = y_[0][i], .d = e_[0]});
  }
}

template <class Number>
ChangeUpdate<Number> ExchangeTable<Number>::update_of(std::size_t first, std::size_t end) {
  return {delta_, first, end, x_[0], d_[1], symmetric_ ? nullptr : y_[0], e_[1], least_[0]};
}

/// What such an update adds to an entry.
template <class Number>
Number ExchangeTable<Number>::step(std::size_t i, std::size_t j) const {
  const Number step = (x_[0][i] - x_[0][j]) * (d_[1][i] - d_[1][j]);
  return symmetric_ ? step : step + (y_[0][i] - y_[0][j]) * (e_[1][i] - e_[1][j]);
}

/// Where traffic is sparse, of all pairs without r and s; theirs become infinite where rows are updated as a whole.
template <class Number>
void ExchangeTable<Number>::update_changes(std::uint32_t r, std::uint32_t s) {
  const auto hide = [&](std::size_t i) {
    if (i < r) delta_[i][r] = kInfinite;
    if (i < s) delta_[i][s] = kInfinite;
  };
  // A row is contiguous and a column is not: with many touched items all rows are cheaper.
  constexpr std::size_t kRowsPerColumn = 16;
  if (kRowsPerColumn * touched_.size() > items_) {
    for (std::size_t i = 0; i < ranks_; ++i) hide(i);
    kernels_.update_changes(update_of(0, ranks_));
    return;
  }
  for (const std::uint32_t i : touched_) {
    hide(i);
    kernels_.update_changes(update_of(i, i + 1));
  }
  add_to_columns(r, s);
}

/// Columns of the touched ranks in the rows of the others, whose own x and y are 0.
template <class Number>
void ExchangeTable<Number>::add_to_columns(std::uint32_t r, std::uint32_t s) {
  const Number* x = x_[0];
  const Number* y = y_[0];
  const Number* g = d_[1];
  const Number* e = e_[1];
  for (const std::uint32_t j : touched_) {
    if (j == r || j == s) continue;
    for (std::uint32_t i = 0; i < j; ++i) {
      if (x[i] == 0 && y[i] == 0) assign(i, j, delta_[i][j] + (x[j] * (g[j] - g[i]) + y[j] * (e[j] - e[i])));
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

/// Of every exchange of `end`; those of twins, or of two that stand for nobody, change nothing.
template <class Number>
void ExchangeTable<Number>::read(std::uint32_t end, Number* changes) const {
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) changes[i] = delta_[i][end];
  if (end < ranks_) {
    std::copy(delta_[end] + end + 1, delta_[end] + items_, changes + end + 1);
  } else {
    std::fill(changes + before, changes + items_, Number(0));
  }
  for (std::size_t i = 0; has_twins_ && i < items_; ++i) {
    if (changes[i] == kInfinite) changes[i] = 0;
  }
}

template <class Number>
void ExchangeTable<Number>::write(std::uint32_t end, const Number* changes) {
  const auto value = [&](std::size_t i) { return are_twins(i, end) ? kInfinite : changes[i]; };
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) assign(i, end, value(i));
  if (end >= ranks_) return;
  Number* row = delta_[end];
  for (std::size_t j = end + 1; j < items_; ++j) row[j] = value(j);
  least_[0][end] = kernels_.least(row + delta_.begin(end), delta_.length(end));
}

/// Of both ends, less what the update of all rows will add.
template <class Number>
void ExchangeTable<Number>::write_ahead(std::uint32_t r, std::uint32_t s) {
  write_ahead(r, changes_r_.data());
  write_ahead(s, changes_s_.data());
}

template <class Number>
void ExchangeTable<Number>::write_ahead(std::uint32_t end, Number* changes) {
  for (std::size_t i = 0; i < items_; ++i) changes[i] -= step(i, end);
  for (std::size_t i = 0; has_twins_ && i < items_; ++i) {
    if (are_twins(i, end)) changes[i] = kInfinite;
  }
  const std::size_t before = std::min<std::size_t>(end, ranks_);
  for (std::size_t i = 0; i < before; ++i) delta_[i][end] = changes[i];
  if (end < ranks_) std::copy(changes + end + 1, changes + items_, delta_[end] + end + 1);
}

template class ExchangeTable<float>;
template class ExchangeTable<double>;

}  // namespace topowise
