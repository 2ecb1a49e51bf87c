// SPDX-License-Identifier: BSD-3-Clause
// Places are hosts. A host is known by the descriptions of its adapters, "HOST ADAPTER"; adapters that still carry
// the vendor's text cannot be assigned to one. Cables between the same two ends become one link, their rates added.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/reading/natural_order.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>

namespace topowise {
namespace {

// A heading `CA: node01 mlx5_0:` or `Switch: 0x7cfe900300a0b0c0 leaf1:`, then a line for each of its ports. A line of
// an adapter begins with the port's GUID:
//
//     0x0002c903000e0b73   1    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2    1[  ] "leaf1" ( )
//
// With -l there are no headings: each line begins with GUID and name, and has the peer's GUID after the arrow. The
// peer's local identifier is all that both forms print of it. So devices are known by it: a switch has one, an adapter
// has one for each port.

using Kind = FabricDevice::Kind;

constexpr std::string_view kBeforeLink = "==(";
constexpr std::string_view kBehindLink = ")==>";

/// The signalling rate of a lane in Gbit/s, as the program prints it.
struct Signalling {
  double gigabits;
  std::string_view speed;
};
constexpr std::array<Signalling, 9> kSignalling{{{2.5, "SDR"},
                                                 {5.0, "DDR"},
                                                 {10.0, "QDR"},
                                                 {10.3125, "FDR10"},
                                                 {14.0625, "FDR"},
                                                 {25.78125, "EDR"},
                                                 {53.125, "HDR"},
                                                 {106.25, "NDR"},
                                                 {212.5, "XDR"}}};

/// The rate of `[ ]4X 25.78125 Gbps Active/  LinkUp` or `4X 10.0 Gbps (FDR10) Active/ LinkUp`; 0 if the text does not
/// say it.
BytesPerSecond rate_of(std::string_view link) {
  const std::vector<std::string_view> words = split_blanks(link, 5);
  if (words.size() < 3 || words[2] != "Gbps") return {};
  const std::optional<double> gigabits = parse_double(words[1]);
  if (!gigabits) return {};
  const auto near = [&](const Signalling& known) { return std::abs(known.gigabits / *gigabits - 1) < 0.01; };
  const auto found = std::ranges::find_if(kSignalling, near);
  if (found == kSignalling.end()) return {};
  const bool is_fdr10 = words.size() > 3 && words[3] == "(FDR10)";
  return infiniband_rate(lower(words[0]), is_fdr10 ? "FDR10" : found->speed);
}

/// One end of a link: `[0x...] [" name "] 4 17[  ]`.
struct End {
  std::string_view lid;
  std::string_view name;
  int port = 0;
};

/// Takes the last two words before '[' as the local identifier and the port. A name in quotes may be before or
/// after.
std::optional<End> end_of(std::string_view text) {
  End end;
  const std::size_t open = text.find('"');
  const std::size_t close = open == std::string_view::npos ? open : text.rfind('"');
  if (close != std::string_view::npos && close > open) end.name = trim(text.substr(open + 1, close - open - 1));
  const std::size_t before = text.rfind('[', open);
  const std::size_t bracket = before != std::string_view::npos ? before : text.find('[', close);
  if (bracket == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, bracket);
  if (close != std::string_view::npos && close < bracket) rest.remove_prefix(close + 1);
  const std::vector<std::string_view> words = split_blanks(rest, 4);
  if (words.size() < 2 || words.size() > 3) return std::nullopt;
  constexpr std::int64_t kMostPorts = 65535;
  const std::optional<std::int64_t> lid = parse_integer(words[words.size() - 2]);
  const std::optional<std::int64_t> port = parse_integer(words.back());
  if (!lid || *lid < 0 || *lid > 0xffff || !port || *port < 0 || *port > kMostPorts) return std::nullopt;
  end.lid = words[words.size() - 2];
  end.port = static_cast<int>(*port);
  return end;
}

struct Cut {
  std::string_view before, link, behind;
};

std::optional<Cut> cut(std::string_view line) {
  const std::size_t begin = line.find(kBeforeLink);
  const std::size_t end = line.rfind(kBehindLink);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  return Cut{line.substr(0, begin), line.substr(begin + kBeforeLink.size(), end - begin - kBeforeLink.size()),
             line.substr(end + kBehindLink.size())};
}

class LinkList {
 public:
  LinkList(const TextLines& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  Fabric read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const std::string_view line = trim(lines_[l]);
      if (const std::optional<Cut> parts = cut(line))
        read_link(l, *parts);
      else
        read_heading(line);
    }
    for (auto& [id, device] : fabric_.devices) {
      const Seen& seen = seen_.at(id);
      device.is_likely_switch = seen.ports > 1 || device.description.starts_with("MF0;");
      if (device.kind == Kind::unknown && seen.is_listed)  // a line of -l, which gives no kinds
        device.kind = device.is_likely_switch ? Kind::fabric_switch : Kind::channel_adapter;
    }
    order_cables(fabric_);
    return std::move(fabric_);
  }

 private:
  struct Seen {
    bool is_listed = false;
    int port = -1;  ///< one of the device's ports
    int ports = 0;  ///< 2 for more than one
  };

  void read_heading(std::string_view line) {
    if (line.ends_with(':')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    const std::string_view kind = line.substr(0, std::min(colon, line.size()));
    if (colon == std::string_view::npos || (kind != "CA" && kind != "Switch" && kind != "Router")) return;
    kind_ = kind == "CA" ? Kind::channel_adapter : Kind::fabric_switch;
    name_ = trim(line.substr(colon + 1));
    if (name_.starts_with("0x")) {
      (void)take_word(name_);
      name_ = trim(name_);
    }
  }

  void read_link(std::size_t l, const Cut& parts) {
    const std::optional<End> near = end_of(parts.before);
    if (!near) return warnings_.add(lines_.at(l, {}, "this is no line of a port"));
    const bool is_line = !near->name.empty();  // a line of -l
    FabricDevices::value_type& own = device(l, *near);
    seen_[own.first].is_listed = true;
    if (!is_line && own.second.kind == Kind::unknown) own.second.kind = kind_;
    if (own.second.description.empty()) own.second.description = is_line ? near->name : name_;
    const std::optional<End> far = end_of(parts.behind);
    if (!far) return;  // the port is not connected
    FabricDevices::value_type& peer = device(l, *far);
    if (peer.second.description.empty()) peer.second.description = far->name;
    if (&own != &peer) add_cable(lines_, l, fabric_, {&own, near->port}, {&peer, far->port}, rate_of(parts.link));
  }

  FabricDevices::value_type& device(std::size_t l, const End& end) {
    if (parse_integer(end.lid) == 0)
      fail(lines_.at(l, end.lid,
                     "the local identifier is 0: OpenSM, or what stands for it, has not numbered the devices yet",
                     "ibnetdiscover > FILE"));
    const auto known = fabric_.devices.find(end.lid);
    if (known == fabric_.devices.end() && fabric_.devices.size() == kMostFabricDevices)
      fail(lines_.at(l, end.lid, fmt::format("more than {} devices in one fabric", kMostFabricDevices)));
    FabricDevices::value_type& found = *fabric_.devices.try_emplace(end.lid).first;
    Seen& seen = seen_[found.first];
    if (seen.port != end.port) seen.ports = std::min(2, seen.ports + 1);
    seen.port = end.port;
    return found;
  }

  const TextLines& lines_;
  Warnings& warnings_;
  Fabric fabric_;
  std::map<std::string_view, Seen> seen_;
  Kind kind_ = Kind::unknown;  ///< the kind in the heading
  std::string_view name_;
};

/// True if a line is one of `iblinkinfo`.
bool looks_like_link_list(const TextLines& lines) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::optional<Cut> parts = cut(trim(lines[l]));
    if (parts && end_of(parts->before)) return true;
  }
  return false;
}

/// Reads what `iblinkinfo` prints, with or without -l. The ids of devices are their local identifiers.
Fabric read_link_list(const TextLines& lines, Warnings& warnings) {
  return LinkList(lines, warnings).read();
}

constexpr Origin kDiscovered{"ibnetdiscover"};
constexpr Origin kListed{"iblinkinfo"};

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

bool recognises(std::string_view head) {
  const TextLines lines({}, head);
  return looks_like_fabric(lines) || looks_like_link_list(lines);
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text, kLongestLine);
  Warnings warnings;
  const bool is_list = !looks_like_fabric(lines) && looks_like_link_list(lines);
  const Fabric fabric = is_list ? read_link_list(lines, warnings) : read_fabric(lines, warnings);
  if (fabric.devices.empty())
    fail({where, {}, "no record of 'ibnetdiscover' found", {}, "--format NAME chooses another format"});
  return FabricBuilder(where, fabric, is_list ? kListed : kDiscovered, warnings).run();
}

}  // namespace

const TopologyFormat kIbnetdiscoverFormat{"ibnetdiscover", "ibnetdiscover [-p], iblinkinfo [-l], ibsim net files",
                                          recognises, read, kLargestCluster};

}  // namespace topowise
