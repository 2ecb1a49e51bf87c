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
  const std::size_t facilities = instance.slots;
  ShortMatrices matrices{.ranks = instance.ranks,
                         .facilities = facilities,
                         .flows = bytes(instance.flow, instance.ranks, units.flow, facilities),
                         .costs = bytes(instance.cost, facilities, units.cost, facilities),
                         .quads = PaddedRows<std::uint32_t>((facilities + 7) / 8 * 2, facilities, 0),
                         .most_flow = static_cast<int>(units.most_flow),
                         .most_cost = static_cast<int>(units.most_cost)};
  for (std::size_t i = 0; i < facilities; ++i) {
    for (std::size_t j = 0; j < facilities; ++j) {
      const auto flow = static_cast<std::uint32_t>(matrices.flows[i][j]);
      matrices.quads[i / 4][j] |= flow << (8 * (i % 4));
    }
  }
  return matrices;
}

ShortPlaces places_of(std::span<const std::uint32_t> slot_of_facility) {
  ShortPlaces places;
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  std::ranges::transform(slot_of_facility, places.begin(),
                         [](std::uint32_t slot) { return static_cast<std::uint8_t>(slot); });
  return places;
}

/// At which every change fits, whatever it is.
double widest_scale(const ShortMatrices& matrices) {
  const double most = 4.0 * static_cast<double>(matrices.facilities) * matrices.most_flow * matrices.most_cost;
  return INT16_MAX / std::max(most, 1.0);
}

}  // namespace

bool ShortTable::holds(const Instance& instance, const WholeUnits& units) {
  if (!units.fits_float || !instance.symmetric || instance.slots > kMostShortItems) return false;
  if (units.most_flow > kMostOfByte || units.most_cost > kMostOfByte) return false;
  return !Interchangeable(instance).any_with_ranks();
}

double ShortTable::exchanges_per_second(std::size_t facilities) {
  constexpr double kOverhead = 3.2e3;  // of an exchange, in entries
  const std::size_t blocks = (facilities + kShortSide - 1) / kShortSide;
  const std::size_t entries = blocks * (blocks + 1) / 2 * ShortTiles::kTile;
  return short_kernels().back().entries_per_second / (static_cast<double>(entries) + kOverhead);
}

ShortTable::ShortTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank,
                       const ShortKernels& kernels)
    : kernels_(kernels),
      ranks_(instance.ranks),
      slot_(slot_of_facility(slot_of_rank, instance.slots)),
      matrices_(matrices_of(instance, units)),
      slot_of_facility_(places_of(slot_)),
      scale_(matrices_.most_flow, matrices_.most_cost, widest_scale(matrices_)),
      table_(ranks_, instance.slots),
      least_(table_.tiles(), kShortGroups, kNever) {
  fill();
}

double ShortTable::change(std::size_t i, std::size_t j) const {
  const bool is_hidden =
      std::ranges::any_of(hidden_, [&](const Hidden& hidden) { return hidden.pair.i == i && hidden.pair.j == j; });
  if (is_hidden) return std::numeric_limits<double>::infinity();
  return 2.0 * table_.at(i, j) / static_cast<double>(scale_.entries_per_unit());
}

void ShortTable::weigh(double rate) {
  scale_ = ShortScale(matrices_.most_flow, matrices_.most_cost, -2 * rate * kOctave);  // a change counts both ways
  fill();
  find_least();
}

std::optional<DrawnExchange> ShortTable::draw(Random& random) const {
  const ShortFirst first = kernels_.first(least_, table_.tiles(), lots_.some(random));
  const std::int16_t entry = least_[first.tile][first.group];
  if (entry >= kFirstNeverDrawn) return {};
  return DrawnExchange{.pair = table_.find(first.tile, first.group, entry), .time = power_of_two(first.sum)};
}

double ShortTable::exchange(FacilityPair pair) {
  const auto [r, s] = pair;
  kernels_.measure(matrices_, slot_of_facility_, scale_, pair, step_);
  std::swap(slot_of_facility_[r], slot_of_facility_[s]);
  std::swap(slot_[r], slot_[s]);
  const std::int16_t back_again = scale_.entry(-step_.change);
  table_.at(r, s) = saturated(back_again - step_.product(r, s));
  hide(pair, back_again);
  kernels_.update(table_, step_, least_);
  return 2.0 * step_.change;
}

/// All that are hidden keep their entries up to date elsewhere.
void ShortTable::hide(FacilityPair last, std::int16_t entry) {
  if (memory_ == 0) return;
  if (hidden_.size() == memory_) restore_oldest();
  for (Hidden& hidden : hidden_) {
    const auto [i, j] = hidden.pair;
    hidden.entry = step_.after(hidden.entry, i, j);
    step_.add_no_more(i, j);
    table_.at(i, j) = kNever;
  }
  hidden_.push_back({.pair = last, .entry = entry});
  table_.at(last.i, last.j) = kNever;
}

void ShortTable::restore_oldest() {
  const Hidden& oldest = hidden_.front();
  table_.at(oldest.pair.i, oldest.pair.j) = oldest.entry;
  hidden_.erase(hidden_.begin());
}

void ShortTable::show_oldest() {
  restore_oldest();
  find_least();
}

/// Of h_i(j), what rank i would cost on the slot of j; that of nobodies is 0.
void ShortTable::fill() {
  const std::size_t n = facilities();
  std::vector<std::int32_t> held(n * n, 0);
  ShortRow<std::int8_t> with_j{};
  ShortRow<std::int32_t> by_item{};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) with_j[k] = matrices_.costs[slot_of_facility_[j]][slot_of_facility_[k]];
    kernels_.combine(matrices_, with_j.data(), by_item.data());
    for (std::size_t i = 0; i < n; ++i) held[i * n + j] = by_item[i];
  }
  for (std::size_t i = 0; i < ranks_; ++i) {
    const std::int8_t* flows = matrices_.flows[i];
    const std::int8_t* costs = matrices_.costs[slot_of_facility_[i]];
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::int32_t change = held[i * n + j] - held[i * n + i] + held[j * n + i] - held[j * n + j] +
                                  2 * flows[j] * costs[slot_of_facility_[j]];
      table_.at(i, j) = scale_.entry(change);
    }
  }
  for (Hidden& hidden : hidden_) hidden.entry = std::exchange(table_.at(hidden.pair.i, hidden.pair.j), kNever);
}

/// A step that adds nothing.
void ShortTable::find_least() {
  step_ = {.pair = {0, 1}};
  kernels_.update(table_, step_, least_);
}

}  // namespace topowise
