// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/slot_symmetry.hpp>

namespace topowise {

Symmetry symmetry_of_slots(const Instance& instance, std::span<const std::int64_t> capacity) {
  constexpr double kSamePlace =
      -1;  // less than any cost: slots of one place are distinguished from those of places at no cost
  std::vector<double> matrix = instance.cost;
  for (std::size_t a = 0; a < capacity.size(); ++a) {
    for (std::size_t b = 0; b < capacity.size(); ++b) {
      if (instance.place_of_slot[b] == instance.place_of_slot[a]) matrix[a * instance.slots + b] = kSamePlace;
    }
    matrix[a * instance.slots + a] = static_cast<double>(capacity[a]);
  }
  return {matrix, instance.slots};
}

}  // namespace topowise
