// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/preset.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise {
namespace {

/// A preset of several nodes gives them names, which are those of no machine.
Topology with_invented_hosts(Topology machine) {
  const bool has_hosts =
      std::ranges::any_of(machine.vertices(), [](const Vertex& vertex) { return !vertex.node.empty(); });
  if (!has_hosts) return machine;
  TopologyBuilder builder(machine);
  builder.invent_hosts();
  return std::move(builder).build();
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> found;
    const std::span<const Preset> group[] = {preset_group::pcie_trees(),     preset_group::pcie_servers(),
                                             preset_group::cube_meshes(),    preset_group::nvlink_groups(),
                                             preset_group::nvswitch_nodes(), preset_group::blackwell(),
                                             preset_group::instinct_nodes(), preset_group::max_series_nodes(),
                                             preset_group::other_vendors(),  preset_group::paper_clusters()};
    for (const std::span<const Preset>& each : group) found.insert(found.end(), each.begin(), each.end());
    std::ranges::sort(found, {}, &Preset::name);
    return found;
  }();
  return all;
}

std::span<const Preset> network_presets() {
  return preset_group::networks();
}

std::vector<Preset> all_presets() {
  std::vector<Preset> all(presets().begin(), presets().end());
  all.insert(all.end(), network_presets().begin(), network_presets().end());
  std::ranges::sort(all, {}, &Preset::name);
  return all;
}

Topology read_preset(std::string_view name) {
  const std::vector<Preset> all = all_presets();
  const auto found = std::ranges::find(all, name, &Preset::name);
  if (found != all.end()) return with_invented_hosts(found->make());
  const std::vector<std::string> names = names_of(all);
  throw bad_input(unknown_name("preset", name, names), "topowise topology --list");
}

}  // namespace topowise
