// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/layout.hpp>

#include <algorithm>

namespace topowise::collective {

Layout layout_in_turn(int ranks, int gpus, int islands) {
  Layout layout;
  const int used = std::min(ranks, gpus);
  for (int rank = 0; rank < ranks; ++rank) layout.gpu.push_back(rank % used);
  for (int gpu = 0; gpu < used; ++gpu) layout.island.push_back(gpu * std::min(islands, used) / used);
  return layout;
}

std::vector<std::vector<int>> ranks_by_gpu(const Layout& layout) {
  std::vector<std::vector<int>> ranks(layout.island.size());
  for (int rank = 0; rank < layout.ranks(); ++rank)
    ranks[static_cast<std::size_t>(layout.gpu[static_cast<std::size_t>(rank)])].push_back(rank);
  return ranks;
}

}  // namespace topowise::collective
