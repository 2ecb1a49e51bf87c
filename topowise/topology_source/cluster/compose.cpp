// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/compose.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <topowise/base/plural.hpp>
#include <topowise/graph/nearest_nics.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {
namespace {

// What the PCIe links of a node say of the rates of its adapters.

/// The rate of the fastest PCIe link of a GPU, else of any device; that of generation 4 if no PCIe link is described.
BytesPerSecond fastest_slot(const Topology& machine) {
  BytesPerSecond of_gpus;
  BytesPerSecond of_all;
  for (const Link& link : machine.links()) {
    if (link.kind != LinkKind::pcie) continue;
    of_all = std::max(of_all, link.bandwidth);
    if (machine.vertex(link.from).kind == VertexKind::gpu) of_gpus = std::max(of_gpus, link.bandwidth);
  }
  if (of_gpus > BytesPerSecond()) return of_gpus;
  return of_all > BytesPerSecond() ? of_all : gigabytes_per_second(rate::kPcie4x16.gigabytes_per_second);
}

/// The fastest link that leaves a vertex; null if none does.
const Link* fastest_link(const Topology& machine, VertexId from) {
  const Link* fastest = nullptr;
  for (const LinkId id : machine.links_from(from)) {
    const Link& link = machine.link(id);
    if (fastest == nullptr || link.bandwidth > fastest->bandwidth) fastest = &link;
  }
  return fastest;
}

/// Presets give an adapter's link the rate of its port where that is known. Such a rate is a multiple of 100 Gb/s,
/// which no slot has.
bool states_port(const Link& link) {
  constexpr double kPort = 12.5e9;
  return link.source.trust() == Trust::preset && std::fmod(link.bandwidth.value(), kPort) == 0;
}

constexpr Origin kComposed{"composed"};

class Composer {
 public:
  explicit Composer(const ClusterParts& parts)
      : parts_(parts), builder_(parts.name), vertex_of_(parts.fabric.vertices().size()), injected_(vertex_of_.size()) {}

  TopologyBuilder run() && {
    for (const Topology& machine : parts_.machines) {
      if (has_nodes(machine)) several_.insert(&machine);
    }
    make_room();
    add_switches();
    for (std::size_t h = 0; h < parts_.hosts.size(); ++h) add_host(parts_.hosts[h], parts_.machines[parts_.kind[h]]);
    add_cables();
    for (const Topology* part : all_parts()) {
      builder_.add_notes_of(*part);
      if (!part->forwarding().empty() && (part != &parts_.fabric || parts_.shared_nvlink))
        builder_.warn(
            fmt::format("{}: its forwarding tables are not used: {}", part->name(),
                        part != &parts_.fabric ? "it is a node of the cluster" : "hosts share NVLink switches"));
    }
    if (!parts_.shared_nvlink) add_forwarding();
    if (parts_.shared_nvlink)
      tell_without_switches();
    else
      tell_trays();
    tell_miscounted();
    for (const std::string& warning : parts_.warnings) builder_.warn(warning);
    for (const std::string& warning : warnings_) builder_.warn(warning);
    builder_.set_congestion(parts_.machines.front().congestion());
    if (parts_.invents_hosts) builder_.invent_hosts();
    return std::move(builder_);
  }

 private:
  /// True for a host that may be a tray of a rack: a few GPUs on NVSwitches. Boards with NVSwitches of their own have
  /// eight GPUs or more.
  static bool may_be_tray(const Topology& machine) {
    constexpr std::size_t kMostInTray = 4;
    return machine.place_count() <= kMostInTray && has_nvswitch(machine);
  }

  static bool has_nvswitch(const Topology& machine) {
    return std::ranges::find(machine.vertices(), VertexKind::nvswitch, &Vertex::kind) != machine.vertices().end();
  }

  /// nvlink=leaf joins NVSwitches, so it has no effect on hosts whose description has none.
  void tell_without_switches() {
    for (const Topology& machine : parts_.machines) {
      if (has_nvswitch(machine)) continue;
      warn_once(
          fmt::format("nvlink=leaf has no effect on hosts that '{}' describes: it describes no NVSwitches (for a "
                      "tray, join FILE+preset:gb200-tray)",
                      machine.name()));
    }
  }

  /// Says how to join trays, where several hosts on one leaf switch may be some.
  void tell_trays() {
    std::set<std::pair<VertexId, std::size_t>> seen;
    for (std::size_t h = 0; h < parts_.hosts.size(); ++h) {
      const Topology& machine = parts_.machines[parts_.kind[h]];
      if (!may_be_tray(machine)) continue;
      if (!seen.emplace(parts_.hosts[h].cable_ends.front().on, parts_.kind[h]).second)
        warn_once(
            fmt::format("{}: hosts on one leaf switch or in one block reach each other by the network alone; if "
                        "they are trays of a rack that share its NVSwitches (NVL72), nvlink=leaf joins them",
                        machine.name()));
    }
  }

  [[nodiscard]] std::vector<const Topology*> all_parts() const {
    std::vector<const Topology*> all{&parts_.fabric};
    for (const Topology& machine : parts_.machines) all.push_back(&machine);
    return all;
  }

  void warn_once(std::string text) {
    if (std::ranges::find(warnings_, text) == warnings_.end()) warnings_.push_back(std::move(text));
  }

  /// There may be millions of each; a host has a vertex and two links beside its machine's, and its adapters' cables.
  void make_room() {
    std::size_t vertices = parts_.fabric.vertices().size();
    std::size_t links = parts_.fabric.links().size();
    std::size_t places = 0;
    for (std::size_t h = 0; h < parts_.hosts.size(); ++h) {
      const Topology& machine = parts_.machines[parts_.kind[h]];
      const auto adapters = std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind);
      vertices += machine.vertices().size() + 1;
      links += machine.links().size() + 2 * (static_cast<std::size_t>(adapters) + 1);
      places += machine.place_count();
    }
    builder_.reserve(vertices, links, places);
  }

  void add_switches() {
    const std::span<const Vertex> vertices = parts_.fabric.vertices();
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (!parts_.stays[v]) continue;
      vertex_of_[v] = builder_.add_vertex({.kind = VertexKind::network_switch, .name = vertices[v].name});
    }
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (const auto above = vertices[v].parent; vertex_of_[v] && above && vertex_of_[above->index()])
        builder_.set_parent(*vertex_of_[v], *vertex_of_[above->index()]);
    }
  }

  /// True for a machine that is several nodes itself.
  static bool has_nodes(const Topology& machine) {
    const std::string first = node_name(machine, machine.place(Place(0)).vertex);
    return std::ranges::any_of(machine.places(),
                               [&](const PlaceEntry& place) { return node_name(machine, place.vertex) != first; });
  }

  /// The node of a copied vertex: "n01" for a machine of one node, whatever its own name is, and "rack1-tray3" for a
  /// machine that is several nodes itself.
  std::string node_of(const FabricHost& host, const Topology& machine, VertexId vertex) const {
    const std::string inner = several_.contains(&machine) ? node_name(machine, vertex) : std::string();
    return inner.empty() ? host.name : fmt::format("{}-{}", host.name, inner);
  }

  [[nodiscard]] bool is_shared(const Vertex& vertex) const {
    return parts_.shared_nvlink && vertex.kind == VertexKind::nvswitch;
  }

  /// Copies a vertex without its parent. The NVSwitches that hosts share are one vertex for each leaf switch.
  VertexId add_copy(const FabricHost& host, const Topology& machine, VertexId of) {
    Vertex vertex = machine.vertex(of);
    vertex.parent.reset();
    if (is_shared(vertex)) {
      const std::size_t leaf = host.cable_ends.front().on.index();
      if (const auto known = shared_.find(leaf); known != shared_.end()) return known->second;
      vertex.name = fmt::format("{}:{}", parts_.fabric.vertices()[leaf].name, vertex.name);
      return shared_.emplace(leaf, builder_.add_vertex(std::move(vertex))).first->second;
    }
    vertex.node = node_of(host, machine, of);
    vertex.name = fmt::format("{}:{}", vertex.node, vertex.name);
    return builder_.add_vertex(std::move(vertex));
  }

  void add_host(const FabricHost& host, const Topology& machine) {
    const FabricCableEnd& cable_end = host.cable_ends.front();
    const VertexId root = builder_.add_vertex(
        {.kind = VertexKind::compute_node, .name = host.name, .parent = *vertex_of_[cable_end.on.index()]});
    root_ = root;
    std::vector<VertexId> copies;
    const auto copied = [&](VertexId vertex) { return copies[vertex.index()]; };
    for (std::size_t v = 0; v < machine.vertices().size(); ++v) copies.push_back(add_copy(host, machine, VertexId(v)));
    for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
      if (is_shared(machine.vertices()[v])) continue;
      const std::optional<VertexId>& above = machine.vertices()[v].parent;
      builder_.set_parent(copies[v], above ? copied(*above) : root);
    }
    for (Link link : machine.links()) {
      link.from = copied(link.from);
      link.to = copied(link.to);
      builder_.add_link(std::move(link));
    }
    join_bare_places(machine, root, copied);
    // Places may be whole nodes as well (--places node). The node's vertex reaches the adapters by this link; it has no
    // other link, so no other route goes through it.
    if (!is_bare(machine, top_of(machine))) {
      builder_.add_links({.from = root,
                          .to = copied(top_of(machine)),
                          .kind = LinkKind::host,
                          .bandwidth = kInsidePackage,
                          .source = kComposed});
    }
    const std::size_t places = builder_.place_count();
    first_place_.emplace_back(places);
    for (const PlaceEntry& place : machine.places())
      builder_.add_place(place.kind, copied(place.vertex), place.capacity);
    for (const auto& [pair, path] : machine.stated_classes())
      builder_.set_class(Place(places + pair.first.index()), Place(places + pair.second.index()), path);
    for (const auto& [a, b] : machine.without_peer_access())
      builder_.refuse_peer_access(Place(places + a.index()), Place(places + b.index()));
    for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
      if (machine.has_pair_matrix(metric))
        warn_once(fmt::format("{}: the {} of its pairs is left out: of pairs of different nodes it is not known",
                              machine.name(), to_string(metric)));
    }
    join_adapters(host, machine, copied);
  }

  /// True for a GPU that hangs below nothing, or for a place without any link, as those of a matrix do.
  static bool is_bare(const Topology& machine, VertexId vertex) {
    const bool ends_routes = machine.vertex(vertex).kind == VertexKind::gpu || machine.links_from(vertex).empty();
    return ends_routes && !machine.vertex(vertex).parent;
  }

  /// Joins bare places to the host: else none but the first would reach its adapters. Their rates are not known.
  template <class Copied>
  void join_bare_places(const Topology& machine, VertexId root, const Copied& copied) {
    for (const PlaceEntry& place : machine.places()) {
      if (!is_bare(machine, place.vertex)) continue;
      builder_.assume(fmt::format("the places of {} reach the host's adapters alike", machine.name()));
      builder_.add_links({.from = copied(place.vertex), .to = root, .kind = LinkKind::host, .source = kComposed});
    }
  }

  /// The root of the host's side: the topmost vertex above the first place.
  static VertexId top_of(const Topology& machine) {
    VertexId top = machine.place(Place(0)).vertex;
    while (machine.vertex(top).parent) top = *machine.vertex(top).parent;
    return top;
  }

  struct Adapter {
    VertexId vertex;
    std::string name;             ///< the name that the node gives it
    const Link* slot = nullptr;   ///< its fastest link inside the node, that of its PCIe slot; null if it has none
    BytesPerSecond assumed_rate;  ///< the rate of an adapter that is made up
  };

  /// The adapters of a node. If it has none, one is made up.
  template <class Copied>
  std::vector<Adapter> adapters(const FabricHost& host, const Topology& machine, const Copied& copied) {
    std::vector<Adapter> found;
    for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
      const VertexId vertex(v);
      if (machine.vertex(vertex).kind == VertexKind::nic)
        found.push_back({copied(vertex), name_in_node(machine, vertex), fastest_link(machine, vertex), {}});
    }
    if (!found.empty()) return found;
    return {make_up_adapter(host, machine, copied)};
  }

  /// Makes up an adapter that is as fast as the fastest slot of a GPU, or as the user says that adapters are.
  template <class Copied>
  Adapter make_up_adapter(const FabricHost& host, const Topology& machine, const Copied& copied) {
    const BytesPerSecond slot = fastest_slot(machine);
    const BytesPerSecond rate = parts_.nic.value_or(slot);
    warn_once(fmt::format("{}: no adapter is described; one at the first processor is assumed, with {}{}",
                          machine.name(), to_string(rate),
                          parts_.nic ? "" : ", the rate of a GPU's PCIe link (nic=50GB/s states it)"));
    builder_.assume(fmt::format("an adapter of {} at the first processor of {}, which describes none", to_string(rate),
                                machine.name()));
    const VertexId above = is_bare(machine, top_of(machine)) ? root_ : copied(top_of(machine));
    const VertexId nic =
        builder_.add_vertex({.kind = VertexKind::nic, .name = host.name + ":nic", .node = host.name, .parent = above});
    builder_.add_links(
        {.from = nic, .to = above, .kind = LinkKind::host, .bandwidth = rate, .source = {kComposed, Basis::assumed}});
    return {nic, {}, nullptr, rate};
  }

  struct Joint {
    const Adapter* adapter;
    const FabricCableEnd* cable_end;
  };

  struct Hosts {
    std::string first;
    std::size_t count = 0;
  };

  /// Joins cables and adapters by name where the fabric and the node use the same names of adapters, else in order.
  std::vector<Joint> joints(const FabricHost& host, const Topology& machine, const std::vector<Adapter>& nics) {
    std::vector<Joint> found = joints_by_name(host, nics);
    if (!found.empty()) {
      if (found.size() < host.cable_ends.size()) tell_left_out(host, machine, found);
      return without_shared(machine, std::move(found));
    }
    const bool one_for_all = host.cable_ends.size() == 1;
    const std::size_t count = one_for_all ? nics.size() : std::min(nics.size(), host.cable_ends.size());
    if (!one_for_all && nics.size() != host.cable_ends.size()) {
      Hosts& hosts = miscounted_[{&machine, host.cable_ends.size(), nics.size()}];
      if (hosts.count++ == 0) hosts.first = host.name;
    }
    for (std::size_t i = 0; i < count; ++i) found.push_back({&nics[i], &host.cable_ends[one_for_all ? 0 : i]});
    tell_by_order(machine, found);
    if (nics.size() == host.cable_ends.size() && states_names(nics)) return without_shared(machine, std::move(found));
    if (std::ranges::any_of(found, [&](const Joint& joint) { return is_on_shared(joint); })) tell_shared();
    return found;
  }

  /// Where cables and adapters that are joined in order have different names, nobody said that they belong together.
  void tell_by_order(const Topology& machine, const std::vector<Joint>& found) {
    const auto differs = [&](const Joint& joint) {
      const std::string_view cable = joint.cable_end->adapter;
      return !cable.empty() && cable != joint.adapter->name;
    };
    const auto first = std::ranges::find_if(found, differs);
    if (first == found.end() || !by_order_.insert(&machine).second) return;
    builder_.assume(fmt::format("the cables of {} join the adapters of {} in their order, {} the adapter {}",
                                parts_.fabric.name(), machine.name(), first->cable_end->adapter, first->adapter->name));
  }

  [[nodiscard]] bool is_on_shared(const Joint& joint) const {
    return parts_.shared &&
           std::ranges::find(parts_.shared->switches, joint.cable_end->on) != parts_.shared->switches.end();
  }

  void tell_shared() {
    const std::string& remedy = parts_.shared->remedy;
    warn_once(remedy.empty() ? parts_.shared->what
                             : fmt::format("{} ({} leaves the others out)", parts_.shared->what, remedy));
  }

  /// The names of the adapters that are nearest to a GPU of the machine.
  const std::set<std::string>& names_near_gpus(const Topology& machine) {
    const auto [known, is_new] = near_gpus_.try_emplace(&machine);
    if (!is_new) return known->second;
    std::vector<Place> all;
    for (std::size_t p = 0; p < machine.place_count(); ++p) all.emplace_back(p);
    const std::vector<VertexId> nics = nics_of(machine);
    for (const NearestNics& nearest : nearest_nics(machine, all, nics)) {
      for (const std::size_t nic : nearest.nics) known->second.insert(name_in_node(machine, nics[nic]));
    }
    return known->second;
  }

  /// Leaves out the cables on shared switches whose adapters no GPU is near to, such as those for storage.
  std::vector<Joint> without_shared(const Topology& machine, std::vector<Joint> found) {
    if (!parts_.shared) return found;
    const std::set<std::string>& near = names_near_gpus(machine);
    std::vector<Joint> kept;
    std::ranges::copy_if(found, std::back_inserter(kept), [&](const Joint& joint) {
      return !is_on_shared(joint) || near.contains(joint.adapter->name);
    });
    if (std::ranges::any_of(kept, [&](const Joint& joint) { return is_on_shared(joint); })) tell_shared();
    if (kept.empty() || kept.size() == found.size()) return found;
    warn_once(
        fmt::format("{}: these cables are left out, because their adapters are no GPU's nearest", parts_.shared->what));
    return kept;
  }

  /// Warns once for all hosts with the same numbers of cables and adapters.
  void tell_miscounted() {
    for (const auto& [numbers, hosts] : miscounted_) {
      const auto& [machine, cables, adapters] = numbers;
      const std::size_t joined = std::min(cables, adapters);
      std::string text = fmt::format("{} has {} in '{}' but {} in '{}': the first {} joined", hosts.first,
                                     counted(cables, "cable"), parts_.fabric.name(), counted(adapters, "adapter"),
                                     machine->name(), joined == 1 ? "is" : fmt::format("{} are", joined));
      if (hosts.count > 1) text += fmt::format("; likewise for {}", counted(hosts.count - 1, "more host"));
      warn_once(std::move(text));
    }
  }

  /// Warns once for all hosts that are such nodes.
  void tell_left_out(const FabricHost& host, const Topology& machine, const std::vector<Joint>& found) {
    if (!left_out_.insert(&machine).second) return;
    const auto is_joined = [&](const FabricCableEnd& cable_end) {
      return std::ranges::any_of(found, [&](const Joint& joint) { return joint.cable_end == &cable_end; });
    };
    const auto first = std::ranges::find_if_not(host.cable_ends, is_joined);
    warn_once(fmt::format("'{}' has cables on adapters that '{}' does not have, which are left out: {} of {}, {}",
                          parts_.fabric.name(), machine.name(), host.cable_ends.size() - found.size(), host.name,
                          first->adapter.empty() ? "without a name" : fmt::format("{} first", first->adapter)));
  }

  /// Presets give adapters names of their own, which a real node need not have.
  static bool states_names(const std::vector<Adapter>& nics) {
    return std::ranges::none_of(
        nics, [](const Adapter& nic) { return nic.slot && nic.slot->source.trust() == Trust::preset; });
  }

  /// Gives no joints if several adapters of the node have the name of a cable's adapter.
  static std::vector<Joint> joints_by_name(const FabricHost& host, const std::vector<Adapter>& nics) {
    std::vector<Joint> found;
    if (!states_names(nics)) return found;
    for (const FabricCableEnd& cable_end : host.cable_ends) {
      const auto nic = std::ranges::find(nics, cable_end.adapter, &Adapter::name);
      if (cable_end.adapter.empty() || nic == nics.end()) continue;
      if (std::ranges::count(nics, cable_end.adapter, &Adapter::name) > 1) return {};
      found.push_back({&*nic, &cable_end});
    }
    return found;
  }

  template <class Copied>
  void join_adapters(const FabricHost& host, const Topology& machine, const Copied& copied) {
    const std::vector<Adapter> nics = adapters(host, machine, copied);
    for (const auto& [adapter, cable_end] : joints(host, machine, nics)) {
      Link link{.from = adapter->vertex, .to = *vertex_of_[cable_end->on.index()], .kind = LinkKind::network};
      link.bandwidth = cable_end->bandwidth;
      if (cable_end->source != nullptr) link.source = *cable_end->source;
      if (parts_.nic && link.bandwidth == BytesPerSecond()) {
        link.bandwidth = *parts_.nic;
        link.source = "stated";
      }
      if (link.bandwidth == BytesPerSecond()) take_rate_of_slot(machine, *adapter, link);
      injected_[cable_end->on.index()] += link.bandwidth.value();
      builder_.add_links(std::move(link));
    }
  }

  void take_rate_of_slot(const Topology& machine, const Adapter& adapter, Link& link) {
    const bool is_stated = adapter.slot != nullptr && states_port(*adapter.slot);
    if (adapter.slot != nullptr) link.bandwidth = adapter.slot->bandwidth;
    link.source = is_stated ? adapter.slot->source : Provenance(kComposed, Basis::assumed);
    if (adapter.assumed_rate > BytesPerSecond()) link.bandwidth = adapter.assumed_rate;
    if (is_stated || adapter.assumed_rate > BytesPerSecond()) return;
    builder_.assume(fmt::format("adapters of {} as fast as their PCIe links", machine.name()));
    warn_once(
        fmt::format("{}: the rate of its adapters is not stated and taken for that of their PCIe links "
                    "(nic=50GB/s states it)",
                    machine.name()));
  }

  /// Adds the links among switches. A rate that is not stated is assumed to be enough for all that the hosts below can
  /// send.
  void add_cables() {
    const Topology& fabric = parts_.fabric;
    std::vector<double> below = injected_;
    std::vector<std::size_t> depth(below.size(), 0);
    std::vector<std::size_t> order;
    for (std::size_t v = 0; v < below.size(); ++v) {
      order.push_back(v);
      for (auto above = fabric.vertices()[v].parent; above; above = fabric.vertex(*above).parent) ++depth[v];
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t v) { return depth[v]; });
    for (const std::size_t v : order) {
      if (const auto above = fabric.vertices()[v].parent) below[above->index()] += below[v];
    }
    for (Link link : fabric.links()) {
      const std::optional<VertexId> from = vertex_of_[link.from.index()];
      const std::optional<VertexId> to = vertex_of_[link.to.index()];
      if (!from || !to) {
        link_of_.emplace_back();
        continue;
      }
      if (link.bandwidth == BytesPerSecond()) {
        const bool upward = fabric.vertex(link.from).parent == link.to;
        const bool downward = fabric.vertex(link.to).parent == link.from;
        link.bandwidth = BytesPerSecond(upward     ? below[link.from.index()]
                                        : downward ? below[link.to.index()]
                                                   : std::max(below[link.from.index()], below[link.to.index()]));
        link.source = {kComposed, Basis::assumed};
        builder_.assume(fmt::format("links of {} that carry all that the hosts below can send", fabric.name()));
        warn_once(
            fmt::format("{}: the rates of its links are not stated; what the hosts below can send is assumed to "
                        "fit through",
                        fabric.name()));
      }
      link.kind = LinkKind::network;
      link.from = *from;
      link.to = *to;
      link_of_.push_back(builder_.add_link(std::move(link)));
    }
  }

  /// Adds the entries of the fabric's forwarding tables. The last step of a table, into a host, is left out, because a
  /// route chooses the adapter by which it enters a host.
  void add_forwarding() {
    const Topology& fabric = parts_.fabric;
    std::map<VertexId, Place> first_place;
    for (std::size_t h = 0; h < parts_.hosts.size(); ++h) first_place.emplace(parts_.hosts[h].vertex, first_place_[h]);
    for (const Forwarding& entry : fabric.forwarding()) {
      const auto to = first_place.find(fabric.place(entry.to).vertex);
      const std::optional<VertexId> at = vertex_of_[entry.at.index()];
      const std::optional<LinkId> by = link_of_[entry.by.index()];
      if (to != first_place.end() && at && by) builder_.add_forwarding({*at, to->second, *by});
    }
  }

  const ClusterParts& parts_;
  TopologyBuilder builder_;
  std::vector<std::optional<VertexId>> vertex_of_;  ///< by vertex of the fabric: the copy of a switch or a router
  std::vector<double> injected_;                    ///< by vertex of the fabric: bytes/s of the adapters on it
  std::vector<std::string> warnings_;
  std::map<std::tuple<const Topology*, std::size_t, std::size_t>, Hosts> miscounted_;  ///< node, cables, adapters
  std::set<const Topology*> several_;   ///< machines that are several nodes themselves
  std::set<const Topology*> by_order_;  ///< machines whose adapters are joined in order, and not by name
  std::set<const Topology*> left_out_;  ///< machines that lack the adapter of some cable
  std::map<const Topology*, std::set<std::string>> near_gpus_;  ///< what names_near_gpus() has found
  std::vector<std::optional<LinkId>> link_of_;                  ///< by link of the fabric: its copy, if it has one
  std::vector<Place> first_place_;                              ///< by host
  VertexId root_{0};                                            ///< of the host that is being added
  std::map<std::size_t, VertexId> shared_;  ///< by leaf switch of the fabric: its plane of NVSwitches
};

}  // namespace

Topology compose_cluster(ClusterParts parts) {
  std::optional<ClusterParts> used(std::move(parts));
  TopologyBuilder builder = Composer(*used).run();
  used.reset();  // a large fabric is not kept while the cluster is built
  return std::move(builder).build();
}

}  // namespace topowise
