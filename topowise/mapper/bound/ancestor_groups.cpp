// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/ancestor_groups.hpp>

#include <algorithm>
#include <numeric>

namespace topowise {

AncestorGroups::AncestorGroups(const Topology& topology) : topology_(topology), group_(topology.vertices().size()) {
  std::iota(group_.begin(), group_.end(), 0U);
  find_depths();
  if (!depth_of_.empty()) depth_ = *std::ranges::max_element(depth_of_);
}

bool AncestorGroups::rise() {
  if (depth_ == 0) return false;
  for (std::uint32_t& group : group_) {
    if (depth_of_[group] == depth_) group = parent_of(group);
  }
  --depth_;
  return true;
}

std::uint32_t AncestorGroups::parent_of(std::uint32_t vertex) const {
  return static_cast<std::uint32_t>(topology_.vertices()[vertex].parent->index());
}

void AncestorGroups::find_depths() {
  constexpr std::uint32_t kUnknown = ~0U;
  depth_of_.assign(group_.size(), kUnknown);
  std::vector<std::uint32_t> path;
  for (std::uint32_t vertex = 0; vertex < depth_of_.size(); ++vertex) {
    std::uint32_t at = vertex;
    while (depth_of_[at] == kUnknown && topology_.vertices()[at].parent) {
      path.push_back(at);
      at = parent_of(at);
    }
    if (depth_of_[at] == kUnknown) depth_of_[at] = 0;
    std::uint32_t depth = depth_of_[at];
    for (; !path.empty(); path.pop_back()) depth_of_[path.back()] = ++depth;
  }
}

}  // namespace topowise
