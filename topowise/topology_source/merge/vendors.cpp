// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/vendors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>

namespace topowise {
namespace {

/// Adds one of the two machines, with numbers after those that are there. Returns the vertices at its top.
std::vector<VertexId> add_part(TopologyBuilder& builder, const Topology& part, std::size_t vertices_before) {
  const GpuVendor vendor = vendor_of_machine(part);
  const auto moved = [&](VertexId id) { return VertexId(id.index() + vertices_before); };
  std::vector<VertexId> tops;
  for (std::size_t v = 0; v < part.vertices().size(); ++v) {
    Vertex vertex = part.vertex(VertexId(v));
    if (vertex.parent) vertex.parent = moved(*vertex.parent);
    const bool is_gpu = vertex.kind == VertexKind::gpu;
    if (is_gpu && vendor != GpuVendor::unknown && vendor_in_name(vertex.name) == GpuVendor::unknown)
      vertex.name = fmt::format("{} {}", to_string(vendor), vertex.name);
    const bool is_top = !vertex.parent && vertex.kind != VertexKind::nvswitch;
    const VertexId id = builder.add_vertex(std::move(vertex));
    if (is_top) tops.push_back(id);
  }
  for (Link link : part.links()) {
    link.from = moved(link.from);
    link.to = moved(link.to);
    builder.add_link(std::move(link));
  }
  const std::size_t first = builder.place_count();
  for (const PlaceEntry& place : part.places()) builder.add_place(place.kind, moved(place.vertex), place.capacity);
  for (std::size_t a = 0; a < part.place_count(); ++a) {
    for (std::size_t b = a + 1; b < part.place_count(); ++b)
      builder.set_class(Place(first + a), Place(first + b), part.path_class(Place(a), Place(b)));
  }
  for (const auto& [a, b] : part.without_peer_access())
    builder.refuse_peer_access(Place(first + a.index()), Place(first + b.index()));
  builder.add_notes_of(part);
  return tops;
}

/// NVLink and C2C are NVIDIA's, xGMI is AMD's.
GpuVendor vendor_of_bond(LinkKind kind) {
  if (kind == LinkKind::nvlink || kind == LinkKind::c2c) return GpuVendor::nvidia;
  return kind == LinkKind::xgmi ? GpuVendor::amd : GpuVendor::unknown;
}

}  // namespace

GpuVendor vendor_of_machine(const Topology& machine) {
  std::set<GpuVendor> stated;
  for (const Link& link : machine.links()) {
    stated.insert(link.source.vendor());
    stated.insert(vendor_of_bond(link.kind));
  }
  for (const PlaceEntry& place : machine.places()) stated.insert(vendor_in_name(machine.vertex(place.vertex).name));
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth})
    stated.insert(machine.pair_matrix_source(metric).vendor());
  stated.erase(GpuVendor::unknown);
  return stated.size() == 1 ? *stated.begin() : GpuVendor::unknown;
}

std::vector<Place> places_of_vendor(const Topology& machine, GpuVendor vendor) {
  std::vector<Place> all;
  std::vector<Place> own;
  bool stated = false;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    const GpuVendor named = vendor_in_name(machine.vertex_of(Place(p)).name);
    stated = stated || named != GpuVendor::unknown;
    all.emplace_back(p);
    if (named == vendor) own.emplace_back(p);
  }
  return stated ? own : all;
}

Topology side_by_side(const Topology& a, const Topology& b) {
  TopologyBuilder builder(fmt::format("{}+{}", a.name(), b.name()));
  const std::vector<VertexId> first = add_part(builder, a, 0);
  const std::vector<VertexId> second = add_part(builder, b, a.vertices().size());
  for (const VertexId top : first) {
    for (const VertexId other : second)
      builder.add_links(
          {.from = top, .to = other, .kind = LinkKind::inter_socket, .source = {Origin{"joined"}, Basis::assumed}});
  }
  for (std::size_t p = 0; p < a.place_count(); ++p) {
    for (std::size_t q = 0; q < b.place_count(); ++q)
      builder.set_class(Place(p), Place(a.place_count() + q), {PathKind::sys});
  }
  GpuNames naming;
  for (const Topology* part : {&a, &b}) naming.add(to_string(vendor_of_machine(*part)));
  if (const std::optional<std::string> warning = naming.warning()) builder.warn(*warning);
  builder.assume(fmt::format("SYS between the GPUs of '{}' and those of '{}'", a.name(), b.name()));
  builder.warn(
      fmt::format("no source says how the GPUs of '{}' and those of '{}' meet; SYS is assumed", a.name(), b.name()));
  return std::move(builder).build();
}

}  // namespace topowise
