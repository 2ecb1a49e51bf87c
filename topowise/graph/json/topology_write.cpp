// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/topology.hpp>

namespace topowise {
namespace {

using Layout = JsonWriter::Layout;

/// The members that a place and its vertex have in common.
void write_identity(JsonWriter& writer, const Vertex& vertex) {
  writer.key("name").value(vertex.name);
  writer.key("pci").text_or_null(vertex.pci ? vertex.pci->to_string() : std::string());
  writer.key("numa");
  vertex.numa < 0 ? writer.null() : writer.value(vertex.numa);
  writer.key("node").value(vertex.node);
}

void write_places(JsonWriter& writer, const Topology& topology) {
  writer.key("places").array();
  for (std::size_t p = 0; p < topology.place_count(); ++p) {
    const PlaceEntry& place = topology.place(Place(p));
    writer.object(Layout::row).key("id").value(p).key("kind").value(to_string(place.kind));
    write_identity(writer, topology.vertex(place.vertex));
    writer.key("capacity").value(place.capacity).key("vertex").value(place.vertex.index()).end();
  }
  writer.end();
}

void write_congestion(JsonWriter& writer, const CongestionParameters& stated) {
  if (stated.empty()) return;
  writer.key("congestion").object(Layout::row);
  if (stated.link_bandwidth) writer.key("link_bandwidth_bytes_per_s").value(stated.link_bandwidth->value());
  if (stated.tau) writer.key("tau").value(*stated.tau);
  writer.end();
}

void write_vertices(JsonWriter& writer, const Topology& topology) {
  writer.key("vertices").array();
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    const Vertex& vertex = topology.vertex(VertexId(v));
    writer.object(Layout::row).key("id").value(v).key("kind").value(to_string(vertex.kind));
    write_identity(writer, vertex);
    if (!vertex.uuid.empty()) writer.key("uuid").value(vertex.uuid);
    if (!vertex.cpus.empty()) writer.key("cpus").value(vertex.cpus);
    if (vertex.vendor != GpuVendor::unknown) writer.key("vendor").value(to_string(vertex.vendor));
    if (vertex.number >= 0) writer.key("number").value(vertex.number);
    if (vertex.parent) writer.key("parent").value(vertex.parent->index());
    write_congestion(writer, vertex.congestion);
    writer.end();
  }
  writer.end();
}

void write_links(JsonWriter& writer, const Topology& topology) {
  writer.key("links").array();
  for (std::size_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    writer.object(Layout::row).key("from").value(link.from.index()).key("to").value(link.to.index());
    writer.key("kind").value(to_string(link.kind));
    if (link.width != 1) writer.key("width").value(link.width);
    writer.key("bandwidth_bytes_per_s").value(link.bandwidth.value()).key("latency_s").value(link.latency.value());
    writer.key("source").value(to_string(link.source));
    if (const auto named = topology.adapters().find(LinkId(l)); named != topology.adapters().end()) {
      writer.key("adapters").array();
      for (const std::string& name : named->second) writer.value(name);
      writer.end();
    }
    writer.end();
  }
  writer.end();
}

void write_levels(JsonWriter& writer, const Topology& topology) {
  writer.key("levels").array();
  for (std::size_t level = 0; level < topology.levels().size(); ++level) {
    writer.object(Layout::row).key("class").value(to_string(topology.levels()[level]));
    writer.key("distance").value(topology.level_distances()[level]).end();
  }
  writer.end();
}

/// Writes {"NV2": [[0, 1], [2, 3]], ...}.
void write_stated_classes(JsonWriter& writer, const Topology& topology) {
  std::map<PathClass, std::vector<std::pair<Place, Place>>> pairs_of;
  for (const auto& [pair, path] : topology.stated_classes()) pairs_of[path].push_back(pair);
  if (pairs_of.empty()) return;
  writer.key("stated_classes").object();
  for (const auto& [path, pairs] : pairs_of) {
    writer.key(to_string(path)).array(Layout::row);
    for (const auto& [a, b] : pairs) writer.array().value(a.index()).value(b.index()).end();
    writer.end();
  }
  writer.end();
}

void write_without_peer_access(JsonWriter& writer, const Topology& topology) {
  if (topology.without_peer_access().empty()) return;
  writer.key("without_peer_access").array(Layout::row);
  for (const auto& [a, b] : topology.without_peer_access()) writer.array().value(a.index()).value(b.index()).end();
  writer.end();
}

void write_network(JsonWriter& writer, const NetworkShape* shape) {
  if (shape == nullptr) return;
  writer.key("network").object(Layout::row);
  if (const auto* grid = std::get_if<GridShape>(shape)) {
    writer.key("kind").value(grid->closed ? "torus" : "mesh").key("sizes").array();
    for (const std::uint32_t size : grid->sizes) writer.value(size);
    writer.end().end();
    return;
  }
  const auto& fly = std::get<DragonflyShape>(*shape);
  writer.key("kind").value("dragonfly").key("places").value(fly.places);
  writer.key("routers").value(fly.routers);
  writer.key("groups").value(fly.groups);
  writer.key("links").value(fly.links).end();
}

template <class Entry>
void write_square(JsonWriter& writer, std::size_t size, Entry entry) {
  writer.array();
  for (std::size_t a = 0; a < size; ++a) {
    writer.array(Layout::row);
    for (std::size_t b = 0; b < size; ++b) writer.value(entry(a, b));
    writer.end();
  }
  writer.end();
}

/// Writes three numbers an entry, because a large fabric has millions of entries.
void write_forwarding(JsonWriter& writer, const Topology& topology) {
  if (topology.forwarding().empty()) return;
  writer.key("forwarding").array();
  for (const Forwarding& entry : topology.forwarding())
    writer.array(Layout::row).value(entry.at.index()).value(entry.to.index()).value(entry.by.index()).end();
  writer.end();
}

void write_pair_matrices(JsonWriter& writer, const Topology& topology) {
  constexpr std::array kAll{Metric::distance, Metric::latency, Metric::bandwidth};
  if (std::ranges::none_of(kAll, [&](Metric metric) { return topology.has_pair_matrix(metric); })) return;
  const std::size_t n = topology.place_count();
  writer.key("pair_matrices").object();
  for (const Metric metric : kAll) {
    const PairMatrix* matrix = topology.pair_matrix(metric);
    if (matrix == nullptr) continue;
    writer.key(to_string(metric)).object().key("source").value(to_string(matrix->source));
    const PairStatistics& known = matrix->statistics;
    if (!known.date.empty()) writer.key("date").value(known.date);
    const auto write = [&](std::string_view key, const std::vector<double>& values) {
      if (values.empty()) return;
      writer.key(key);
      // The diagonal means nothing and may be infinite.
      write_square(writer, n, [&](std::size_t a, std::size_t b) { return a == b ? 0.0 : values[a * n + b]; });
    };
    write("values", matrix->values);
    write("affinity", matrix->affinity);
    write("mean", known.mean);
    write("spread", known.spread);
    write("count", known.count);
    writer.end();
  }
  writer.end();
}

/// Unknown bandwidths and latencies, and those of a place and itself, are 0.
void write_matrix(JsonWriter& writer, const Topology& topology, std::string_view name) {
  const std::array<std::string, 5> names{"level", "distance", "latency", "hops", "bandwidth"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw usage_error(unknown_name("matrix", name, names), "--matrix level, distance, latency, bandwidth or hops");
  if (topology.place_count() > Topology::kLargestDense) {
    throw bad_input(fmt::format("'{}' has {} places; a matrix is written for at most {}", topology.name(),
                                topology.place_count(), Topology::kLargestDense));
  }
  writer.key("matrix");
  write_square(writer, topology.place_count(), [&](std::size_t i, std::size_t j) -> double {
    const Place a(i);
    const Place b(j);
    switch (found - names.begin()) {
      case 0:
        return topology.level(a, b);
      case 1:
        return topology.distance(a, b);
      case 2:
        return topology.latency(a, b).value();
      case 3:
        return a == b ? 0.0 : topology.pair_cost(Metric::hops, a, b);
      default:
        return a == b ? 0.0 : topology.bandwidth(a, b).value();
    }
  });
}

}  // namespace

void write_topology(JsonWriter& writer, const Topology& topology, std::string_view matrix) {
  writer.object().key("schema").value("topowise.topology/1").key("name").value(topology.name());
  write_congestion(writer, topology.congestion());
  write_places(writer, topology);
  write_vertices(writer, topology);
  write_links(writer, topology);
  write_levels(writer, topology);
  write_forwarding(writer, topology);
  write_stated_classes(writer, topology);
  write_without_peer_access(writer, topology);
  write_pair_matrices(writer, topology);
  if (!topology.arities().empty()) {
    writer.key("arities").array(Layout::row);
    for (const int arity : topology.arities()) writer.value(arity);
    writer.end();
  }
  write_network(writer, topology.network());
  writer.key("warnings").array();
  for (const std::string& warning : topology.warnings()) writer.value(warning);
  writer.end();
  if (!topology.assumptions().empty()) {
    writer.key("assumptions").array();
    for (const std::string& assumption : topology.assumptions()) writer.value(assumption);
    writer.end();
  }
  if (topology.invents_hosts()) writer.key("invented_hosts").value(true);
  if (!matrix.empty()) write_matrix(writer, topology, matrix);
  writer.end();
}

std::string to_json(const Topology& topology, std::string_view matrix) {
  JsonWriter writer;
  write_topology(writer, topology, matrix);
  return std::move(writer).finish();
}

}  // namespace topowise
