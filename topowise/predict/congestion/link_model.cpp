// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/link_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

/// The bandwidth of a link of which a source states the kind but no rate: bytes/s of one direction of one link of a
/// bond. How fast another vendor's own link is depends on the vendor; it counts as a narrow NVLink.
BytesPerSecond usual_bandwidth(LinkKind kind) {
  switch (kind) {
    case LinkKind::pcie:
    case LinkKind::abstract:
      return kPaperBandwidth;
    case LinkKind::host:
      return gigabytes_per_second(100);  // memory of a socket, which is hardly ever the narrowest
    case LinkKind::inter_socket:
      return gigabytes_per_second(10);  // the value that NCCL takes for UPI
    case LinkKind::nvlink:
    case LinkKind::vendor_link:
      return gigabytes_per_second(25);
    case LinkKind::xgmi:
      return gigabytes_per_second(50);
    case LinkKind::c2c:
      return gigabytes_per_second(450);
    case LinkKind::network:
      return gigabytes_per_second(12.5);  // 100 Gb/s
  }
  return kPaperBandwidth;
}

bool is_host_side(VertexKind kind) {
  return kind == VertexKind::root_complex || kind == VertexKind::numa_domain || kind == VertexKind::package ||
         kind == VertexKind::compute_node;
}

struct UpAndDown {
  std::optional<LinkId> up, down;
};

/// The PCIe links between each vertex and its parent. A second link in the same direction belongs to no tree.
std::vector<UpAndDown> parent_links(const Topology& topology, bool abstract_too) {
  std::vector<UpAndDown> found(topology.vertices().size());
  for (std::size_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (link.kind != LinkKind::pcie && !(abstract_too && link.kind == LinkKind::abstract)) continue;
    const bool upward = topology.vertex(link.from).parent == link.to;
    const bool downward = topology.vertex(link.to).parent == link.from;
    if (upward && !found[link.from.index()].up) found[link.from.index()].up = LinkId(l);
    if (downward && !found[link.to.index()].down) found[link.to.index()].down = LinkId(l);
  }
  return found;
}

/// What `vertex` or the nearest vertex above it states, else what the whole machine states.
template <class T>
std::optional<T> stated(const Topology& topology, VertexId vertex, std::optional<T> CongestionParameters::*parameter) {
  for (std::optional<VertexId> v = vertex; v; v = topology.vertex(*v).parent) {
    if (topology.vertex(*v).congestion.*parameter) return topology.vertex(*v).congestion.*parameter;
  }
  return topology.congestion().*parameter;
}

/// The bandwidth that is stated for a link: by the user, else by the nearest vertex above a PCIe link, else by the
/// machine.
std::optional<BytesPerSecond> stated_bandwidth(const Topology& topology, const Link& link,
                                               const CongestionParameters& parameters) {
  if (parameters.link_bandwidth) return parameters.link_bandwidth;
  if (link.kind != LinkKind::pcie) return topology.congestion().link_bandwidth;
  const bool upward = topology.vertex(link.from).parent == link.to;
  return stated(topology, upward ? link.to : link.from, &CongestionParameters::link_bandwidth);
}

}  // namespace

ModelRate model_rate(const Topology& topology, const Link& link, const CongestionParameters& parameters) {
  const bool known = link.bandwidth.value() > 0;
  const std::optional<BytesPerSecond> by_statement = stated_bandwidth(topology, link, parameters);
  if (by_statement && (link.kind == LinkKind::pcie || !known)) return {*by_statement, RateOrigin::stated};
  if (known) return {link.bandwidth, link.source.is_assumed() ? RateOrigin::assumed : RateOrigin::stated};
  return {BytesPerSecond(usual_bandwidth(link.kind).value() * link.width), RateOrigin::usual};
}

std::vector<double> link_bandwidths(const Topology& topology, const CongestionParameters& parameters) {
  if (parameters.link_bandwidth) {
    const double given = parameters.link_bandwidth->value();
    if (!std::isfinite(given) || given <= 0) throw usage_error(fmt::format("a link bandwidth of '{}' B/s", given));
  }
  std::vector<double> bandwidths;
  for (const Link& link : topology.links())
    bandwidths.push_back(model_rate(topology, link, parameters).bandwidth.value());
  return bandwidths;
}

UsedLinks::UsedLinks(const Topology& topology)
    : topology_(topology),
      used_(topology.links().size(), false),
      has_measured_(topology.has_pair_matrix(Metric::bandwidth)) {}

bool UsedLinks::add(Place from, Place to) {
  if (topology_.place(from).vertex == topology_.place(to).vertex) return true;
  return (has_measured_ && topology_.bandwidth(from, to).value() > 0) || add_route(from, to);
}

bool UsedLinks::add_route(Place from, Place to) {
  const std::vector<LinkId> route = topology_.route(from, to);
  for (const LinkId link : route) used_[link.index()] = true;
  return !route.empty();
}

std::vector<LinkId> UsedLinks::all() const {
  std::vector<LinkId> links;
  for (std::size_t l = 0; l < used_.size(); ++l) {
    if (used_[l]) links.emplace_back(l);
  }
  return links;
}

PcieLinks pcie_links(const Topology& topology, std::span<const double> bandwidths,
                     const CongestionParameters& parameters, bool abstract_too) {
  if (parameters.tau && !(*parameters.tau >= 0 && *parameters.tau < 0.5))
    throw usage_error(fmt::format("tau is '{}', it must be in [0, 0.5)", *parameters.tau));
  const std::vector<UpAndDown> links = parent_links(topology, abstract_too);
  double unit = 0;
  for (const UpAndDown& pair : links) {
    if (pair.up && pair.down) unit = std::max({unit, bandwidths[pair.up->index()], bandwidths[pair.down->index()]});
  }
  std::vector<PcieVertex> vertices;
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    const Vertex& vertex = topology.vertices()[v];
    vertices.push_back({.name = vertex.name});
    const UpAndDown& pair = links[v];
    if (pair.up && pair.down) {
      vertices.back().parent = static_cast<std::uint32_t>(vertex.parent->index());
      vertices.back().up = bandwidths[pair.up->index()] / unit;
      vertices.back().down = bandwidths[pair.down->index()] / unit;
    } else if (is_host_side(vertex.kind)) {
      vertices.back().root_complex = true;
      const std::optional<double> by_statement = stated(topology, VertexId(v), &CongestionParameters::tau);
      vertices.back().tau = parameters.tau.value_or(by_statement.value_or(kPaperTau));
    }
  }
  PcieLinks found{.tree = PcieTree(std::move(vertices)), .unit = unit};
  found.leaves_root_complex.resize(topology.links().size());
  found.tree_link.assign(topology.links().size(), PcieLinks::kNone);
  found.topology_link.resize(found.tree.link_count());
  for (std::uint32_t id = 0; id < found.tree.link_count(); ++id) {
    const PcieTree::Link& link = found.tree.link(id);
    const LinkId in_topology = link.downward ? *links[link.child].down : *links[link.child].up;
    found.leaves_root_complex[in_topology.index()] = link.leaves_root_complex;
    found.topology_link[id] = in_topology;
    found.tree_link[in_topology.index()] = id;
  }
  return found;
}

}  // namespace topowise
