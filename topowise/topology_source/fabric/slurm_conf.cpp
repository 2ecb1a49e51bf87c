// SPDX-License-Identifier: BSD-3-Clause
// topology.conf(5): lines of KEY=VALUE words, with keys in any case and comments after '#'. Generators write the real
// name of a switch in a comment of its own, "# id=name". A '\' at the end of a line continues it. `scontrol show
// topology` prints the same words and some more: the Level of a switch (whose Nodes repeat all nodes below it), and the
// index and the size of each block.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/located_yaml.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>

namespace topowise {
namespace {

// The declarations of topology.conf and topology.yaml, in either notation, and the network that they make.

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

struct SlurmTorus {
  SlurmGroup group;
  std::size_t x = 1, y = 1, z = 1;
};

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

/// The switch on which topograph puts the nodes that it could not locate.
constexpr std::string_view kNotLocated = "no-topology";

class TreeMaker {
 public:
  TreeMaker(const TextLines& lines, const std::vector<SlurmGroup>& groups, const SlurmAliases& aliases,
            Warnings& warnings)
      : lines_(lines), groups_(groups), names_(lines), warnings_(warnings) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const SlurmGroup& group = groups[g];
      const auto [at, is_new] = index_.emplace(group.name, tree_.switches.size());
      if (!is_new && !completes_last(g))
        fail(lines.at(group.line, group.name, fmt::format("switch {} is declared twice", in_quotes(group.name))));
      switch_of_.push_back(at->second);
      if (!is_new) continue;
      name_of_.push_back(group.name);
      tree_.switches.push_back({shown_name(aliases, std::string(group.name)), std::nullopt});
    }
  }

  NetworkTree run() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      add_children(g);
      add_nodes(g);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) check_depth(g);
    if (tree_.nodes.empty() && left_out_.empty()) no_nodes(lines_);
    if (tree_.nodes.empty()) fail({lines_.where(), {}, left_out_.why_none(), {}, {}});
    left_out_.report(lines_.where(), warnings_);
    remove_not_located();
    return std::move(tree_);
  }

 private:
  /// True if this line gives the nodes of the switch whose other switches the line before gives, or the other way
  /// round, as topograph writes a switch that has both.
  [[nodiscard]] bool completes_last(std::size_t g) const {
    const SlurmGroup& one = groups_[g - 1];
    const SlurmGroup& other = groups_[g];
    return one.name == other.name &&
           ((one.nodes.empty() && other.switches.empty()) || (one.switches.empty() && other.nodes.empty()));
  }

  void add_children(std::size_t g) {
    const SlurmGroup& group = groups_[g];
    const std::size_t s = switch_of_[g];
    for (const std::string& name : names_.expand(group, group.switches)) {
      const auto child = index_.find(name);
      if (child == index_.end())
        fail(lines_.at(group.line, group.switches, fmt::format("switch {} is not declared", in_quotes(name))));
      std::optional<std::size_t>& parent = tree_.switches[child->second].parent;
      if (parent && *parent != s) {
        fail(lines_.at(group.line, group.switches,
                       fmt::format("switch {} is already below {}", in_quotes(name), in_quotes(name_of_[*parent]))));
      }
      parent = s;
    }
  }

  void add_nodes(std::size_t g) {
    const SlurmGroup& group = groups_[g];
    for (std::string& name : names_.expand(group, group.nodes)) {
      if (!seen_.insert(name).second) {
        warnings_.add(
            lines_.at(group.line, group.nodes,
                      fmt::format("node {} is on an earlier switch, too; that one is taken", in_quotes(name))));
      } else if (group.name == kNotLocated) {
        left_out_.add("not located by topograph", name);
      } else {
        tree_.nodes.push_back({std::move(name), switch_of_[g]});
      }
    }
  }

  void check_depth(std::size_t g) const {
    const std::size_t s = switch_of_[g];
    std::size_t depth = 0;
    for (std::size_t above = s; tree_.switches[above].parent; above = *tree_.switches[above].parent) {
      if (depth > 0 && above == s)
        fail(lines_.at(groups_[g].line, groups_[g].name,
                       fmt::format("switch {} is below itself", in_quotes(groups_[g].name))));
      if (++depth > kDeepest)
        fail(lines_.at(
            groups_[g].line, groups_[g].name,
            fmt::format("switch {} is more than {} levels below the top", in_quotes(groups_[g].name), kDeepest)));
    }
  }

  /// Takes away the switch of the nodes that are left out, which is none.
  void remove_not_located() {
    const auto at = index_.find(kNotLocated);
    if (left_out_.empty() || at == index_.end()) return;
    const std::size_t gone = at->second;
    const auto moved = [&](std::size_t s) { return s > gone ? s - 1 : s; };
    tree_.switches.erase(tree_.switches.begin() + static_cast<std::ptrdiff_t>(gone));
    for (NetworkTree::Switch& each : tree_.switches) {
      if (each.parent == gone) each.parent.reset();
      if (each.parent) each.parent = moved(*each.parent);
    }
    for (NetworkTree::Node& node : tree_.nodes) node.on = moved(node.on);
  }

  const TextLines& lines_;
  const std::vector<SlurmGroup>& groups_;
  Names names_;
  Warnings& warnings_;
  NetworkTree tree_;
  std::vector<std::size_t> switch_of_;     ///< by group
  std::vector<std::string_view> name_of_;  ///< by switch
  std::map<std::string, std::size_t, std::less<>> index_;
  std::set<std::string, std::less<>> seen_;
  NodesLeftOut left_out_;
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

/// Each function throws Error(bad_input) that points at the mistake.
NetworkTree make_slurm_tree(const TextLines& lines, const std::vector<SlurmGroup>& switches,
                            const SlurmAliases& aliases, Warnings& warnings) {
  return TreeMaker(lines, switches, aliases, warnings).run();
}

/// Blocks in the order of the file; `sizes` (nodes, ascending) say how many consecutive blocks form a larger block.
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

/// Nodes fill the torus in order, x fastest.
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

/// Each node has its own router, joined to those of its neighbours.
NetworkTree make_slurm_rings(const TextLines& lines, const std::vector<SlurmGroup>& rings) {
  std::vector<SlurmTorus> tori;
  Names names(lines);
  for (const SlurmGroup& ring : rings) tori.push_back({ring, names.expand(ring, ring.nodes).size(), 1, 1});
  return make_slurm_tori(lines, tori);
}

// Slurm's topology.yaml: a list of topologies. Only one of them is read.

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

  /// A host list is on the line of its key, which may not be the line of the name.
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

/// The topology with `cluster_default: true`, else the first one. Throws Error(bad_input).
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

constexpr std::string_view kSource = "slurm";

struct Declarations {
  std::vector<SlurmGroup> switches;
  std::vector<SlurmGroup> blocks;
  std::vector<std::size_t> block_sizes;
  SlurmAliases aliases;
};

/// True for `[user@login ~]$ scontrol show topology`, or a prompt alone, which are in texts pasted from a terminal.
bool is_prompt(std::string_view line) {
  if (line.find("scontrol show") != std::string_view::npos) return true;
  const std::string_view text = trim(line);
  constexpr std::string_view kSigns = "$#>%";
  return !text.empty() && text.find('=') == std::string_view::npos &&
         kSigns.find(text.back()) != std::string_view::npos;
}

class ConfReader {
 public:
  ConfReader(const TextLines& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  Declarations read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      if (is_prompt(lines_[l])) continue;
      const std::size_t hash = lines_[l].find('#');
      if (hash != std::string_view::npos) read_alias(trim(lines_[l].substr(hash + 1)));
      const std::string_view words = trim(lines_[l].substr(0, hash));
      if (!words.empty()) read_line(l, words);
    }
    return std::move(found_);
  }

 private:
  void read_alias(std::string_view comment) {
    const std::size_t equals = comment.find('=');
    const bool one_word = std::ranges::none_of(comment, is_blank);
    if (equals == std::string_view::npos || !one_word) return;
    constexpr std::size_t kLongest = 256;
    if (found_.aliases.size() < kMostSlurmGroups)
      found_.aliases[std::string(comment.substr(0, std::min(equals, kLongest)))] =
          printable(comment.substr(equals + 1, kLongest));
  }

  void read_line(std::size_t l, std::string_view words) {
    SlurmGroup group{.line = l};
    bool is_block = false;
    bool aggregated = false;
    bool of_scontrol = false;
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos)
        fail(lines_.at(l, word, fmt::format("{} is no KEY=VALUE", in_quotes(word))));
      const std::string key = lower(word.substr(0, equals));
      const std::string_view value = word.substr(equals + 1);
      if (key == "switchname" || key == "blockname") {
        group.name = value;
        is_block = key == "blockname";
      } else if (key == "aggregatedblock") {
        aggregated = true;
      } else if (key == "level") {
        of_scontrol = true;
      } else if (key == "blocksize") {
        read_sizes(l, value);
      } else if (key == "switches") {
        group.switches = value;
      } else if (key == "nodes") {
        group.nodes = value;
      } else if (key == "blocksizes") {
        read_sizes(l, value);
      } else if (key == "linkspeed") {
        read_speed(l, word, value);
      } else if (key != "blockindex") {
        static const std::vector<std::string> keys{"SwitchName", "Switches",   "Nodes",
                                                   "BlockName",  "BlockSizes", "LinkSpeed"};
        fail(lines_.at(l, word, unknown_name("parameter", word.substr(0, equals), keys)));
      }
    }
    if (aggregated) return;  // the size and the blocks are read already
    if (of_scontrol && !group.switches.empty()) group.nodes = {};
    if (!group.name.empty()) {
      if (found_.switches.size() + found_.blocks.size() == kMostSlurmGroups)
        fail(lines_.at(l, {}, fmt::format("more than {} switches or blocks", kMostSlurmGroups)));
      (is_block ? found_.blocks : found_.switches).push_back(group);
    } else if (!group.nodes.empty() || !group.switches.empty()) {
      fail(lines_.at(l, {}, "neither SwitchName nor BlockName on this line"));
    }
  }

  /// The unit of LinkSpeed is arbitrary, says the manual; scontrol prints 1 where the file has none.
  void read_speed(std::size_t l, std::string_view word, std::string_view value) {
    if (value != "1" && !std::exchange(has_speed_, true))
      warnings_.add(
          lines_.at(l, word, "LinkSpeed is not used, because Slurm gives it no unit (cluster: has nic=50GB/s)"));
  }

  void read_sizes(std::size_t l, std::string_view value) {
    constexpr std::int64_t kLargest = 1 << 20;
    constexpr std::size_t kMostSizes = 64;
    std::string_view rest = value;
    do {
      const std::string_view part = take_part(rest, ',');
      const std::optional<std::int64_t> size = parse_integer(part);
      if (!size || *size < 1 || *size > kLargest)
        fail(lines_.at(l, part, fmt::format("{} is not a block size", in_quotes(part))));
      const auto at = std::ranges::lower_bound(found_.block_sizes, static_cast<std::size_t>(*size));
      if (at != found_.block_sizes.end() && *at == static_cast<std::size_t>(*size)) continue;
      if (found_.block_sizes.size() == kMostSizes)
        fail(lines_.at(l, part, fmt::format("more than {} block sizes", kMostSizes)));
      found_.block_sizes.insert(at, static_cast<std::size_t>(*size));
    } while (!rest.empty());
  }

  const TextLines& lines_;
  Warnings& warnings_;
  Declarations found_;
  bool has_speed_ = false;
};

NetworkTree read_conf(const TextLines& lines, Warnings& warnings) {
  const Declarations found = ConfReader(lines, warnings).read();
  if (found.switches.empty() && found.blocks.empty())
    fail({lines.where(), {}, "neither SwitchName nor BlockName found", {}, "--format NAME chooses another format"});
  if (found.switches.empty()) return make_slurm_blocks(lines, found.blocks, found.block_sizes, found.aliases);
  if (!found.blocks.empty())
    warnings.add(lines.at(found.blocks.front().line, {}, "blocks beside switches are not read"));
  return make_slurm_tree(lines, found.switches, found.aliases, warnings);
}

/// Joins the lines that a '\' continues to one line, followed by empty lines, so that all other lines keep their
/// numbers.
std::string join_continued(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  std::size_t owed = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t last = line.find_last_not_of(" \t\r");  // Slurm ignores blanks after a '\', too
    if (last != std::string_view::npos && line[last] == '\\') {
      joined.append(line.substr(0, last));
      ++owed;
    } else {
      joined.append(line).append(owed + 1, '\n');
      owed = 0;
    }
  }
  return joined.append(owed, '\n');
}

bool recognises(std::string_view head) {
  const TextLines lines({}, head);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string line = lower(trim(lines[l]).substr(0, 16));
    if (line.starts_with("switchname=") || line.starts_with("blockname=") || line.starts_with("aggregatedblock"))
      return true;
  }
  return looks_like_slurm_yaml(lines);
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  std::string_view text = plain_text(input, cleaned);
  Warnings warnings;
  const bool is_yaml = looks_like_slurm_yaml(TextLines({}, text.substr(0, 65536)));
  std::string joined;
  if (!is_yaml && text.find('\\') != std::string_view::npos) text = joined = join_continued(text);
  const TextLines lines(where, text);
  return build_topology(where, is_yaml ? read_slurm_yaml(lines, warnings) : read_conf(lines, warnings), kSource,
                        warnings);
}

}  // namespace

const TopologyFormat kSlurmFormat{"slurm", "Slurm topology.conf, topology.yaml or scontrol show topology", recognises,
                                  read, kLargestCluster};

}  // namespace topowise
