// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/weighed_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace topowise {
namespace {

template <class Number>
constexpr Number kInfinite = std::numeric_limits<Number>::infinity();

/// Of a size that is known, for which no function is called.
template <class Number>
void copy_block(const Number* from, Number* to) {
  std::memcpy(to, from, kLanes<Number> * sizeof(Number));
}

}  // namespace

template <class Number>
WeighedTable<Number>::WeighedTable(const Instance& instance, const WholeUnits& units,
                                   std::span<const std::uint32_t> slot_of_rank)
    : kernels_(weighing_kernels<Number>().back()),
      ranks_(instance.ranks),
      slot_(slot_of_facility(slot_of_rank, instance.slots)),
      interchangeable_(instance),
      ends_(instance, units, slot_),
      table_(ranks_, instance.slots),
      changes_(2, instance.slots, kInfinite<Number>),
      by_lane_(table_.tiles().size() + 1, kLanes<Number>, Number(0)) {
  const PaddedRows<Number> changes = ends_.changes();
  for (std::size_t i = 0; i < ranks_; ++i) {
    for (std::size_t j = i + 1; j < facilities(); ++j)
      table_.at(i, j) = interchangeable_.are(i, j, slot_) ? kInfinite<Number> : changes[i][j];
  }
}

template <class Number>
void WeighedTable<Number>::weigh(double rate) {
  rate_ = static_cast<Number>(rate);
  ends_.forget_step();
  update();
}

template <class Number>
double WeighedTable<Number>::sum_of_weights() const {
  const Number* lanes = by_lane_[table_.tiles().size()];
  return std::accumulate(lanes, lanes + kLanes<Number>, 0.0);
}

/// By lane, tile and row.
template <class Number>
std::optional<FacilityPair> WeighedTable<Number>::find(double rest) const {
  const auto is_here = [&rest](Number weight) {
    if (rest < static_cast<double>(weight)) return true;
    rest -= static_cast<double>(weight);
    return false;
  };
  constexpr std::size_t kSide = PairTiles<Number>::kSide;
  const auto tiles = table_.tiles();
  std::size_t lane = 0;
  while (lane + 1 < kSide && !is_here(by_lane_[tiles.size()][lane])) ++lane;
  std::size_t tile = 0;
  while (tile + 1 < tiles.size() && !is_here(by_lane_[tile][lane])) ++tile;
  const auto& [numbers, pitch, rows, first, column] = tiles[tile];
  for (std::size_t row = 0; row < rows; ++row) {
    const Number entry = numbers[row * pitch + lane];
    if (!is_here(ExchangeWeight<Number>::of(entry, rate_))) continue;
    if (!std::isfinite(entry)) return {};
    const auto [i, j] =
        std::minmax({static_cast<std::uint32_t>(first + row), static_cast<std::uint32_t>(column + lane)});
    return FacilityPair{i, j};
  }
  return {};
}

template <class Number>
std::optional<DrawnExchange> WeighedTable<Number>::draw(Random& random) const {
  constexpr double kNoWeight = 0x1p-80;  // more than that of infinite entries
  const double all = sum_of_weights();
  if (all < kNoWeight) return {};
  std::optional<FacilityPair> pair;
  while (!pair) pair = find(random.unit() * all);
  return DrawnExchange{.pair = *pair, .time = 1 / all};
}

template <class Number>
Number WeighedTable<Number>::exchange(FacilityPair pair) {
  const auto [r, s] = pair;
  hide(pair);
  for (const Hidden& hidden : hidden_) table_.at(hidden.pair.i, hidden.pair.j) = hidden.entry;
  read(r, changes_[1]);  // of the one that will stand where the other does
  read(s, changes_[0]);
  const Number change = table_.at(r, s);
  ends_.exchange(r, s, change, changes_[0], changes_[1]);
  std::swap(slot_[r], slot_[s]);
  write(r, changes_[0]);
  write(s, changes_[1]);
  ends_.settle(r, s);
  const ExchangeStep<Number> step = ends_.step();
  for (Hidden& hidden : hidden_) {
    const auto [i, j] = hidden.pair;
    hidden.entry = std::exchange(table_.at(i, j), kInfinite<Number>) + step(i, j);
  }
  update();
  return change;
}

template <class Number>
void WeighedTable<Number>::hide(FacilityPair pair) {
  if (memory_ == 0) return;
  hidden_.push_back({pair, table_.at(pair.i, pair.j)});
  if (hidden_.size() > memory_) restore_oldest();
}

template <class Number>
void WeighedTable<Number>::show_oldest() {
  restore_oldest();
  weigh(static_cast<double>(rate_));
}

template <class Number>
void WeighedTable<Number>::restore_oldest() {
  const Hidden& oldest = hidden_.front();
  table_.at(oldest.pair.i, oldest.pair.j) = oldest.entry;
  hidden_.erase(hidden_.begin());
}

/// Of every exchange of `end`; those of twins, or of two that stand for nobody, change nothing. Of `end` itself it has
/// no meaning.
template <class Number>
void WeighedTable<Number>::read(std::uint32_t end, Number* changes) const {
  constexpr std::size_t kSide = PairTiles<Number>::kSide;
  const std::size_t blocks_end = table_.blocks_end();
  if (end < blocks_end) {
    if (end < ranks_) {
      for (std::size_t j = end / kSide * kSide; j < blocks_end; j += kSide)
        copy_block(table_.column(j) + kSide * end, changes + j);
    } else {
      std::fill(changes + ranks_, changes + blocks_end, Number(0));
    }
    const Number* column = table_.column(end);
    for (std::size_t i = 0; i < std::min<std::size_t>(end, ranks_); ++i) changes[i] = column[kSide * i];
  } else {
    std::copy_n(table_.row(end), end, changes);
  }
  for (std::size_t j = std::max<std::size_t>(blocks_end, end + 1); j < facilities(); ++j)
    changes[j] = table_.row(j)[end];
  for (std::size_t i = 0; interchangeable_.any() && i < facilities(); ++i) {
    if (changes[i] == kInfinite<Number>) changes[i] = 0;
  }
}

template <class Number>
void WeighedTable<Number>::write(std::uint32_t end, Number* changes) {
  constexpr std::size_t kSide = PairTiles<Number>::kSide;
  const std::size_t blocks_end = table_.blocks_end();
  for (std::size_t i = 0; interchangeable_.any() && i < facilities(); ++i) {
    if (interchangeable_.are(i, end, slot_)) changes[i] = kInfinite<Number>;
  }
  if (end < blocks_end) {
    Number* column = table_.column(end);
    for (std::size_t i = 0; i < std::min<std::size_t>(end, ranks_); ++i) column[kSide * i] = changes[i];
    if (end < ranks_) {
      const std::size_t next = whole_blocks<Number>(end + 1);
      for (std::size_t j = end + 1; j < next; ++j) table_.at(end, j) = changes[j];
      for (std::size_t j = next; j < blocks_end; j += kSide) copy_block(changes + j, table_.column(j) + kSide * end);
    }
  } else {
    std::copy_n(changes, end, table_.row(end));
  }
  for (std::size_t j = std::max<std::size_t>(blocks_end, end + 1); j < facilities(); ++j)
    table_.row(j)[end] = changes[j];
}

template <class Number>
void WeighedTable<Number>::update() {
  kernels_.update_and_weigh({.table = table_, .step = ends_.step(), .rate = rate_, .by_lane = by_lane_});
}

template class WeighedTable<float>;
template class WeighedTable<double>;

}  // namespace topowise
