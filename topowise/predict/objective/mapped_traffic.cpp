// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/mapped_traffic.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>

namespace topowise {

void check_mapped(const Traffic& traffic, const Topology& topology, const Mapping& mapping) {
  if (mapping.ranks() != traffic.ranks())
    throw bad_input(
        fmt::format("the mapping places {} ranks, but the traffic has {}", mapping.ranks(), traffic.ranks()));
  for (std::size_t rank = 0; rank < mapping.ranks(); ++rank) {
    const std::size_t place = mapping.places()[rank].index();
    if (place >= topology.place_count()) {
      throw bad_input(fmt::format("the mapping puts rank {} on place {}, but '{}' has only places 0 to {}", rank, place,
                                  topology.name(), topology.place_count() - 1));
    }
  }
}

}  // namespace topowise
