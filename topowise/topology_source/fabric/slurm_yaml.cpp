// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/slurm_yaml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/fabric/located_yaml.hpp>
#include <topowise/topology_source/fabric/slurm_declarations.hpp>

namespace topowise {
namespace {

class YamlReader {
 public:
  YamlReader(const TextLines& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  NetworkTree read(const YamlValue& topology) {
    if (const YamlValue* tree = topology.find("tree"))
      return make_slurm_tree(lines_, groups(*tree, "switches", "switch"), {}, warnings_);
    if (const YamlValue* block = topology.find("block"))
      return make_slurm_blocks(lines_, groups(*block, "blocks", "block"), sizes(*block), {});
    if (const YamlValue* ring = topology.find("ring")) return make_slurm_rings(lines_, groups(*ring, "rings", "ring"));
    if (const YamlValue* torus = topology.find("torus3d")) return read_tori(*torus);
    const bool flat = topology.find("flat") != nullptr;
    fail(lines_.at(topology.line, {},
                   flat ? std::string("a flat topology names no nodes, and places need names")
                        : std::string("the topology is none of tree, block, ring, torus3d and flat")));
  }

 private:
  /// The groups in the list `plural`; each has its name under `singular` or "name".
  std::vector<SlurmGroup> groups(const YamlValue& parent, std::string_view plural, std::string_view singular) const {
    const YamlValue* list = parent.find(plural);
    if (list == nullptr) fail(lines_.at(parent.line, {}, fmt::format("'{}' is missing", plural)));
    std::vector<SlurmGroup> found;
    for (const YamlValue& item : list->items) found.push_back(group(item, singular));
    return found;
  }

  /// A host list stands on the line of its key, which may not be the line of the name.
  SlurmGroup group(const YamlValue& item, std::string_view singular) const {
    SlurmGroup group{.line = item.line, .name = item.scalar_of(singular)};
    if (group.name.empty()) group.name = item.scalar_of("name");
    if (group.name.empty()) fail(lines_.at(item.line, {}, fmt::format("'{}' is missing", singular)));
    group.switches = item.scalar_of("children");
    group.nodes = item.scalar_of("nodes");
    for (const std::string_view key : {"children", "nodes"}) {
      if (const YamlValue* value = item.find(key)) group.line = value->line;
    }
    return group;
  }

  std::size_t parse_extent(std::string_view text, std::size_t line) const {
    constexpr std::int64_t kLargest = 1 << 20;
    const std::optional<std::int64_t> value = parse_integer(text);
    if (!value || *value < 1 || *value > kLargest)
      fail(lines_.at(line, text, fmt::format("{} is not a number from 1 to {}", in_quotes(text), kLargest)));
    return static_cast<std::size_t>(*value);
  }

  std::vector<std::size_t> sizes(const YamlValue& block) const {
    std::vector<std::size_t> found;
    if (const YamlValue* list = block.find("block_sizes")) {
      for (const YamlValue& item : list->items) found.push_back(parse_extent(item.scalar, item.line));
    }
    std::ranges::sort(found);
    return found;
  }

  NetworkTree read_tori(const YamlValue& parent) const {
    const YamlValue* list = parent.find("toruses");
    if (list == nullptr) fail(lines_.at(parent.line, {}, "'toruses' is missing"));
    std::vector<SlurmTorus> tori;
    for (const YamlValue& item : list->items) {
      const YamlValue* dims = item.find("dims");
      if (dims == nullptr) fail(lines_.at(item.line, {}, "'dims' is missing"));
      const auto extent = [&](std::string_view key) { return parse_extent(dims->scalar_of(key), dims->line); };
      tori.push_back({group(item, "torus"), extent("x"), extent("y"), extent("z")});
    }
    return make_slurm_tori(lines_, tori);
  }

  const TextLines& lines_;
  Warnings& warnings_;
};

}  // namespace

bool looks_like_slurm_yaml(const TextLines& lines) {
  constexpr std::array<std::string_view, 5> kKinds{"tree:", "block:", "flat:", "ring:", "torus3d:"};
  bool in_list = false;
  bool has_name = false;
  bool has_kind = false;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string_view key = trim(lines[l]);
    const bool is_item = key.starts_with("- ");
    if (is_item) key = trim(key.substr(1));
    in_list = in_list || is_item;
    const bool is_name = key.starts_with("topology:");
    if (is_name && is_item) return true;
    has_name = has_name || is_name;
    has_kind = has_kind || std::ranges::any_of(kKinds, [&](std::string_view kind) { return key.starts_with(kind); });
  }
  return in_list && has_name && has_kind;
}

NetworkTree read_slurm_yaml(const TextLines& lines, Warnings& warnings) {
  const LocatedYaml yaml(lines);
  const YamlValue& file = yaml.root();
  if (file.items.empty() || !file.keys.empty()) fail({lines.where(), {}, "no list of topologies found", {}, {}});
  const auto is_default = [](const YamlValue& topology) { return topology.scalar_of("cluster_default") == "true"; };
  auto chosen = std::ranges::find_if(file.items, is_default);
  if (chosen == file.items.end()) chosen = file.items.begin();
  for (auto other = file.items.begin(); other != file.items.end(); ++other) {
    if (other == chosen) continue;
    warnings.add(lines.at(other->line, {},
                          fmt::format("topology {} is not read, only {}", in_quotes(other->scalar_of("topology")),
                                      in_quotes(chosen->scalar_of("topology")))));
  }
  return YamlReader(lines, warnings).read(*chosen);
}

}  // namespace topowise
