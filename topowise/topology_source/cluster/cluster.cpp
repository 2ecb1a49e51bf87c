// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/cluster/compose.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>

namespace topowise {

namespace {

constexpr std::string_view kForm =
    "cluster:FABRIC,NODE[,hosts=job][,nic=50GB/s], as cluster:topology.conf,preset:hgx-h100";

/// Splits at the commas that no bracket encloses.
std::vector<std::string> split_outside_brackets(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The position of the '=' after a key or a list of hosts; not of one in the path of a file.
std::size_t assignment(std::string_view part) {
  const std::size_t equals = part.find('=');
  const std::size_t other = part.find_first_of("/:");
  return equals != std::string_view::npos && equals < other ? equals : std::string_view::npos;
}

/// True if there are only letters, digits and the other characters of a list of hosts.
bool looks_like_hosts(std::string_view part) {
  const auto in_hosts = [](char c) {
    return is_letter_or_digit(c) || std::string_view(".-_[], \t\r\n").find(c) != std::string_view::npos;
  };
  return part != "live" && !part.starts_with('-') && std::ranges::all_of(part, in_hosts);
}

bool is_file(const std::string& part) {
  std::error_code failure;
  return std::filesystem::exists(part, failure);
}

/// Throws Error(usage) if `key=value` is an option with a slip of the finger: what no source looks like is no node of
/// the host `key`.
void check_spelling(const std::string& key, const std::string& value) {
  const std::vector<std::string> options{"hosts=", "nic=", "nvlink=", "hca="};
  const bool may_be_node = value == "live" || value == "-" || value.find_first_of(":+") != std::string::npos;
  if (!may_be_node && !is_file(value) && did_you_mean(key + "=", options))
    throw usage_error(unknown_name("part of cluster:", key + "=", options), std::string(kForm));
}

/// Reads part by part. A part without '=' may be a node, or one more host of the list before it (`hosts=a,b`) or after
/// it (`a,b=NODE`). So it waits until the next part is known.
class WordsReader {
 public:
  explicit WordsReader(std::string_view fabric) { words_.fabric = fabric; }

  void read_part(const std::string& part) {
    const std::size_t equals = assignment(part);
    const std::string key = equals == std::string::npos ? "" : part.substr(0, equals);
    const std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
    if (value.empty()) throw usage_error(fmt::format("'{}' is not complete", printable(part)), std::string(kForm));
    if (key.empty()) return read_bare(part);
    const bool is_option = key == "hosts" || key == "nic" || key == "nvlink" || key == "hca";
    const std::string before = is_option ? (settle(), std::string()) : hosts_before(key);
    behind_hosts_ = key == "hosts";
    if (is_option) return read_option(key, value);
    check_spelling(key, value);
    words_.nodes.push_back({value, names_of(listed(before + key))});
  }

  ClusterWords finish() {
    settle();
    if (words_.nodes.empty() && has_more_hosts_) {  // `hosts=a,b,NODE`
      words_.nodes.push_back({host_lists_.back(), {}});
      host_lists_.pop_back();
    }
    for (const std::string& list : host_lists_) {
      const std::vector<HostPart> parts = listed(list);
      const std::vector<std::string> hosts = names_of(parts);
      if (!words_.hosts) words_.hosts.emplace();
      words_.hosts->insert(words_.hosts->end(), hosts.begin(), hosts.end());
      words_.parts.insert(words_.parts.end(), parts.begin(), parts.end());
    }
    return std::move(words_);
  }

 private:
  [[nodiscard]] bool has_node_for_all() const {
    return std::ranges::any_of(words_.nodes, [](const NodeWords& node) { return node.hosts.empty(); });
  }

  std::vector<HostPart> listed(const std::string& list) {
    NamedHosts named = named_hosts(list);
    words_.warnings.insert(words_.warnings.end(), named.warnings.begin(), named.warnings.end());
    return std::move(named.parts);
  }

  void read_bare(const std::string& part) {
    if (looks_like_hosts(part) && (!is_file(part) || (behind_hosts_ && has_node_for_all()))) {
      waiting_.push_back(part);
      return;
    }
    settle();
    behind_hosts_ = false;
    words_.nodes.push_back({part, {}});
  }

  /// Decides that the waiting parts continue the list before them, or are nodes.
  void settle() {
    has_more_hosts_ = has_more_hosts_ || (behind_hosts_ && !waiting_.empty());
    for (std::string& part : waiting_) {
      if (behind_hosts_)
        host_lists_.push_back(std::move(part));
      else
        words_.nodes.push_back({std::move(part), {}});
    }
    waiting_.clear();
  }

  /// Takes the waiting parts as the beginning of the list that ends with `key`.
  std::string hosts_before(const std::string& key) {
    if (behind_hosts_ && !waiting_.empty())
      throw usage_error(fmt::format("'{}' may belong to hosts= or to {}=", printable(waiting_.front()), printable(key)),
                        "hosts= last: cluster:FABRIC,n1,n2=NODE,hosts=n1,n2");
    std::string before;
    for (const std::string& part : waiting_) before += part + ",";
    waiting_.clear();
    return before;
  }

  void read_option(const std::string& key, const std::string& value) {
    if (key == "hosts") {
      host_lists_.push_back(value);
    } else if (key == "nic") {
      words_.nic = parse_bandwidth(value);
      if (!words_.nic || !(words_.nic->value() > 0))
        throw usage_error(fmt::format("nic: '{}' is no bandwidth", printable(value)), "nic=50GB/s");
    } else if (key == "hca") {
      read_adapters(value);
    } else {
      if (value != "leaf") throw usage_error(fmt::format("nvlink: '{}' is not leaf", printable(value)), "nvlink=leaf");
      words_.shared_nvlink = true;
    }
  }

  void read_adapters(const std::string& value) {
    const TextLines lines("hca", value);
    try {
      for (std::string& name : expand_hostlist(lines, 0, lines[0])) words_.adapters.push_back(std::move(name));
    } catch (const Error& error) {
      throw Error(ExitStatus::usage, error.diagnostics());
    }
  }

  ClusterWords words_;
  std::vector<std::string> host_lists_;  ///< the values of hosts=
  std::vector<std::string> waiting_;
  bool behind_hosts_ = false;
  bool has_more_hosts_ = false;  ///< a list of hosts= went on after a comma
};

}  // namespace

ClusterWords parse_cluster(std::string_view description) {
  const std::vector<std::string> parts = split_outside_brackets(description);
  WordsReader reader(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) reader.read_part(parts[i]);
  ClusterWords words = reader.finish();
  if (words.fabric.empty() || words.nodes.empty())
    throw usage_error(fmt::format("'cluster:{}' wants a fabric and a node", printable(description.substr(0, 200))),
                      std::string(kForm));
  const auto for_all = std::ranges::count_if(words.nodes, [](const NodeWords& node) { return node.hosts.empty(); });
  if (for_all > 1) throw usage_error("several nodes are for all hosts", "cluster:FABRIC,n[01-16]=NODE,n[17-20]=OTHER");
  return words;
}

namespace {

/// The description that each host has, as an index into the words' nodes. `known` are the hosts that have a name.
std::vector<std::size_t> kinds_of(const ClusterWords& words, const std::vector<FabricHost>& known,
                                  const std::vector<FabricHost>& hosts) {
  const HostNames names = names_of_hosts(known);
  std::map<VertexId, std::size_t> named;
  std::optional<std::size_t> others;
  for (std::size_t k = 0; k < words.nodes.size(); ++k) {
    if (words.nodes[k].hosts.empty()) others = k;
    for (const std::string& name : words.nodes[k].hosts) {
      const std::optional<std::size_t> host = names.find(name);
      if (host && named.emplace(known[*host].vertex, k).first->second != k)
        throw usage_error(fmt::format("host {} has two descriptions", printable(name)), "each host in one list");
    }
  }
  std::vector<std::size_t> kinds;
  for (const FabricHost& host : hosts) {
    const auto found = named.find(host.vertex);
    if (found == named.end() && !others) {
      throw bad_input(fmt::format("host {} has no description", printable(host.name)),
                      "cluster:FABRIC,n[01-16]=NODE,OTHER: the last is for all other hosts");
    }
    kinds.push_back(found != named.end() ? found->second : *others);
  }
  return kinds;
}

/// Checks that the host lists before descriptions name hosts of the fabric.
void check_described(const ClusterWords& words, const FabricHosts& all, const std::string& fabric) {
  for (const NodeWords& node : words.nodes) {
    if (!node.hosts.empty()) (void)choose_hosts(all, fabric, node.hosts);
  }
}

void check_node(const Topology& machine) {
  if (!machine.levels().empty() && machine.levels().back().kind == PathKind::unconnected) {
    const auto [a, b] = machine.pair_of_level(machine.levels().size() - 1);
    throw bad_input(fmt::format("'{}' is no complete node: it does not say how {} and {} are joined", machine.name(),
                                machine.vertex_of(a).name, machine.vertex_of(b).name),
                    "links, stated_classes or pair_matrices in its JSON, or another description joined by '+'");
  }
  if (std::ranges::all_of(machine.places(), [](const PlaceEntry& place) { return place.kind == PlaceKind::node; }))
    throw bad_input(fmt::format("'{}' is no node: its places are hosts, not devices or cores", machine.name()),
                    "cluster:FABRIC,NODE with a preset, or what nvidia-smi, NCCL, hwloc or lspci print, as NODE");
  constexpr std::size_t kMostInNode = 8190;  // of a machine that is no tree, with an adapter: all its routes are kept
  if (machine.network() != nullptr && machine.place_count() > kMostInNode)
    throw bad_input(fmt::format("'{}' is no node but a network of {} places", machine.name(), machine.place_count()),
                    "give it as the machine itself, without cluster:, or as FABRIC: cluster:NETWORK,NODE");
  const auto is_switch = [](const Vertex& vertex) { return vertex.kind == VertexKind::network_switch; };
  if (const auto found = std::ranges::find_if(machine.vertices(), is_switch); found != machine.vertices().end())
    throw bad_input(fmt::format("'{}' is no node but a cluster: it has the network switch {}", machine.name(),
                                printable(found->name)),
                    "give it as the machine itself, without cluster:");
}

std::string name_of(const std::vector<Topology>& machines, std::size_t hosts, const Topology& fabric) {
  std::string nodes;
  for (const Topology& machine : machines) nodes += (nodes.empty() ? "" : ", ") + machine.name();
  return fmt::format("{} x {} on {}", hosts, nodes, fabric.name());
}

/// Throws Error(bad_input) before memory is taken for a cluster that would need more than any machine is likely to
/// have.
void check_size(const std::vector<Topology>& machines, const std::vector<std::size_t>& kinds) {
  constexpr std::size_t kMost = std::size_t{1} << 25;  // vertices and links
  constexpr double kBytesOfEach = 160;                 // measured: 150 to 170
  std::vector<std::size_t> hosts(machines.size(), 0);
  for (const std::size_t kind : kinds) ++hosts[kind];
  std::size_t all = 0;
  std::size_t places = 0;
  for (std::size_t m = 0; m < hosts.size(); ++m) {
    const Topology& machine = machines[m];
    all += hosts[m] * (machine.vertices().size() + machine.links().size());
    places += hosts[m] * machine.place_count();
  }
  if (all <= kMost) return;
  const auto gigabytes = [](std::size_t count) { return static_cast<double>(count) * kBytesOfEach / 1e9; };
  throw bad_input(fmt::format("the cluster is too large: {} hosts with {} places would take about {:.0f} GB of memory, "
                              "at most {:.0f} GB are supported",
                              kinds.size(), places, gigabytes(all), gigabytes(kMost)),
                  "cluster:FABRIC,NODE,hosts=LIST takes some of the hosts");
}

}  // namespace

Topology read_cluster(std::string_view description, const std::function<Topology(const std::string&)>& read) {
  const ClusterWords words = parse_cluster(description);
  Topology fabric = read(words.fabric == "live" ? std::string(kLiveFabric) : words.fabric);
  FabricHosts all = hosts_of_fabric(fabric);
  if (all.named) check_described(words, all, fabric.name());
  std::vector<FabricHost> hosts = choose_hosts(all, fabric.name(), words.hosts);
  for (const FabricHost& host : hosts) {
    if (host.cable_ends.empty())
      throw bad_input(fmt::format("host {} has no cable in '{}'", printable(host.name), fabric.name()));
  }
  if (!words.adapters.empty()) keep_adapters(hosts, words.adapters, fabric.name());
  std::vector<std::size_t> kinds = kinds_of(words, all.named ? all.hosts : hosts, hosts);
  all.hosts = {};  // a large fabric has many, which are no longer needed
  std::vector<Topology> machines;
  for (const NodeWords& node : words.nodes) {
    machines.push_back(read(node.topology));
    check_node(machines.back());
  }
  check_size(machines, kinds);
  std::string name = name_of(machines, hosts.size(), fabric);
  std::optional<SharedSwitches> shared = shared_switches(fabric, hosts);
  const Topology cluster = compose_cluster({.name = std::move(name),
                                            .fabric = std::move(fabric),
                                            .stays = std::move(all.stays),
                                            .hosts = std::move(hosts),
                                            .kind = std::move(kinds),
                                            .machines = std::move(machines),
                                            .shared_nvlink = words.shared_nvlink,
                                            .nic = words.nic,
                                            .shared = std::move(shared),
                                            .invents_hosts = !all.named && !words.hosts,
                                            .warnings = words.warnings});
  return limited_to_parts(cluster, words.parts);
}

}  // namespace topowise
