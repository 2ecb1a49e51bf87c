// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/path_tree.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/reading/located_text.hpp>

namespace topowise {

void PathTree::add(std::string host, const std::vector<std::string>& path) {
  constexpr std::size_t kMostLevels = 64;
  constexpr std::size_t kMostSwitches = std::size_t{1} << 16;
  if (path.size() > kMostLevels)
    fail({where_,
          {},
          fmt::format("host {} is below {} switches, one above the other: more than {}", in_quotes(host), path.size(),
                      kMostLevels),
          {},
          {}});
  std::optional<std::size_t> above;
  for (const std::string& name : path) {
    const auto [at, is_new] = known_.try_emplace({above, name}, tree_.switches.size());
    if (is_new) tree_.switches.push_back({name, above});
    above = at->second;
  }
  if (!above) {
    above = tree_.switches.size();
    tree_.switches.push_back({host, std::nullopt});
  }
  tree_.nodes.push_back({std::move(host), *above});
  if (tree_.switches.size() > kMostSwitches)
    fail({where_, {}, fmt::format("more than {} switches", kMostSwitches), {}, {}});
}

NetworkTree PathTree::finish(const std::string& top) && {
  const auto is_root = [](const NetworkTree::Switch& entry) { return !entry.parent; };
  if (std::ranges::count_if(tree_.switches, is_root) < 2) return std::move(tree_);
  const std::size_t joint = tree_.switches.size();
  for (NetworkTree::Switch& entry : tree_.switches)
    if (is_root(entry)) entry.parent = joint;
  tree_.switches.push_back({top, std::nullopt});
  return std::move(tree_);
}

}  // namespace topowise
