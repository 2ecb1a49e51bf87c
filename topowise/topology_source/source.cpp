// SPDX-License-Identifier: BSD-3-Clause
// The argument becomes a small value before anything is opened; then each kind of source is read by its own folder.
#include <topowise/topology_source/source.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/join.hpp>
#include <topowise/topology_source/live/job_share.hpp>
#include <topowise/topology_source/merge/merge.hpp>
#include <topowise/topology_source/node/gpu_identities.hpp>
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>
#include <topowise/topology_source/synthetic/network.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>
#include <topowise/topology_source/this_machine.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

namespace topowise {
namespace {

struct Source {
  enum class Kind : unsigned char { live, live_node, live_fabric, preset, tree, network, file, cluster, join };
  Kind kind = Kind::file;
  std::string text;           ///< what follows the prefix; the whole argument of a network, a file, a join
  std::vector<Source> parts;  ///< of a join
};

Source parse_part(const std::string& argument) {
  constexpr std::string_view kPreset = "preset:";
  constexpr std::string_view kTree = "tree:";
  if (argument == kLive) return {Source::Kind::live, {}, {}};
  if (argument == kLiveNode) return {Source::Kind::live_node, {}, {}};
  if (argument == kLiveFabric) return {Source::Kind::live_fabric, {}, {}};
  if (argument.starts_with(kPreset)) return {Source::Kind::preset, argument.substr(kPreset.size()), {}};
  if (argument.starts_with(kTree)) return {Source::Kind::tree, argument.substr(kTree.size()), {}};
  if (is_synthetic_network(argument)) return {Source::Kind::network, argument, {}};
  return {Source::Kind::file, argument, {}};
}

Source parse_source(const std::string& argument) {
  if (argument.starts_with(kClusterPrefix)) return {Source::Kind::cluster, argument.substr(kClusterPrefix.size()), {}};
  std::error_code ignored;
  if (argument.find('+') == std::string::npos || std::filesystem::exists(argument, ignored))
    return parse_part(argument);
  Source join{Source::Kind::join, argument, {}};
  for (const std::string_view part : split(argument, '+')) {
    if (part.empty())
      throw usage_error(fmt::format("'{}' joins sources, but one is empty", printable(argument)), "NODE.xml+P2P.txt");
    join.parts.push_back(parse_part(std::string(part)));
  }
  return join;
}

Error no_such_source(const std::string& argument, const Error& reason) {
  if (argument.starts_with("pattern:"))
    return bad_input(fmt::format("'{}' is traffic, where a machine is asked for", argument),
                     "TRAFFIC comes first, then TOPOLOGY");
  std::string hint = "a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE";
  std::vector<std::string> names{std::string(kLive), std::string(kLiveNode), std::string(kLiveFabric)};
  for (const std::string& preset : names_of(all_presets())) names.push_back(preset);
  const std::vector<std::string> kinds{"preset", "tree", "torus", "mesh", "dragonfly", "cluster"};
  const std::size_t colon = argument.find(':');
  std::error_code ignored;
  if (!std::filesystem::exists(argument, ignored)) {
    if (const std::optional<std::string> guess = did_you_mean(argument, names))
      hint = fmt::format("did you mean '{}{}'?", guess->starts_with(kLive) ? "" : "preset:", *guess);
    else if (const auto kind = did_you_mean(argument.substr(0, colon), kinds); colon != std::string::npos && kind)
      hint = fmt::format("did you mean '{}{}'?", *kind, printable(argument.substr(colon)));
  }
  return bad_input(reason.what(), std::move(hint));
}

MachineFile open_machine(const std::string& path) try { return MachineFile(path); } catch (const Error& error) {
  throw no_such_source(path, error);
}

/// Reads a file. Of a file or a stream in no known format only the head is read.
Topology read_file(MachineFile& file, std::string_view format) {
  const TopologyFormat& chosen = format_of(file, format);
  return chosen.read(file.where(), file.text(chosen.largest));
}

/// A source that is no file.
Topology read_word(const Source& source) {
  switch (source.kind) {
    case Source::Kind::live:
      return limited_to_share(read_live().topology, job_share(this_witness(), ShareOf::job));
    case Source::Kind::live_node:
      return read_live().topology;
    case Source::Kind::live_fabric:
      return live_fabric();
    case Source::Kind::preset:
      return read_preset(source.text);
    case Source::Kind::tree:
      return read_synthetic_tree(source.text);
    default:
      return read_synthetic_network(source.text);
  }
}

/// Reads the parts of a join in their order. Its files stay open, or read, until all parts are.
class JoinReader {
 public:
  JoinReader(const Source& join, std::string_view format) : join_(join), format_(format) {}

  Topology read() {
    std::optional<Topology> joined;
    std::vector<std::pair<std::string, GpuIdentities>> all_identities;
    for (std::size_t i = 0; i < join_.parts.size();) {
      if (std::optional<GpuIdentities> identities = read_identities(i)) {
        all_identities.emplace_back(file(i++).where(), *std::move(identities));
        continue;
      }
      const Topology next = read_part(i);
      joined = joined ? merge(*joined, next) : next;
    }
    if (!joined)
      throw bad_input(fmt::format("nothing in '{}' says how the GPUs are joined", printable(join_.text)),
                      "nvidia-smi topo -m > topo.txt");
    for (const auto& [where, identities] : all_identities) joined = with_gpu_identities(*joined, identities, where);
    std::vector<std::string_view> texts;
    for (const Source& part : join_.parts) {
      if (const auto found = files_.find(part.text); found != files_.end()) texts.push_back(found->second.read_text());
    }
    return with_named_rates(*std::move(joined), texts);
  }

 private:
  /// A file that is named twice is opened once.
  MachineFile& file(std::size_t i) {
    const std::string& path = join_.parts[i].text;
    const auto found = files_.find(path);
    return found != files_.end() ? found->second : files_.emplace(path, open_machine(path)).first->second;
  }
  bool is_file(std::size_t i) const { return join_.parts[i].kind == Source::Kind::file; }

  /// What a file says of GPUs that does not say how they are joined.
  std::optional<GpuIdentities> read_identities(std::size_t i) {
    if (!is_file(i)) return std::nullopt;
    MachineFile& part = file(i);
    if (is_nvidia_smi_xml(part.head())) return read_nvidia_smi_xml(part.where(), part.text());
    return read_smi_p2p(part.where(), part.head());
  }

  bool is_forwarding(std::size_t i) {
    if (i >= join_.parts.size() || !is_file(i)) return false;
    try {
      return looks_like_forwarding(file(i).head());
    } catch (const Error&) {
      return false;  // what comes before it is read first; then this part is tried once more, and the error is reported
    }
  }

  /// Reads part `i` with the forwarding tables behind it, and moves `i` on.
  Topology read_part(std::size_t& i) {
    const std::size_t first = i++;
    if (!is_forwarding(i)) return is_file(first) ? read_file(file(first), format_) : read_word(join_.parts[first]);
    const std::string& fabric = join_.parts[first].text;
    const std::string& table = file(i).where();
    const TopologyFormat* chosen = is_file(first) ? &format_of(file(first), format_) : nullptr;
    if (chosen != &topology_format("ibnetdiscover"))
      throw bad_input(
          fmt::format("'{}' holds forwarding tables, which belong to a fabric of ibnetdiscover, not to '{}'", table,
                      fabric),
          "ibnetdiscover > fabric.txt, then fabric.txt+lfts.txt");
    std::string text = file(first).text(kLargestCluster);  // the tables belong to the fabric: both are read as one text
    for (; is_forwarding(i); ++i) text.append("\n").append(file(i).text(kLargestCluster));
    return chosen->read(fabric, text);
  }

  const Source& join_;
  std::string_view format_;
  std::map<std::string, MachineFile> files_;  ///< by path
};

Topology read_source(const std::string& argument, std::string_view format) {
  const Source source = parse_source(argument);
  switch (source.kind) {
    case Source::Kind::cluster:
      return read_cluster(source.text, [&](const std::string& part) { return read_source(part, format); });
    case Source::Kind::join:
      return JoinReader(source, format).read();
    case Source::Kind::file: {
      MachineFile file = open_machine(source.text);
      return read_file(file, format);
    }
    default:
      return read_word(source);
  }
}

}  // namespace

Topology read_topology(const std::string& argument, std::string_view format) {
  if (!format.empty()) (void)topology_format(format);  // checked even if nothing is read that has a format
  return with_shared_switches_told(read_source(argument, format));
}

}  // namespace topowise
