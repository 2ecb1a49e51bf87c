// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/bonds.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace topowise {

void Bonds::state(VertexId from, VertexId to, LinkKind kind, int width, BytesPerSecond bandwidth) {
  Bond& bond = stated_[{kind, std::minmax(from, to)}];
  End& end = from < to ? bond.from_first : bond.from_second;
  end.width += width;
  end.bandwidth += bandwidth;
}

void Bonds::state_both(VertexId from, VertexId to, LinkKind kind, int width, BytesPerSecond bandwidth) {
  state(from, to, kind, width, bandwidth);
  state(to, from, kind, width, bandwidth);
}

bool Bonds::all_single() const {
  return std::ranges::all_of(stated_, [](const auto& entry) {
    return std::max(entry.second.from_first.width, entry.second.from_second.width) == 1;
  });
}

void Bonds::add_to(TopologyBuilder& builder, const Provenance& source) const {
  for (const auto& [key, bond] : stated_) {
    const auto& [first, second] = key.second;
    const End& forth = bond.from_first.width > 0 ? bond.from_first : bond.from_second;
    const End& back = bond.from_second.width > 0 ? bond.from_second : bond.from_first;
    if (bond.from_first.width != bond.from_second.width)
      builder.warn(fmt::format("{} names {} {} links to {}, which names {} back", builder.vertex(first).name,
                               bond.from_first.width, to_string(key.first), builder.vertex(second).name,
                               bond.from_second.width));
    builder.add_link({.from = first,
                      .to = second,
                      .kind = key.first,
                      .width = forth.width,
                      .bandwidth = forth.bandwidth,
                      .source = source});
    builder.add_link({.from = second,
                      .to = first,
                      .kind = key.first,
                      .width = back.width,
                      .bandwidth = back.bandwidth,
                      .source = source});
  }
}

}  // namespace topowise
