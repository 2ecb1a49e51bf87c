// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/mapping.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>

namespace topowise {

void Mapping::check(const Topology& topology, int ranks_per_place, std::string_view name) const {
  std::vector<int> load(topology.place_count(), 0);
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    const std::size_t place = place_of_[rank].index();
    if (place >= load.size()) {
      throw bad_input(fmt::format("{} puts rank {} on place {}, but '{}' has only places 0 to {}", name, rank, place,
                                  topology.name(), load.size() - 1));
    }
    const int capacity = ranks_per_place > 0 ? ranks_per_place : topology.place(place_of_[rank]).capacity;
    if (++load[place] > capacity) {
      throw bad_input(fmt::format("{} puts more ranks on place {} ({}) than its capacity {}", name, place,
                                  topology.vertex_of(place_of_[rank]).name, capacity),
                      "--ranks-per-place N lets N ranks share a place");
    }
  }
}

}  // namespace topowise
