// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/merge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/merge/assumed_rates.hpp>
#include <topowise/topology_source/merge/match.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>

namespace topowise {
namespace {

// Finds where two descriptions of one machine contradict each other.
//
// Two statements contradict each other if they give different classes, or the same class with rates that cannot both be
// true. A measurement lies below the link's peak, because of the protocol and of what else was running: between 60 and
// 105 % of the peak is agreement. Two peaks must be equal. Rates that a source does not know of this machine say
// nothing: "(assumed)" of bonds, "nominal" and "nccl" of PCIe.

/// What a source says about a pair of places.
struct PairStatement {
  PathClass path;
  BytesPerSecond bandwidth;  ///< 0 if not known
  std::string source;        ///< who states it, for messages: the provenance of the number, and the machine's name
  Provenance provenance;     ///< of the number; empty if there is none
};

constexpr double kLowestAgreement = 0.6;
constexpr double kHighestAgreement = 1.05;

/// True for a class that only says "there is a number" or "these are levels".
bool is_vague(PathClass path) {
  return path.kind == PathKind::measured || path.kind == PathKind::tree || path.kind == PathKind::unconnected;
}

/// "a measurement"
std::string_view reason_for(Trust trust) {
  switch (trust) {
    case Trust::placeholder:
      return "nothing better is known";
    case Trust::wiring:
      return "it comes from this machine";
    case Trust::preset:
      return "it knows the width of each bond of this model";
    case Trust::stated:
      return "its description states the bond";
    case Trust::backend:
      return "it counts the links of each bond";
    case Trust::tool:
      return "the vendor's tool counts the links of each bond";
    case Trust::measured:
      return "it is a measurement";
  }
  return {};
}

bool is_measured(const PairStatement& statement) {
  return statement.provenance.trust() == Trust::measured;
}

/// True for a rate of the kind of link rather than of this machine's link.
bool is_nominal(const PairStatement& statement) {
  const Basis basis = statement.provenance.basis();
  return !is_bond(statement.path) && (basis == Basis::nominal || basis == Basis::nccl);
}

bool rates_agree(const PairStatement& a, const PairStatement& b) {
  const double x = a.bandwidth.value();
  const double y = b.bandwidth.value();
  if (x <= 0 || y <= 0) return true;
  if (a.provenance.is_assumed() || b.provenance.is_assumed()) return true;
  if (is_nominal(a) || is_nominal(b)) return true;
  if (is_measured(a) && is_measured(b)) return std::min(x, y) >= kLowestAgreement * std::max(x, y);
  if (is_measured(a)) return x >= kLowestAgreement * y && x <= kHighestAgreement * y;
  if (is_measured(b)) return y >= kLowestAgreement * x && y <= kHighestAgreement * x;
  return std::min(x, y) >= 0.99 * std::max(x, y);
}

bool agree(const PairStatement& a, const PairStatement& b) {
  const bool same_class = a.path == b.path || is_vague(a.path) || is_vague(b.path);
  return same_class && rates_agree(a, b);
}

std::string describe(const PairStatement& statement) {
  std::string text = is_vague(statement.path) ? "" : to_string(statement.path);
  if (statement.bandwidth.value() > 0)
    text += fmt::format("{}{}", text.empty() ? "" : " at ", to_string(statement.bandwidth));
  return text;
}

/// The kind of link that makes such a class.
LinkKind bond_kind(PathClass bond) {
  if (bond.kind == PathKind::nvlink) return LinkKind::nvlink;
  if (bond.kind == PathKind::vendor_link) return LinkKind::vendor_link;
  return bond.kind == PathKind::c2c ? LinkKind::c2c : LinkKind::xgmi;
}

/// The provenance of the statement that is kept, and why it is kept: it is a measurement, else it is the source chosen
/// for the bond's kind, else it is the source of the PCI tree.
std::pair<std::string_view, std::string_view> kept_of(const PairStatement& first, const PairStatement& other,
                                                      const std::set<LinkKind>& from_other) {
  for (const PairStatement* statement : {&first, &other}) {
    if (is_measured(*statement)) return {statement->source, reason_for(Trust::measured)};
  }
  if (!is_bond(first.path) && !is_bond(other.path)) return {first.source, "the PCI tree is its own"};
  const LinkKind kind = bond_kind(is_bond(other.path) ? other.path : first.path);
  const PairStatement& kept = from_other.contains(kind) ? other : first;
  return {kept.source, reason_for(kept.provenance.trust())};
}

/// The bandwidth to group warnings by. Measurements differ from pair to pair, so one warning is enough for all that are
/// close.
double rounded(const PairStatement& statement) {
  const double value = statement.bandwidth.value();
  return is_measured(statement) ? std::round(value / 10e9) * 10e9 : value;
}

/// Who states it, and in which file: "amd-smi (as printed) in topo.txt". What a live machine says is in no file: its
/// parts have the names of who says it.
std::string source_of(const Topology& machine, const Provenance& provenance) {
  if (provenance.origin().empty()) return machine.name();
  const std::string text = to_string(provenance);
  return text.starts_with(machine.name()) ? text : fmt::format("{} in {}", text, machine.name());
}

PairStatement statement_of(const Topology& machine, Place a, Place b) {
  PairStatement statement{machine.path_class(a, b), machine.bandwidth(a, b), machine.name(), {}};
  if (machine.has_pair_matrix(Metric::bandwidth)) {
    statement.provenance = machine.pair_matrix_source(Metric::bandwidth);
    statement.source = source_of(machine, statement.provenance);
    return statement;
  }
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LinkId id : machine.route(a, b)) {
    const Link& link = machine.link(id);
    if (link.bandwidth.value() >= narrowest) continue;
    narrowest = link.bandwidth.value();
    statement.provenance = link.source;
    statement.source = source_of(machine, link.source);
  }
  return statement;
}

/// Warnings, one for each kind of contradiction, with the pairs that it concerns. `first` gives the host's links. Bonds
/// of the kinds `from_other` come from `other`.
std::vector<std::string> contradictions(const Topology& first, const Topology& other, const PlaceMatch& match,
                                        const std::set<LinkKind>& from_other) {
  using Key = std::pair<std::pair<std::string, std::string>, std::tuple<PathClass, PathClass, double, double>>;
  struct Group {
    PairStatement first, other;
    std::string example;
    int pairs = 0;
  };
  std::map<Key, Group> groups;
  for (std::size_t a = 0; a < first.place_count(); ++a) {
    for (std::size_t b = a + 1; b < first.place_count(); ++b) {
      if (!match.other_of[a] || !match.other_of[b]) continue;
      if (first.without_peer_access().contains({Place(a), Place(b)}) ||
          other.without_peer_access().contains(std::minmax(*match.other_of[a], *match.other_of[b])))
        continue;  // a class by way of the host, and one by a link that only the other takes to be used
      const PairStatement x = statement_of(first, Place(a), Place(b));
      const PairStatement y = statement_of(other, *match.other_of[a], *match.other_of[b]);
      if (agree(x, y)) continue;
      Group& group = groups[{{x.source, y.source}, {x.path, y.path, rounded(x), rounded(y)}}];
      if (++group.pairs == 1) {
        group.first = x;
        group.other = y;
        group.example = fmt::format("{}-{}", first.vertex_of(Place(a)).name, first.vertex_of(Place(b)).name);
      }
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [key, group] : groups) {
    const auto& [kept, reason] = kept_of(group.first, group.other, from_other);
    warnings.push_back(fmt::format("{}{}: {} says {}, {} says {}; kept {}: {}", group.example,
                                   group.pairs > 1 ? fmt::format(" and {} more", group.pairs - 1) : "",
                                   group.first.source, describe(group.first), group.other.source, describe(group.other),
                                   kept, reason));
  }
  return warnings;
}

// Rates of a host's links that one source of a join has only assumed and the other source knows: a `topo -m` does not
// state the generation of PCIe, but a preset or the driver does.

class HostRates {
 public:
  /// Collects what the machine's source knows: for each kind of link and of its lower end, the rate that all such links
  /// share.
  explicit HostRates(const Topology& machine);

  /// Replaces bandwidth and provenance of a link of `machine` if they are assumed. A PCIe link of a switch or an
  /// adapter of which nothing else is known gets the rate of the GPUs' links.
  void settle(const Topology& machine, Link& link) const;

 private:
  struct Known {
    BytesPerSecond bandwidth;
    Provenance source;
  };
  using Key = std::pair<LinkKind, VertexKind>;  ///< kind of link and of its lower end; between sockets always a package
  [[nodiscard]] const Known* find(const Key& key) const;

  std::map<Key, std::optional<Known>> known_;  ///< nothing where the rates differ
};

bool is_host_link(const Link& link) {
  return link.kind == LinkKind::pcie || link.kind == LinkKind::inter_socket;
}

/// The kind of the end that is farther from the processors. The other end, a socket, differs from source to source.
VertexKind lower_end(const Topology& machine, const Link& link) {
  if (link.kind == LinkKind::inter_socket) return VertexKind::package;
  return machine.vertex(link.from).parent == link.to ? machine.vertex(link.from).kind : machine.vertex(link.to).kind;
}

HostRates::HostRates(const Topology& machine) {
  for (const Link& link : machine.links()) {
    if (!is_host_link(link) || link.source.is_assumed() || !(link.bandwidth.value() > 0)) continue;
    const auto [at, is_new] =
        known_.try_emplace({link.kind, lower_end(machine, link)}, Known{link.bandwidth, link.source});
    if (!is_new && at->second && at->second->bandwidth != link.bandwidth) at->second.reset();
  }
}

const HostRates::Known* HostRates::find(const Key& key) const {
  const auto found = known_.find(key);
  return found != known_.end() && found->second ? &*found->second : nullptr;
}

void HostRates::settle(const Topology& machine, Link& link) const {
  if (!is_host_link(link) || !link.source.is_assumed()) return;
  const Known* known = find({link.kind, lower_end(machine, link)});
  if (known == nullptr && link.kind == LinkKind::pcie) known = find({LinkKind::pcie, VertexKind::gpu});
  if (known == nullptr) return;
  link.bandwidth = known->bandwidth;
  link.source = known->source;
}

constexpr std::array<LinkKind, 4> kBondKinds{LinkKind::nvlink, LinkKind::xgmi, LinkKind::c2c, LinkKind::vendor_link};

/// The rate of one link, by kind of bond, as far as the machine's source knows it.
using KnownRates = std::map<LinkKind, BytesPerSecond>;
KnownRates known_rates(const Topology& machine) {
  KnownRates rates;
  for (const LinkKind kind : kBondKinds) {
    if (const std::optional<BytesPerSecond> rate = known_rate_of_one(machine, kind)) rates.emplace(kind, *rate);
  }
  return rates;
}

/// The trust in the least trusted bond of a kind; nothing if there is no such bond.
std::optional<Trust> trust_in_bonds(const Topology& machine, LinkKind kind) {
  std::optional<Trust> least;
  for (const Link& link : machine.links()) {
    if (link.kind != kind || !is_bond_link(machine, link)) continue;
    const Trust trust = link.source.trust();
    if (!least || trust < *least) least = trust;
  }
  return least;
}

/// True if both say the same about which places bonds of that kind join, and how wide they are.
bool agree_on_bonds(const Topology& frame, const Topology& other, const PlaceMatch& match, LinkKind kind) {
  const auto class_if_bond = [&](PathClass path) {
    return is_bond(path) && bond_kind(path) == kind ? path : PathClass{};
  };
  for (std::size_t a = 0; a < frame.place_count(); ++a) {
    for (std::size_t b = a + 1; b < frame.place_count(); ++b) {
      if (!match.other_of[a] || !match.other_of[b]) continue;
      if (class_if_bond(frame.path_class(Place(a), Place(b))) !=
          class_if_bond(other.path_class(*match.other_of[a], *match.other_of[b])))
        return false;
    }
  }
  return true;
}

std::set<LinkKind> bonds_from_other(const Topology& frame, const Topology& other, const PlaceMatch& match) {
  std::set<LinkKind> kinds;
  for (const LinkKind kind : kBondKinds) {
    const std::optional<Trust> ours = trust_in_bonds(frame, kind);
    const std::optional<Trust> theirs = trust_in_bonds(other, kind);
    const bool assumed = has_assumed_rates(frame, kind);
    if (ours && theirs && assumed != has_assumed_rates(other, kind) && agree_on_bonds(frame, other, match, kind)) {
      if (assumed) kinds.insert(kind);
      continue;
    }
    if (theirs && (!ours || *theirs > *ours)) kinds.insert(kind);
  }
  return kinds;
}

/// How much a source knows of the host: whether it has a host side, the number of bus ids, the number of vertices
/// besides the places.
std::tuple<bool, std::size_t, std::size_t> host_detail(const Topology& machine) {
  const auto places = machine.places();
  const auto with_pci = std::ranges::count_if(
      places, [&](const PlaceEntry& place) { return machine.vertex(place.vertex).pci.has_value(); });
  const bool has_host = std::ranges::any_of(machine.vertices(), [](const Vertex& vertex) {
    return vertex.kind == VertexKind::package || vertex.kind == VertexKind::numa_domain ||
           vertex.kind == VertexKind::root_complex || vertex.kind == VertexKind::pcie_switch;
  });
  return {has_host, static_cast<std::size_t>(with_pci), machine.vertices().size() - places.size()};
}

bool host_without_name(const Topology& machine) {
  return std::ranges::all_of(machine.vertices(), [](const Vertex& vertex) { return vertex.node.empty(); });
}

/// The name that the source of a machine of one node states; empty if it states none.
std::string host_of(const Topology& machine) {
  const std::string first = machine.vertex_of(Place(0)).node;
  const bool one = std::ranges::all_of(
      machine.places(), [&](const PlaceEntry& place) { return machine.vertex(place.vertex).node == first; });
  return one ? first : std::string();
}

class Merger {
 public:
  /// `frame` gives the vertices, the places and the host's links.
  Merger(const std::string& name, const Topology& frame, const Topology& other, const PlaceMatch& match,
         const std::set<LinkKind>& from_other)
      : frame_(frame),
        other_(other),
        match_(match),
        from_other_(from_other),
        host_(host_without_name(frame) ? host_of(other) : std::string()),
        builder_(name) {}

  Topology build(const std::vector<std::string>& warnings) {
    copy_frame();
    copy_bonds();
    copy_bonds_to_processors();
    copy_classes();
    copy_peers();
    for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) copy_matrix(metric);
    builder_.set_congestion(frame_.congestion().empty() ? other_.congestion() : frame_.congestion());
    const auto has_bonds = [](const Topology& part) {
      return std::ranges::any_of(part.links(), [&](const Link& link) { return is_bond_link(part, link); });
    };
    const bool bonded = has_bonds(frame_) || has_bonds(other_);
    for (const Topology* part : {&frame_, &other_}) {
      for (const std::string& assumption : part->assumptions()) {
        if (!bonded || assumption != kNoOtherBonds) builder_.assume(assumption);
      }
      for (const std::string& warning : part->warnings()) {
        if (!bonded || warning.find(kBondsNotShown) == std::string::npos) builder_.warn(warning);
      }
    }
    for (const std::string& warning : warnings) builder_.warn(warning);
    if (frame_.invents_hosts()) builder_.invent_hosts();
    return with_measured_links(std::move(builder_).build());
  }

 private:
  /// An assumed rate gives way to a measurement: a link carries at least what was measured of a pair whose route takes
  /// it.
  static Topology with_measured_links(Topology machine) {
    constexpr std::size_t kMostPlaces = 512;  // of which each pair is looked at
    const PairMatrix* measured = machine.pair_matrix(Metric::bandwidth);
    if (measured == nullptr || machine.place_count() > kMostPlaces) return machine;
    std::map<LinkId, double> fastest;
    for (std::size_t a = 0; a < machine.place_count(); ++a) {
      for (std::size_t b = 0; b < machine.place_count(); ++b) {
        if (a == b) continue;
        const double rate = measured->values[a * machine.place_count() + b];
        for (const LinkId id : machine.route(Place(a), Place(b))) {
          const Link& link = machine.link(id);
          if (link.source.is_assumed() && rate > link.bandwidth.value()) fastest[id] = std::max(fastest[id], rate);
        }
      }
    }
    if (fastest.empty()) return machine;
    TopologyBuilder builder(machine);
    for (const auto& [id, rate] : fastest) builder.set_bandwidth(id, BytesPerSecond(rate), measured->source);
    return std::move(builder).build();
  }

  [[nodiscard]] bool is_replaced(const Link& link) const {
    return from_other_.contains(link.kind) && is_bond_link(frame_, link);
  }

  /// Replaces an assumed rate of a bond by the rate that the other source knows. The bond keeps the width of the more
  /// trusted source.
  static void settle_by(const KnownRates& rates, Link& link) {
    const auto rate = rates.find(link.kind);
    if (rate != rates.end()) settle_rate(link, rate->second);
  }

  /// True for an NVSwitch that loses all its links, so it gets no vertex.
  [[nodiscard]] bool is_left_out(VertexId id) const {
    const auto links = frame_.links_from(id);
    return frame_.vertex(id).kind == VertexKind::nvswitch && !links.empty() &&
           std::ranges::all_of(links, [&](LinkId link) { return is_replaced(frame_.link(link)); });
  }

  void copy_frame() {
    std::map<VertexId, Place> place_on;
    for (std::size_t p = 0; p < frame_.place_count(); ++p) place_on.emplace(frame_.place(Place(p)).vertex, Place(p));
    for (std::size_t v = 0; v < frame_.vertices().size(); ++v) {
      if (is_left_out(VertexId(v))) continue;
      Vertex vertex = frame_.vertex(VertexId(v));
      vertex.parent.reset();
      if (!host_.empty()) vertex.node = host_;
      const auto place = place_on.find(VertexId(v));
      if (place != place_on.end() && match_.other_of[place->second.index()])
        complete(vertex, other_.vertex_of(*match_.other_of[place->second.index()]));
      vertices_[VertexId(v)] = builder_.add_vertex(std::move(vertex));
    }
    for (const auto& [old, copy] : vertices_) {
      if (const std::optional<VertexId> parent = frame_.vertex(old).parent)
        builder_.set_parent(copy, vertices_.at(*parent));
    }
    const KnownRates rates = known_rates(other_);
    const HostRates host_rates(other_);
    for (const Link& link : frame_.links()) {
      if (is_replaced(link)) continue;
      Link copy = link;
      if (is_bond_link(frame_, link))
        settle_by(rates, copy);
      else
        host_rates.settle(frame_, copy);
      copy.from = vertices_.at(link.from);
      copy.to = vertices_.at(link.to);
      builder_.add_link(std::move(copy));
    }
    for (const PlaceEntry& place : frame_.places())
      builder_.add_place(place.kind, vertices_.at(place.vertex), place.capacity);
  }

  /// Adds what only the other source knows of a place.
  void complete(Vertex& vertex, const Vertex& theirs) {
    if (!vertex.pci) vertex.pci = theirs.pci;
    if (vertex.uuid.empty()) vertex.uuid = theirs.uuid;
    if (vertex.cpus.empty()) vertex.cpus = theirs.cpus;
    if (vertex.vendor == GpuVendor::unknown) vertex.vendor = theirs.vendor;
    if (vertex.number < 0) vertex.number = theirs.number;
    if (vertex.numa < 0)
      vertex.numa = theirs.numa;
    else if (theirs.numa >= 0 && theirs.numa != vertex.numa)
      builder_.warn(fmt::format("{}: '{}' places it in NUMA domain {}, '{}' in {}; kept {}", vertex.name, frame_.name(),
                                vertex.numa, other_.name(), theirs.numa, vertex.numa));
  }

  void copy_bonds() {
    const KnownRates rates = known_rates(frame_);
    std::map<VertexId, VertexId> copies;  // by vertex of the other machine
    for (std::size_t p = 0; p < frame_.place_count(); ++p) {
      if (match_.other_of[p])
        copies.emplace(other_.place(*match_.other_of[p]).vertex, vertices_.at(frame_.place(Place(p)).vertex));
    }
    for (const Link& link : other_.links()) {
      if (!from_other_.contains(link.kind) || !is_bond_link(other_, link)) continue;
      for (const VertexId end : {link.from, link.to}) {
        if (other_.vertex(end).kind == VertexKind::nvswitch && !copies.contains(end))
          copies.emplace(end, builder_.add_vertex({.kind = VertexKind::nvswitch, .name = other_.vertex(end).name}));
      }
      if (!copies.contains(link.from) || !copies.contains(link.to)) continue;  // the link of a GPU that is left out
      Link copy = link;
      settle_by(rates, copy);
      copy.from = copies.at(link.from);
      copy.to = copies.at(link.to);
      builder_.add_link(std::move(copy));
    }
  }

  /// Adds the bonds from GPUs to processors (NVLink-C2C), which the frame's source may not see.
  void copy_bonds_to_processors() {
    for (std::size_t p = 0; p < frame_.place_count(); ++p) {
      if (!match_.other_of[p]) continue;
      const VertexId ours = frame_.place(Place(p)).vertex;
      const std::optional<VertexId> processor = processor_of(ours);
      if (!processor || has_bond_to_processor(frame_, ours)) continue;
      const VertexId theirs = other_.place(*match_.other_of[p]).vertex;
      for (const LinkId id : other_.links_from(theirs)) {
        if (!is_bond_to_processor(other_, other_.link(id))) continue;
        Link copy = other_.link(id);
        copy.from = vertices_.at(ours);
        copy.to = vertices_.at(*processor);
        builder_.add_links(std::move(copy));
      }
    }
  }

  static bool is_bond_to_processor(const Topology& machine, const Link& link) {
    return is_bond(link.kind) && !is_bond_link(machine, link);
  }

  static bool has_bond_to_processor(const Topology& machine, VertexId gpu) {
    return std::ranges::any_of(machine.links_from(gpu),
                               [&](LinkId id) { return is_bond_to_processor(machine, machine.link(id)); });
  }

  /// The vertex of the frame for the socket or the NUMA domain of a GPU.
  [[nodiscard]] std::optional<VertexId> processor_of(VertexId gpu) const {
    for (std::optional<VertexId> above = frame_.vertex(gpu).parent; above; above = frame_.vertex(*above).parent) {
      const VertexKind kind = frame_.vertex(*above).kind;
      if (kind == VertexKind::numa_domain || kind == VertexKind::package) return above;
    }
    return std::nullopt;
  }

  /// Takes a bond's class from the source of the bonds, and every other class from the frame. So a class that a source
  /// states against its own links stays as it is stated.
  void copy_classes() {
    for (std::size_t a = 0; a < frame_.place_count(); ++a) {
      for (std::size_t b = a + 1; b < frame_.place_count(); ++b) {
        const PathClass ours = frame_.path_class(Place(a), Place(b));
        std::optional<PathClass> theirs;
        if (match_.other_of[a] && match_.other_of[b])
          theirs = other_.path_class(*match_.other_of[a], *match_.other_of[b]);
        if (theirs && is_bond(*theirs) && from_other_.contains(bond_kind(*theirs)))
          builder_.set_class(Place(a), Place(b), *theirs);
        else if (!is_bond(ours) || !from_other_.contains(bond_kind(ours)))
          builder_.set_class(Place(a), Place(b), ours);
      }
    }
  }

  /// What one of the sources says of access is kept: the other may not have asked.
  void copy_peers() {
    for (const auto& [a, b] : frame_.without_peer_access()) builder_.refuse_peer_access(a, b);
    const std::set<std::pair<Place, Place>>& theirs = other_.without_peer_access();
    for (std::size_t a = 0; a < frame_.place_count() && !theirs.empty(); ++a) {
      for (std::size_t b = a + 1; b < frame_.place_count(); ++b) {
        if (match_.other_of[a] && match_.other_of[b] &&
            theirs.contains(std::minmax(*match_.other_of[a], *match_.other_of[b])))
          builder_.refuse_peer_access(Place(a), Place(b));
      }
    }
  }

  void copy_matrix(Metric metric) {
    const bool ours = frame_.has_pair_matrix(metric);
    const bool theirs = other_.has_pair_matrix(metric) && match_.count() == frame_.place_count();
    if (other_.has_pair_matrix(metric) && !theirs)
      builder_.warn(fmt::format("the {} matrix of '{}' does not cover all places and is left out", to_string(metric),
                                other_.name()));
    if (!ours && !theirs) return;
    const bool use_other =
        theirs && (!ours || other_.pair_matrix_source(metric).trust() > frame_.pair_matrix_source(metric).trust());
    if (!use_other) return builder_.set_pair_matrix(metric, *frame_.pair_matrix(metric));
    std::vector<std::size_t> places;
    for (const std::optional<Place>& place : match_.other_of) places.push_back(place->index());
    builder_.set_pair_matrix(metric, select_places(*other_.pair_matrix(metric), other_.place_count(), places));
  }

  const Topology& frame_;
  const Topology& other_;
  const PlaceMatch& match_;
  const std::set<LinkKind>& from_other_;  ///< kinds of bonds that come from the other machine
  std::string host_;                      ///< the host's name, if only the other source states it
  TopologyBuilder builder_;
  std::map<VertexId, VertexId> vertices_;  ///< by vertex of the frame: its copy
};

}  // namespace

Topology merge(const Topology& a, const Topology& b) {
  const bool a_is_frame = host_detail(a) >= host_detail(b);
  const Topology& frame = a_is_frame ? a : b;
  const Topology& other = a_is_frame ? b : a;
  for (const Topology* part : {&frame, &other}) {
    if (part->place_count() > Topology::kLargestDense)
      throw bad_input(fmt::format("'{}' has {} places; at most {} can be joined with '+'", part->name(),
                                  part->place_count(), Topology::kLargestDense));
  }
  const PlaceMatch match = match_places(frame, other);
  std::vector<std::string> warnings = match.warnings;
  const std::set<LinkKind> from_other = bonds_from_other(frame, other, match);
  const std::vector<std::string> found = contradictions(frame, other, match, from_other);
  warnings.insert(warnings.end(), found.begin(), found.end());
  return Merger(fmt::format("{}+{}", a.name(), b.name()), frame, other, match, from_other).build(warnings);
}

}  // namespace topowise
