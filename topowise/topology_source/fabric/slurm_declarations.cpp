// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/slurm_declarations.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <topowise/topology_source/fabric/hostlist.hpp>

namespace topowise {
namespace {

constexpr std::size_t kDeepest = 32;
/// Rings and tori have long routes, and all routes are kept, so the number of routers is bounded.
constexpr std::size_t kMostRouters = 512;

std::string shown_name(const SlurmAliases& aliases, const std::string& name) {
  const auto alias = aliases.find(name);
  return alias == aliases.end() ? name : fmt::format("{} ({})", name, alias->second);
}

/// Expands the host lists of one file, which share one limit.
class Names {
 public:
  explicit Names(const TextLines& lines) : lines_(lines) {}

  std::vector<std::string> expand(const SlurmGroup& group, std::string_view expression) {
    std::vector<std::string> names = expand_hostlist(lines_, group.line, expression, used_);
    used_ += names.size();
    return names;
  }

 private:
  const TextLines& lines_;
  std::size_t used_ = 0;
};

[[noreturn]] void no_nodes(const TextLines& lines) {
  fail({lines.where(), {}, "no compute nodes are declared", {}, {}});
}

class TreeMaker {
 public:
  TreeMaker(const TextLines& lines, const std::vector<SlurmGroup>& groups, const SlurmAliases& aliases,
            Warnings& warnings)
      : lines_(lines), groups_(groups), names_(lines), warnings_(warnings) {
    for (const SlurmGroup& group : groups) {
      if (!index_.emplace(group.name, index_.size()).second)
        fail(lines.at(group.line, group.name, fmt::format("switch {} is declared twice", in_quotes(group.name))));
      tree_.switches.push_back({shown_name(aliases, std::string(group.name)), std::nullopt});
    }
  }

  NetworkTree run() {
    for (std::size_t s = 0; s < groups_.size(); ++s) {
      add_children(s);
      add_nodes(s);
    }
    for (std::size_t s = 0; s < groups_.size(); ++s) check_depth(s);
    if (tree_.nodes.empty()) no_nodes(lines_);
    return std::move(tree_);
  }

 private:
  void add_children(std::size_t s) {
    const SlurmGroup& group = groups_[s];
    for (const std::string& name : names_.expand(group, group.switches)) {
      const auto child = index_.find(name);
      if (child == index_.end())
        fail(lines_.at(group.line, group.switches, fmt::format("switch {} is not declared", in_quotes(name))));
      std::optional<std::size_t>& parent = tree_.switches[child->second].parent;
      if (parent && *parent != s) {
        fail(
            lines_.at(group.line, group.switches,
                      fmt::format("switch {} is already below {}", in_quotes(name), in_quotes(groups_[*parent].name))));
      }
      parent = s;
    }
  }

  void add_nodes(std::size_t s) {
    const SlurmGroup& group = groups_[s];
    for (std::string& name : names_.expand(group, group.nodes)) {
      if (seen_.insert(name).second) {
        tree_.nodes.push_back({std::move(name), s});
      } else {
        warnings_.add(
            lines_.at(group.line, group.nodes,
                      fmt::format("node {} is on an earlier switch, too; that one is taken", in_quotes(name))));
      }
    }
  }

  void check_depth(std::size_t s) const {
    std::size_t depth = 0;
    for (std::size_t above = s; tree_.switches[above].parent; above = *tree_.switches[above].parent) {
      if (depth > 0 && above == s)
        fail(lines_.at(groups_[s].line, groups_[s].name,
                       fmt::format("switch {} is below itself", in_quotes(groups_[s].name))));
      if (++depth > kDeepest)
        fail(lines_.at(
            groups_[s].line, groups_[s].name,
            fmt::format("switch {} is more than {} levels below the top", in_quotes(groups_[s].name), kDeepest)));
    }
  }

  const TextLines& lines_;
  const std::vector<SlurmGroup>& groups_;
  Names names_;
  Warnings& warnings_;
  NetworkTree tree_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::set<std::string, std::less<>> seen_;
};

/// How many blocks of the smallest size each larger size takes.
std::vector<std::size_t> blocks_per_level(const TextLines& lines, const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> factors;
  std::size_t last = 1;
  for (const std::size_t size : sizes) {
    const std::size_t factor = size / sizes.front();
    if (size % sizes.front() != 0 || factor % last != 0)
      fail({lines.where(), {}, fmt::format("block size {} is no multiple of the smaller ones", size), {}, {}});
    if (factor > last) factors.push_back(factor);
    last = factor;
  }
  return factors;
}

}  // namespace

NetworkTree make_slurm_tree(const TextLines& lines, const std::vector<SlurmGroup>& switches,
                            const SlurmAliases& aliases, Warnings& warnings) {
  return TreeMaker(lines, switches, aliases, warnings).run();
}

NetworkTree make_slurm_blocks(const TextLines& lines, const std::vector<SlurmGroup>& blocks,
                              const std::vector<std::size_t>& sizes, const SlurmAliases& aliases) {
  NetworkTree tree;
  Names names(lines);
  std::set<std::string, std::less<>> seen;
  for (const SlurmGroup& block : blocks) {
    const std::size_t on = tree.switches.size();
    tree.switches.push_back({shown_name(aliases, std::string(block.name)), std::nullopt});
    for (std::string& name : names.expand(block, block.nodes)) {
      if (!seen.insert(name).second)
        fail(lines.at(block.line, block.nodes, fmt::format("node {} is in two blocks", in_quotes(name))));
      tree.nodes.push_back({std::move(name), on});
    }
  }
  if (tree.nodes.empty()) no_nodes(lines);
  std::vector<std::size_t> factors = blocks_per_level(lines, sizes);
  factors.push_back(blocks.size());  // the largest size is all blocks
  std::size_t below_begin = 0;
  std::size_t below_factor = 1;
  for (const std::size_t factor : factors) {
    const std::size_t below_end = tree.switches.size();
    if (below_end - below_begin < 2) break;  // one group holds all blocks already
    const std::size_t group_size = std::max<std::size_t>(1, factor / below_factor) + (factor % below_factor ? 1U : 0U);
    for (std::size_t i = below_begin; i < below_end; ++i) {
      const std::size_t group = (i - below_begin) / group_size;
      if (below_end + group == tree.switches.size()) {
        tree.switches.push_back(
            {factor == blocks.size() ? std::string("all blocks") : fmt::format("{} blocks, number {}", factor, group),
             std::nullopt});
      }
      tree.switches[i].parent = below_end + group;
    }
    below_begin = below_end;
    below_factor = factor;
  }
  return tree;
}

NetworkTree make_slurm_rings(const TextLines& lines, const std::vector<SlurmGroup>& rings) {
  std::vector<SlurmTorus> tori;
  Names names(lines);
  for (const SlurmGroup& ring : rings) tori.push_back({ring, names.expand(ring, ring.nodes).size(), 1, 1});
  return make_slurm_tori(lines, tori);
}

NetworkTree make_slurm_tori(const TextLines& lines, const std::vector<SlurmTorus>& tori) {
  NetworkTree network;
  Names names(lines);
  std::set<std::string, std::less<>> seen;
  for (const SlurmTorus& torus : tori) {
    const std::vector<std::string> nodes = names.expand(torus.group, torus.group.nodes);
    const std::size_t first = network.switches.size();
    if (first + nodes.size() > kMostRouters)
      fail(
          lines.at(torus.group.line, torus.group.nodes, fmt::format("rings and tori may have {} nodes", kMostRouters)));
    if (nodes.size() != torus.x * torus.y * torus.z) {
      fail(lines.at(
          torus.group.line, torus.group.nodes,
          fmt::format("{} nodes do not fill a torus of {} x {} x {}", nodes.size(), torus.x, torus.y, torus.z)));
    }
    for (const std::string& node : nodes) {
      if (!seen.insert(node).second)
        fail(lines.at(torus.group.line, torus.group.nodes, fmt::format("node {} occurs twice", in_quotes(node))));
      network.nodes.push_back({node, network.switches.size()});
      network.switches.push_back({fmt::format("router of {}", node), std::nullopt});
    }
    const std::array<std::size_t, 3> extents{torus.x, torus.y, torus.z};
    std::size_t stride = 1;
    for (const std::size_t extent : extents) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t at = i / stride % extent;
        const std::size_t next = i - at * stride + (at + 1) % extent * stride;
        const bool twice = extent == 2 && at == 1;  // the neighbour in both directions is the same router
        if (extent > 1 && !twice) network.cables.emplace_back(first + i, first + next);
      }
      stride *= extent;
    }
  }
  if (network.nodes.empty()) no_nodes(lines);
  return network;
}

}  // namespace topowise
