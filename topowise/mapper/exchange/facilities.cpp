// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/facilities.hpp>

namespace topowise {

std::vector<std::uint32_t> slot_of_facility(std::span<const std::uint32_t> slot_of_rank, std::size_t slots) {
  std::vector<std::uint32_t> result(slot_of_rank.begin(), slot_of_rank.end());
  std::vector<bool> taken(slots, false);
  for (const std::uint32_t slot : slot_of_rank) taken[slot] = true;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!taken[slot]) result.push_back(slot);
  }
  return result;
}

std::vector<std::uint32_t> first_interchangeable(std::span<const double> matrix, std::size_t size) {
  const auto at = [&](std::size_t i, std::size_t j) { return matrix[i * size + j]; };
  const auto are_interchangeable = [&](std::size_t i, std::size_t j) {
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
      if (first[j] == j && are_interchangeable(i, j)) first[i] = j;
    }
  }
  return first;
}

Interchangeable::Interchangeable(const Instance& instance)
    : first_facility_(first_interchangeable(instance.flow, instance.ranks)),
      first_slot_(first_interchangeable(instance.cost, instance.slots)) {
  const auto is_silent = [&](std::size_t i) {
    for (std::size_t k = 0; k < instance.ranks; ++k) {
      if (instance.flow[i * instance.ranks + k] != 0 || instance.flow[k * instance.ranks + i] != 0) return false;
    }
    return true;
  };
  std::uint32_t silent = 0;  // the first silent facility, a dummy if no rank is silent
  while (silent < instance.ranks && !is_silent(silent)) ++silent;
  first_facility_.resize(instance.slots, silent);
  for (std::uint32_t i = 0; i < instance.slots; ++i) any_ = any_ || first_facility_[i] != i || first_slot_[i] != i;
}

}  // namespace topowise
