// SPDX-License-Identifier: BSD-3-Clause
// Places are hosts. A host is known by the descriptions of its adapters, "HOST ADAPTER"; adapters that still carry
// the vendor's text cannot be assigned to one. Cables between the same two ends become one link, their rates added.
#include <topowise/topology_source/fabric/infiniband.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/natural_order.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>

namespace topowise {
namespace {

/// True for "mlx5_0", "HCA-1", and the names that udev makes of mlx5 devices by the PCI path: "ibp26s0", "rocep26s0",
/// "ibs3". Vendors begin the names of their products with a capital letter.
bool is_adapter_name(std::string_view word) {
  const bool is_device = word.front() >= 'a' && word.front() <= 'z';
  return std::ranges::any_of(word, is_digit) &&
         (is_device || word.find('_') != std::string_view::npos || lower(word.substr(0, 3)) == "hca");
}

/// The host in "a08-p1-dgx-04-c01 mlx5_5"; nothing for a vendor's text.
std::optional<std::string_view> host_of(std::string_view id, const FabricDevice& adapter) {
  const std::vector<std::string_view> words = split_blanks(adapter.description, 3);
  if (words.empty()) return id;
  if (words.size() == 1 || (words.size() == 2 && is_adapter_name(words[1]))) return words[0];
  return std::nullopt;
}

/// True for a node inside a switch that serves in-network reductions.
bool is_aggregation_node(const FabricDevice& device) {
  return device.description.find("Aggregation Node") != std::string_view::npos;
}

bool is_switch(const FabricDevice& device) {
  return device.kind == FabricDevice::Kind::fabric_switch ||
         (device.kind == FabricDevice::Kind::unknown && device.is_likely_switch);
}

/// The name of a device in messages and in the topology.
std::string shown(std::string_view id, const FabricDevice& device) {
  return printable(device.description.empty() ? id : device.description);
}

class FabricBuilder {
 public:
  /// `source` states the links.
  FabricBuilder(const std::string& name, const Fabric& fabric, const Origin& source, Warnings& warnings)
      : builder_(name), name_(name), fabric_(fabric), source_(source), warnings_(warnings) {}

  Topology run() && {
    for (const auto& [id, device] : fabric_.devices) {
      if (is_switch(device)) {
        vertices_.emplace(id, builder_.add_vertex({.kind = VertexKind::network_switch, .name = shown(id, device)}));
      }
    }
    report_missing();
    add_hosts();
    add_links();
    add_forwarding();
    report_islands();
    warnings_.pass_to(builder_);
    return std::move(builder_).build();
  }

 private:
  /// Warns of devices that are named but not listed. A whole output lists every device that it names as the other end
  /// of a cable.
  void report_missing() {
    std::size_t switches = 0;
    std::string example;
    for (const auto& [id, device] : fabric_.devices) {
      if (device.kind != FabricDevice::Kind::unknown) continue;
      ++missing_;
      if (is_switch(device) && switches++ == 0) example = shown(id, device);
    }
    if (switches > 0) {
      warnings_.add(
          fmt::format("{}: {} switches are named but not listed ({}): the output is cut off, or these switches "
                      "did not answer; what is behind them is not known",
                      name_, switches, example));
    } else if (missing_ > 0) {
      warnings_.add(fmt::format("{}: {} adapters are named but not listed: the output is cut off, or of switches alone",
                                name_, missing_));
    }
  }

  void add_hosts() {
    std::map<std::string_view, std::vector<std::string_view>, NaturalOrder> adapters_of;
    std::size_t nameless = 0;
    std::string example;
    for (const auto& [id, device] : fabric_.devices) {
      if (is_switch(device) || is_aggregation_node(device)) continue;
      if (const std::optional<std::string_view> host = host_of(id, device)) {
        adapters_of[*host].push_back(id);
        if (adapters_of.size() > kMostHosts)
          throw bad_input(fmt::format("{}: more than {} hosts in one fabric", name_, kMostHosts));
      } else if (nameless++ == 0) {
        example = fmt::format("{} is {}", printable(id), in_quotes(device.description));
      }
    }
    if (nameless > 0)
      warnings_.add(
          fmt::format("{}: {} adapters do not name their host and are left out ({})", name_, nameless, example));
    for (const auto& [host, adapters] : adapters_of) {
      const std::string shown = printable(host);
      const VertexId vertex = builder_.add_vertex({.kind = VertexKind::compute_node, .name = shown, .node = shown});
      place_of_.emplace(vertex, builder_.add_place(PlaceKind::node, vertex));
      hosts_.push_back(vertex);
      for (const std::string_view id : adapters) vertices_.emplace(id, vertex);
    }
    if (adapters_of.empty()) throw bad_input(fmt::format("{}: no host is named in this fabric", name_));
    if (adapters_of.size() == 1 && missing_ > 0)
      throw bad_input(
          fmt::format("{}: the output is cut off: it names one host, '{}', and devices that it does not list", name_,
                      printable(adapters_of.begin()->first)),
          "ibnetdiscover > FILE");
  }

  /// The cables between two vertices.
  struct Bond {
    std::pair<VertexId, VertexId> ends;
    std::vector<std::string_view> adapters;  ///< descriptions of the host's adapters, by name; one for each cable
    int cables = 0;
    double bandwidth = 0.0;
    bool known = true;

    [[nodiscard]] std::string_view first_adapter() const { return adapters.empty() ? "" : adapters.front(); }
  };

  void add_links() {
    std::vector<Bond> bonds;
    std::size_t unknown = 0;
    for (const FabricCable& cable : fabric_.cables) {
      const auto a = vertices_.find(cable.a.device->first);
      const auto b = vertices_.find(cable.b.device->first);
      if (a == vertices_.end() || b == vertices_.end() || a->second == b->second) continue;
      unknown += cable.bandwidth.value() > 0 ? 0 : 1;
      Bond bond{std::minmax(a->second, b->second), {}, 1, cable.bandwidth.value(), cable.bandwidth.value() > 0};
      for (const FabricPort& end : {cable.a, cable.b}) {
        if (!is_switch(end.device->second)) bond.adapters.assign(1, end.device->second.description);
      }
      bonds.push_back(std::move(bond));
    }
    if (unknown > 0 && unknown < bonds.size())  // ibsim's files have no speeds at all
      warnings_.add(fmt::format("{}: {} of {} cables {} no speed that InfiniBand has: {} not known", name_, unknown,
                                bonds.size(), unknown == 1 ? "has" : "have",
                                unknown == 1 ? "its rate is" : "their rates are"));
    std::ranges::stable_sort(bonds, {}, &Bond::ends);
    join_cables(bonds);
    // The links of a host follow the order of its adapters, rail by rail.
    std::ranges::stable_sort(bonds, NaturalOrder(), &Bond::first_adapter);
    for (const Bond& bond : bonds) {
      join(bond.ends.first, bond.ends.second);
      add_link(bond, bond.ends.first, bond.ends.second);
      add_link(bond, bond.ends.second, bond.ends.first);
    }
  }

  /// Joins the cables with the same ends to one bond.
  static void join_cables(std::vector<Bond>& bonds) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      Bond cable = std::move(bonds[i]);
      if (kept == 0 || bonds[kept - 1].ends != cable.ends) {
        bonds[kept++] = std::move(cable);
        continue;
      }
      Bond& bond = bonds[kept - 1];
      bond.adapters.insert(bond.adapters.end(), cable.adapters.begin(), cable.adapters.end());
      bond.cables += cable.cables;
      bond.bandwidth += cable.bandwidth;
      bond.known = bond.known && cable.known;
    }
    bonds.resize(kept);
    for (Bond& bond : bonds) std::ranges::stable_sort(bond.adapters, NaturalOrder());
  }

  /// Gives the link the adapters' own names, without the host's name.
  void name_adapters(LinkId link, const Bond& bond) {
    std::vector<std::string> names;
    for (const std::string_view description : bond.adapters) {
      const std::vector<std::string_view> words = split_blanks(description, 2);
      if (words.size() == 2) names.push_back(printable(words[1]));
    }
    if (names.size() == static_cast<std::size_t>(bond.cables)) builder_.set_adapters(link, std::move(names));
  }

  void add_link(const Bond& bond, VertexId from, VertexId to) {
    const LinkId link = builder_.add_link({.from = from,
                                           .to = to,
                                           .kind = LinkKind::network,
                                           .width = bond.cables,
                                           .bandwidth = BytesPerSecond(bond.known ? bond.bandwidth : 0.0),
                                           .source = {source_, Basis::nominal}});
    if (place_of_.contains(from) && !place_of_.contains(to)) name_adapters(link, bond);
    if (!fabric_.forwarding.empty()) link_.emplace(std::pair(from, to), link);
  }

  /// Adds the switches' forwarding tables. If a host has several adapters on a switch, or several identifiers, its
  /// first entry counts.
  void add_forwarding() {
    if (fabric_.forwarding.empty()) return;
    std::map<std::uint64_t, const FabricDevices::value_type*> switch_of;
    for (const auto& device : fabric_.devices) {
      if (const auto guid = guid_of(device.first); guid && is_switch(device.second)) switch_of.emplace(*guid, &device);
    }
    std::map<FabricPort, std::string_view> peer;
    for (const FabricCable& cable : fabric_.cables) {
      peer.emplace(cable.a, cable.b.device->first);
      peer.emplace(cable.b, cable.a.device->first);
    }
    std::set<std::uint64_t> unknown;
    std::set<std::pair<VertexId, Place>> known;
    for (const FabricForwarding& entry : fabric_.forwarding) {
      const auto at = switch_of.find(entry.guid);
      const auto adapter = fabric_.adapter_of_lid.find(entry.lid);
      if (at == switch_of.end()) unknown.insert(entry.guid);
      if (at == switch_of.end() || adapter == fabric_.adapter_of_lid.end()) continue;
      const auto host = vertices_.find(adapter->second);
      const auto to = peer.find({at->second, entry.port});
      if (host == vertices_.end() || to == peer.end() || !vertices_.contains(to->second)) continue;
      const VertexId vertex = vertices_.find(at->second->first)->second;
      const auto place = place_of_.find(host->second);
      const auto link = link_.find({vertex, vertices_.find(to->second)->second});
      if (place == place_of_.end() || link == link_.end() || !known.emplace(vertex, place->second).second) continue;
      builder_.add_forwarding({vertex, place->second, link->second});
    }
    if (known.empty())
      throw bad_input(
          fmt::format("{}: the forwarding tables are not of this fabric: {} of their switches are not in it, "
                      "and no table leads to a host of it",
                      name_, unknown.size()));
    if (!unknown.empty())
      warnings_.add(fmt::format("{}: {} of the forwarding tables {} not in the fabric", name_,
                                unknown.size() == 1 ? "1 switch" : fmt::format("{} switches", unknown.size()),
                                unknown.size() == 1 ? "is" : "are"));
  }

  /// The representative of the vertex's island, found by following island_.
  VertexId island(VertexId vertex) {
    for (auto next = island_.find(vertex); next != island_.end(); next = island_.find(vertex)) vertex = next->second;
    return vertex;
  }

  void join(VertexId a, VertexId b) {
    const VertexId from = island(a);
    const VertexId to = island(b);
    if (from != to) island_[std::max(from, to)] = std::min(from, to);
  }

  void report_islands() {
    std::set<VertexId> islands;
    for (const VertexId host : hosts_) islands.insert(island(host));
    if (islands.size() > 1)
      warnings_.add(fmt::format("{}: the hosts are in {} parts that no cable joins", name_, islands.size()));
  }

  TopologyBuilder builder_;
  const std::string& name_;
  const Fabric& fabric_;
  Origin source_;
  Warnings& warnings_;
  std::map<std::string_view, VertexId> vertices_;  ///< by id; adapters of one host share its vertex
  std::vector<VertexId> hosts_;
  std::size_t missing_ = 0;  ///< devices that are named and not listed
  std::map<VertexId, Place> place_of_;
  std::map<std::pair<VertexId, VertexId>, LinkId> link_;  ///< filled only if there are forwarding tables
  std::map<VertexId, VertexId> island_;
};

}  // namespace

Topology fabric_topology(const std::string& name, const Fabric& fabric, const Origin& source, Warnings& warnings) {
  return FabricBuilder(name, fabric, source, warnings).run();
}

}  // namespace topowise
