// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace topowise {
namespace {

constexpr double kMostOfByte = 127;

PaddedRows<std::int8_t> bytes(std::span<const double> matrix, std::size_t size, double unit, std::size_t rows) {
  PaddedRows<std::int8_t> result(rows, kMostShortItems, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) result[i][j] = static_cast<std::int8_t>(matrix[i * size + j] / unit);
  }
  return result;
}

ShortMatrices matrices_of(const Instance& instance, const WholeUnits& units) {
  const std::size_t items = instance.slots;
  ShortMatrices matrices{.ranks = instance.ranks,
                         .items = items,
                         .flows = bytes(instance.flow, instance.ranks, units.flow, items),
                         .costs = bytes(instance.cost, items, units.cost, items),
                         .quads = PaddedRows<std::uint32_t>((items + 7) / 8 * 2, items, 0),
                         .most_flow = static_cast<int>(units.most_flow),
                         .most_cost = static_cast<int>(units.most_cost)};
  for (std::size_t slot = 0; slot < items; ++slot) {
    for (std::size_t q = 0; q < items; ++q) {
      const auto cost = static_cast<std::uint32_t>(matrices.costs[slot][q]);
      matrices.quads[slot / 4][q] |= cost << (8 * (slot % 4));
    }
  }
  return matrices;
}

ShortPlaces places_of(std::span<const std::uint32_t> slot_of_item) {
  ShortPlaces places;
  std::iota(places.slot_of_item.begin(), places.slot_of_item.end(), std::uint8_t{0});
  std::ranges::transform(slot_of_item, places.slot_of_item.begin(),
                         [](std::uint32_t slot) { return static_cast<std::uint8_t>(slot); });
  for (std::size_t item = 0; item < kMostShortItems; ++item)
    places.item_of_slot[places.slot_of_item[item]] = static_cast<std::uint8_t>(item);
  return places;
}

/// At which every change fits, whatever it is.
double widest_scale(const ShortMatrices& matrices) {
  const double most = 4.0 * static_cast<double>(matrices.items) * matrices.most_flow * matrices.most_cost;
  return (INT16_MAX - 2 * kEntryOfNothing) / std::max(most, 1.0);
}

}  // namespace

bool ShortTable::holds(const Instance& instance, const WholeUnits& units) {
  if (!units.fits_float || !instance.symmetric || instance.slots > kMostShortItems) return false;
  if (units.most_flow > kMostOfByte || units.most_cost > kMostOfByte) return false;
  return !Twins(instance).any_with_ranks();
}

double ShortTable::exchanges_per_second(std::size_t items) {
  constexpr double kOverhead = 3.2e3;  // of an exchange, in entries
  const std::size_t blocks = (items + kShortSide - 1) / kShortSide;
  const std::size_t entries = blocks * (blocks + 1) / 2 * ShortTiles::kTile;
  return short_kernels().back().entries_per_second / (static_cast<double>(entries) + kOverhead);
}

ShortTable::ShortTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank,
                       const ShortKernels& kernels)
    : kernels_(kernels),
      ranks_(instance.ranks),
      slot_(slot_of_item(slot_of_rank, instance.slots)),
      matrices_(matrices_of(instance, units)),
      places_(places_of(slot_)),
      scale_(matrices_.most_flow, matrices_.most_cost, widest_scale(matrices_)),
      table_(ranks_, instance.slots),
      sums_(table_.tiles() + 1, kShortSide, 0) {
  fill();
  reweigh();
}

double ShortTable::change(std::size_t i, std::size_t j) const {
  const bool is_hidden =
      std::ranges::any_of(hidden_, [&](const Hidden& hidden) { return hidden.pair.i == i && hidden.pair.j == j; });
  if (is_hidden) return std::numeric_limits<double>::infinity();
  return 2.0 * (table_.at(i, j) - kEntryOfNothing) / static_cast<double>(scale_.entries_per_unit());
}

void ShortTable::weigh(double rate) {
  scale_ = ShortScale(matrices_.most_flow, matrices_.most_cost, -2 * rate * kOctave);  // a change counts both ways
  fill();
  reweigh();
}

std::optional<ItemPair> ShortTable::find(double rest) const {
  const auto [i, j] = kernels_.find(table_, sums_, static_cast<std::uint32_t>(rest * kWeightOfNothing));
  if (i >= ranks_ || j >= items() || i >= j) return {};
  return ItemPair{i, j};
}

double ShortTable::exchange(ItemPair pair) {
  const auto [r, s] = pair;
  for (const Hidden& hidden : hidden_) table_.at(hidden.pair.i, hidden.pair.j) = hidden.entry;
  kernels_.measure(matrices_, places_, scale_, pair, step_);
  const std::uint8_t slot_r = places_.slot_of_item[r];
  const std::uint8_t slot_s = places_.slot_of_item[s];
  const int change =
      step_.apart[slot_s] - step_.apart[slot_r] + 2 * matrices_.flows[r][s] * matrices_.costs[slot_r][slot_s];
  kernels_.move_ends(matrices_, places_, scale_, pair, step_, table_);
  table_.at(r, s) = saturated(scale_.entry(-change) + kEntryOfNothing - step_(r, s));  // back again
  std::swap(places_.slot_of_item[r], places_.slot_of_item[s]);
  std::swap(places_.item_of_slot[slot_r], places_.item_of_slot[slot_s]);
  std::swap(slot_[r], slot_[s]);
  if (memory_ > 0) {
    if (hidden_.size() == memory_) hidden_.erase(hidden_.begin());
    hidden_.push_back({.pair = pair});
  }
  for (Hidden& hidden : hidden_) {
    const auto [i, j] = hidden.pair;
    hidden.entry = saturated(std::exchange(table_.at(i, j), kNever) + step_(i, j));
  }
  all_ = kernels_.update_and_weigh(table_, step_, sums_);
  return 2.0 * change;
}

void ShortTable::show_oldest() {
  const Hidden& oldest = hidden_.front();
  table_.at(oldest.pair.i, oldest.pair.j) = oldest.entry;
  hidden_.erase(hidden_.begin());
  reweigh();
}

/// Of h_i(j), what rank i would cost on the slot of j; that of nobodies is 0.
void ShortTable::fill() {
  const std::size_t n = items();
  std::vector<std::int32_t> held(n * n, 0);
  ShortRow<std::int32_t> by_slot{};
  for (std::size_t i = 0; i < ranks_; ++i) {
    kernels_.combine(matrices_, places_, matrices_.flows[i], by_slot.data());
    for (std::size_t j = 0; j < n; ++j) held[i * n + j] = by_slot[places_.slot_of_item[j]];
  }
  for (std::size_t i = 0; i < ranks_; ++i) {
    const std::int8_t* flows = matrices_.flows[i];
    const std::int8_t* costs = matrices_.costs[places_.slot_of_item[i]];
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::int32_t change = held[i * n + j] - held[i * n + i] + held[j * n + i] - held[j * n + j] +
                                  2 * flows[j] * costs[places_.slot_of_item[j]];
      table_.at(i, j) = saturated(scale_.entry(change) + kEntryOfNothing);
    }
  }
  for (Hidden& hidden : hidden_) hidden.entry = std::exchange(table_.at(hidden.pair.i, hidden.pair.j), kNever);
}

/// As after a step that adds nothing.
void ShortTable::reweigh() {
  step_.flows.fill(0);
  all_ = kernels_.update_and_weigh(table_, step_, sums_);
}

}  // namespace topowise
