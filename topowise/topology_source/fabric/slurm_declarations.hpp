// SPDX-License-Identifier: BSD-3-Clause
// The declarations of topology.conf and topology.yaml, in either notation, and the network that they make.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>

namespace topowise {

/// Most switches or blocks of one description, and most other names of them.
inline constexpr std::size_t kMostSlurmGroups = std::size_t{1} << 16;

/// A switch, block, ring or torus. Expressions are host lists: views into line `line`; empty if not given.
struct SlurmGroup {
  std::size_t line = 0;
  std::string_view name;
  std::string_view switches;
  std::string_view nodes;
};

/// Second names of switches, from comments "# id=name".
using SlurmAliases = std::map<std::string, std::string, std::less<>>;

/// Each function throws Error(bad_input) that points at the mistake.
[[nodiscard]] NetworkTree make_slurm_tree(const TextLines& lines, const std::vector<SlurmGroup>& switches,
                                          const SlurmAliases& aliases, Warnings& warnings);
/// Blocks in the order of the file; `sizes` (nodes, ascending) say how many consecutive blocks form a larger block.
[[nodiscard]] NetworkTree make_slurm_blocks(const TextLines& lines, const std::vector<SlurmGroup>& blocks,
                                            const std::vector<std::size_t>& sizes, const SlurmAliases& aliases);
/// Each node has its own router, joined to those of its neighbours.
[[nodiscard]] NetworkTree make_slurm_rings(const TextLines& lines, const std::vector<SlurmGroup>& rings);
struct SlurmTorus {
  SlurmGroup group;
  std::size_t x = 1, y = 1, z = 1;
};
/// Nodes fill the torus in order, x fastest.
[[nodiscard]] NetworkTree make_slurm_tori(const TextLines& lines, const std::vector<SlurmTorus>& tori);

}  // namespace topowise
