// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The host graph: how any two places of a machine reach each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/components.hpp>
#include <topowise/graph/metric.hpp>
#include <topowise/graph/network_shape.hpp>
#include <topowise/graph/pair_matrix.hpp>
#include <topowise/graph/path_class.hpp>

namespace topowise {

struct TopologyParts;

/// Immutable; copies share their content. TopologyBuilder makes it.
///
/// Every pair of places has a *class* (PathClass); the distinct classes of the machine, nearest first, are its
/// *levels*, counted from 0. What stays inside a compute node is nearer than what leaves it, whatever sources describe
/// the two. Distance is level + 1 unless a source gives another number. Pair tables are dense up to
/// kLargestDense places; beyond that the vertices must form a tree (Vertex::parent) or a cluster, and pairs are
/// answered from it. In a regular network (network()) they are always answered from coordinates.
class Topology {
 public:
  /// The most places of which all pairs are in tables.
  static constexpr std::size_t kLargestDense = 4096;

  /// What its source calls the machine.
  [[nodiscard]] const std::string& name() const;
  /// The vertices, by VertexId.
  [[nodiscard]] std::span<const Vertex> vertices() const;
  /// The links, by LinkId; one entry a direction.
  [[nodiscard]] std::span<const Link> links() const;
  /// The places, by Place.
  [[nodiscard]] std::span<const PlaceEntry> places() const;
  /// Entries of the switches' forwarding tables, where a source knows them: routes follow them.
  [[nodiscard]] std::span<const Forwarding> forwarding() const;
  /// Names of the adapters that a host of a network has on a link, where a source states them.
  [[nodiscard]] const std::map<LinkId, std::vector<std::string>>& adapters() const;
  /// Lines that say what is odd about the description, or was assumed.
  [[nodiscard]] std::span<const std::string> warnings() const;
  /// What readers assumed because no source states it, a few words each; assumptions_of() adds assumed rates.
  [[nodiscard]] std::span<const std::string> assumptions() const;
  /// True if no source states the names of the nodes: topowise made them up ("P0"), and no launcher knows them.
  [[nodiscard]] bool invents_hosts() const;
  /// Number of places, whatever they hold; see capacity().
  [[nodiscard]] std::size_t place_count() const { return places().size(); }
  /// Parameters of the links below no vertex that states its own.
  [[nodiscard]] const CongestionParameters& congestion() const;
  /// Sum of the capacities.
  [[nodiscard]] std::size_t capacity() const;

  /// The vertex of an id. Here and below, ids must be of this machine.
  [[nodiscard]] const Vertex& vertex(VertexId id) const { return vertices()[id.index()]; }
  /// One direction of a wire.
  [[nodiscard]] const Link& link(LinkId id) const { return links()[id.index()]; }
  /// What the place is, where it is, how many ranks it holds.
  [[nodiscard]] const PlaceEntry& place(Place id) const { return places()[id.index()]; }
  /// The vertex that a place is on; its name is the place's name.
  [[nodiscard]] const Vertex& vertex_of(Place id) const { return vertex(place(id).vertex); }

  /// Distinct classes of pairs, nearest first; index = level.
  [[nodiscard]] std::span<const PathClass> levels() const;
  /// Some pair of places of a level.
  [[nodiscard]] std::pair<Place, Place> pair_of_level(std::size_t level) const;
  /// Where the pairs of each level are.
  [[nodiscard]] std::span<const LevelScope> level_scopes() const;
  /// The distance of a pair of each level, where no source states a distance for the pair.
  [[nodiscard]] std::span<const double> level_distances() const;
  /// Classes that a source states; key: smaller place first. All other pairs are classified by their route.
  [[nodiscard]] const std::map<std::pair<Place, Place>, PathClass>& stated_classes() const;
  /// Pairs of GPUs that cannot read each other's memory; smaller place first. Where the host is described, their copies
  /// go through it: so do their routes, and their class is that of the host bridge or a farther one.
  [[nodiscard]] const std::set<std::pair<Place, Place>>& without_peer_access() const;
  /// -1 for a place and itself.
  [[nodiscard]] int level(Place a, Place b) const;
  /// Class of the pair; PathKind::self for a place and itself.
  [[nodiscard]] PathClass path_class(Place a, Place b) const;

  /// 0 for a place and itself; else the stated pair distance, or that of the level: level + 1 by default, infinite
  /// where nothing connects the pair.
  [[nodiscard]] double distance(Place a, Place b) const;
  /// Stated (measured) value of the pair, else that of the narrowest link of the route; 0 if not known, infinite for a
  /// place and itself.
  [[nodiscard]] BytesPerSecond bandwidth(Place a, Place b) const;
  /// Stated (measured) value of the pair, else the sum over the route; 0 if not known, and for a place and itself.
  [[nodiscard]] Seconds latency(Place a, Place b) const;
  /// True if a source states this number for every pair (a measurement or a given distance matrix).
  [[nodiscard]] bool has_pair_matrix(Metric metric) const;
  /// The stated matrix itself; null without one.
  [[nodiscard]] const PairMatrix* pair_matrix(Metric metric) const;
  /// Provenance of that matrix; empty without one.
  [[nodiscard]] const Provenance& pair_matrix_source(Metric metric) const;

  /// What a byte between the two places costs under `metric`. It is the distance; or how many times worse the pair is
  /// than the best pair (1 for the best) by latency or bandwidth, or by affinity where the matrix has it; or the hops:
  /// switches crossed between nodes, and below 1 inside a node, less for nearer places. 0 for a place and itself.
  /// Throws Error(bad_input) if the metric is not known for this machine.
  [[nodiscard]] double pair_cost(Metric metric, Place a, Place b) const;

  /// The ordered links from a to b; empty for a place and itself, and where nothing connects them.
  [[nodiscard]] std::vector<LinkId> route(Place a, Place b) const;
  /// The links that leave a vertex.
  [[nodiscard]] std::span<const LinkId> links_from(VertexId vertex) const;

  /// Children per vertex on each level, outermost first, if the places are the leaves of a uniform hierarchy (`tree:`),
  /// in order.
  [[nodiscard]] std::span<const int> arities() const;

  /// The wiring, if the machine is a torus, a mesh or a dragonfly and nothing else; else null. Distances and routes
  /// follow from it, so that it may have any number of places.
  [[nodiscard]] const NetworkShape* network() const;

  /// The number of the group of places that reach each other without the network, in a cluster: a compute node, or a
  /// rack that NVLink joins. Nothing in other machines.
  [[nodiscard]] std::optional<std::size_t> group_without_network(Place place) const;

  /// By place of a cluster: the number of the set of network switches that its group_without_network() is on. Ways
  /// between places of different sets cross at least two switches. Empty in other machines, and where two groups share
  /// only some of their switches.
  [[nodiscard]] std::vector<std::uint32_t> switch_sets() const;

  /// Only for TopologyBuilder, which makes the parts.
  explicit Topology(std::shared_ptr<const TopologyParts> parts) : parts_(std::move(parts)) {}

 private:
  [[nodiscard]] double hops(Place a, Place b) const;
  [[nodiscard]] double pair_worth(Metric metric, Place a, Place b) const;
  [[nodiscard]] double best_pair(Metric metric) const;
  std::shared_ptr<const TopologyParts> parts_;
};

/// The compute node that a vertex is on or below, as the vertex or an ancestor states it; empty if none does.
[[nodiscard]] std::string node_name(const Topology& topology, VertexId vertex);

/// A vertex's name without the node's name before it, as the node itself would say it: "mlx5_0" for "n01:mlx5_0".
[[nodiscard]] std::string name_in_node(const Topology& topology, VertexId vertex);

/// Collects what a source knows; build() checks it and makes the Topology.
class TopologyBuilder {
 public:
  /// Begins with a name and nothing else.
  explicit TopologyBuilder(std::string name);
  /// Begins with all that `machine` states; vertices, links and places keep their numbers.
  explicit TopologyBuilder(const Topology& machine);
  ~TopologyBuilder();
  /// A moved-from builder can only be destroyed or assigned to.
  TopologyBuilder(TopologyBuilder&&) noexcept;
  /// Moves like the constructor.
  TopologyBuilder& operator=(TopologyBuilder&&) noexcept;

  /// Makes room for so many in all; more may be added.
  void reserve(std::size_t vertices, std::size_t links, std::size_t places);
  /// Vertices are numbered from 0 as they are added; so are links and places.
  VertexId add_vertex(Vertex vertex);
  /// Sets a parent that is added after its child.
  void set_parent(VertexId child, VertexId parent);
  /// Adds one direction; add_links() adds both.
  LinkId add_link(Link link);
  /// Adds both directions with the same properties; `link.from` and `link.to` name one of them.
  void add_links(Link link);
  /// Replaces the rate of one direction, and the source that states it.
  void set_bandwidth(LinkId link, BytesPerSecond bandwidth, Provenance source);
  /// `capacity`: ranks that it can hold.
  Place add_place(PlaceKind kind, VertexId vertex, int capacity = 1);
  /// Replaces what add_place() was given.
  void set_capacity(Place place, int capacity);
  /// Number of places so far.
  [[nodiscard]] std::size_t place_count() const;
  /// The vertex, valid until the next vertex is added.
  [[nodiscard]] const Vertex& vertex(VertexId id) const;

  /// States the class of an unordered pair; pairs without a statement are classified by their route.
  void set_class(Place a, Place b, PathClass path);
  /// States that two GPUs cannot read each other's memory.
  void refuse_peer_access(Place a, Place b);
  /// Distance of the level of a class. If any is set, each level found must have one, and no other class.
  void set_level_distance(PathClass path, double distance);
  /// Distance of each level, nearest first; there must be one for each level found.
  void set_level_distances(std::vector<double> distances);
  /// States a number for every pair: `values` has place_count()^2 entries, row-major.
  void set_pair_matrix(Metric metric, PairMatrix matrix);
  /// Declares the places to be the leaves, in order, of a uniform hierarchy; `arities` outermost first.
  void set_arities(std::vector<int> arities);
  /// Declares that the machine is such a network, its vertices and links added in the order of for_each_wire(). build()
  /// forgets it where that is not so, or where classes or forwarding tables are stated.
  void set_network(NetworkShape shape);
  /// Adds an entry of a forwarding table. The entry's link must leave its vertex.
  void add_forwarding(Forwarding entry);
  /// Names the adapters of a link, one name for each cable.
  void set_adapters(LinkId link, std::vector<std::string> names);
  /// Sets the parameters of the whole machine. Those that a vertex states have priority.
  void set_congestion(CongestionParameters parameters);
  /// Adds a line to Topology::warnings().
  void warn(std::string text);
  /// Adds a few words to Topology::assumptions(), once.
  void assume(std::string text);
  /// Declares that the names of the nodes are made up; see Topology::invents_hosts().
  void invent_hosts();
  /// Adds the warnings and assumptions of a machine that this one is made of, and whether it invents its hosts.
  void add_notes_of(const Topology& part);

  /// Throws Error(bad_input) on: no place, a parent cycle, a link to itself or to nowhere, negative or not finite
  /// numbers, congestion parameters out of range, a capacity below 1, forwarding tables that go in a circle, too many
  /// places for a machine that is not a tree.
  [[nodiscard]] Topology build() &&;

 private:
  std::unique_ptr<TopologyParts> parts_;
};

}  // namespace topowise
