// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/rank_groups.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace topowise {
namespace {

/// The distance from each rank to the next; 0 if it is not the same.
std::uint32_t stride_of(const std::vector<std::uint32_t>& ranks) {
  const std::uint32_t stride = ranks[1] - ranks[0];
  for (std::size_t i = 2; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) return 0;
  }
  return stride;
}

}  // namespace

void RankGroupsByShape::add(const std::vector<std::uint32_t>& ranks, Bytes bytes) {
  if (ranks.size() < 2) return;
  std::vector<std::uint32_t> sorted = ranks;
  std::ranges::sort(sorted);
  groups_[std::move(sorted)] += bytes;
}

std::vector<RankGroups> RankGroupsByShape::list() const {
  std::map<std::pair<std::size_t, std::uint32_t>, RankGroups> kinds;
  for (const auto& [ranks, bytes] : groups_) {
    const std::uint32_t stride = stride_of(ranks);
    RankGroups& kind = kinds[{ranks.size(), stride}];
    if (kind.kind.empty())
      kind.kind =
          stride > 0 ? fmt::format("{} ranks, {} apart", ranks.size(), stride) : fmt::format("{} ranks", ranks.size());
    kind.groups.push_back(ranks);
    kind.bytes += bytes;
  }
  std::vector<RankGroups> all;
  for (auto& [shape, kind] : kinds) all.push_back(std::move(kind));
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const RankGroups& each) { return each.bytes.value(); });
  return all;
}

}  // namespace topowise
