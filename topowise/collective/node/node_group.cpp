// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/node_group.hpp>

#include <algorithm>
#include <cstring>
#include <map>

namespace topowise::collective {

NodeGroup group_by_node(int rank, int size, const Exchange& exchange) {
  const std::uint64_t mine = process_space();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  exchange(&mine, all.data(), sizeof mine);
  std::map<std::uint64_t, int> members;
  NodeGroup group;
  for (int other = 0; other < size; ++other) {
    const std::uint64_t space = all[static_cast<std::size_t>(other)];
    group.most_members = std::max(group.most_members, ++members[space]);
    if (space != mine) continue;
    if (other == rank) group.rank = group.size();
    group.members.push_back(other);
  }
  group.nodes = static_cast<int>(members.size());
  return group;
}

Exchange exchange_in(const NodeGroup& group, int size, const Exchange& exchange) {
  if (group.nodes == 1) return exchange;
  return [members = group.members, size, exchange](const void* mine, void* all, std::size_t bytes) {
    std::vector<char> whole(static_cast<std::size_t>(size) * bytes);
    exchange(mine, whole.data(), bytes);
    auto* to = static_cast<char*>(all);
    for (const int member : members) {
      std::memcpy(to, whole.data() + static_cast<std::size_t>(member) * bytes, bytes);
      to += bytes;
    }
  };
}

}  // namespace topowise::collective
