// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/device_topology.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/topology_source/node/host_tree.hpp>
#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {
namespace {

/// If so many GPUs or more all have one width between them, there are NVSwitches, because no GPU has so many links.
constexpr std::size_t kSmallestPlane = 8;

bool is_host_class(PathKind kind) {
  return kind >= PathKind::same_board && kind <= PathKind::sys;
}

class DeviceLinks {
 public:
  DeviceLinks(TopologyBuilder& builder, const DeviceMatrix& matrix, const std::vector<VertexId>& vertices,
              const Provenance& source)
      : builder_(builder), matrix_(matrix), vertices_(vertices), source_(source) {}

  /// The GPUs around `gpu` that NVLinks of one width join each to each; empty if there is no such island.
  [[nodiscard]] std::vector<std::size_t> plane_around(std::size_t gpu) const {
    std::vector<std::size_t> members{gpu};
    std::optional<PathClass> bond;
    for (std::size_t i = 0; i < matrix_.size(); ++i) {
      const std::optional<PathClass>& path = matrix_.pair(gpu, i).path;
      if (i == gpu || !path || path->kind != PathKind::nvlink) continue;
      if (bond && *bond != *path) return {};
      bond = path;
      members.push_back(i);
    }
    if (members.size() < kSmallestPlane) return {};
    for (const std::size_t a : members) {
      for (const std::size_t b : members) {
        if (a != b && matrix_.pair(a, b).path != bond) return {};
      }
    }
    return members;
  }

  void add_plane(const std::vector<std::size_t>& members) {
    const std::string name = planes_ == 0 ? "NVSwitch plane" : fmt::format("NVSwitch plane {}", planes_);
    ++planes_;
    const VertexId plane = builder_.add_vertex({.kind = VertexKind::nvswitch, .name = name});
    const DevicePair& pair = matrix_.pair(members[0], members[1]);
    for (const std::size_t gpu : members)
      add(vertices_[gpu], plane, LinkKind::nvlink, pair.path->grade, nvlink_rate(rate::kNvlinkToSwitch2),
          pair.bandwidth);
  }

  void add_direct(std::size_t a, std::size_t b) {
    const DevicePair& pair = matrix_.pair(a, b);
    const PathClass path = *pair.path;
    if (path.kind == PathKind::nvlink)
      add(vertices_[a], vertices_[b], LinkKind::nvlink, path.grade, nvlink_rate(rate::kNvlink2), pair.bandwidth);
    if (path.kind == PathKind::xgmi)
      add(vertices_[a], vertices_[b], LinkKind::xgmi, path.grade, assumed(rate::kXgmi50), pair.bandwidth);
    if (path.kind == PathKind::vendor_link || (path.kind == PathKind::c2c && pair.unknown_rate))
      builder_.add_links({.from = vertices_[a],
                          .to = vertices_[b],
                          .kind = path.kind == PathKind::c2c ? LinkKind::c2c : LinkKind::vendor_link,
                          .width = std::max(1, path.grade),
                          .source = source_});
    else if (path.kind == PathKind::c2c)
      add(vertices_[a], vertices_[b], LinkKind::c2c, 1, rate::kNvlinkC2c, pair.bandwidth);
  }

 private:
  /// The rate that the matrix has for NVLinks, with the latency of that kind of link.
  [[nodiscard]] Rate nvlink_rate(const Rate& kind) const {
    return {matrix_.nvlink().per_link.value() / 1e9, kind.microseconds, matrix_.nvlink().basis};
  }

  /// Marks a rate as assumed, because no tool prints the model beside the matrix.
  static Rate assumed(Rate rate) {
    rate.basis = Basis::assumed;
    return rate;
  }

  void add(VertexId a, VertexId b, LinkKind kind, int width, const Rate& rate, BytesPerSecond stated) {
    const bool nominal = !(stated.value() > 0);
    builder_.add_links({.from = a,
                        .to = b,
                        .kind = kind,
                        .width = width,
                        .bandwidth = nominal ? gigabytes_per_second(rate.gigabytes_per_second * width) : stated,
                        .latency = microseconds(rate.microseconds),
                        .source = source_.with(nominal ? rate.basis : Basis::printed)});
  }

  TopologyBuilder& builder_;
  const DeviceMatrix& matrix_;
  const std::vector<VertexId>& vertices_;
  const Provenance& source_;
  int planes_ = 0;
};

void add_bonds(TopologyBuilder& builder, const DeviceMatrix& matrix, const std::vector<VertexId>& vertices,
               const Provenance& source) {
  DeviceLinks bonds(builder, matrix, vertices, source);
  std::vector<bool> on_plane(matrix.size());
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    if (on_plane[a]) continue;
    const std::vector<std::size_t> plane = bonds.plane_around(a);
    if (!plane.empty()) {
      bonds.add_plane(plane);
      for (const std::size_t member : plane) on_plane[member] = true;
      continue;
    }
    for (std::size_t b = a + 1; b < matrix.size(); ++b) {
      if (matrix.pair(a, b).path) bonds.add_direct(a, b);
    }
  }
}

/// Warns if the classes say what no tree can: A and B are on one switch, B and C are too, but A and C are not.
void compare_with_tree(const DeviceMatrix& matrix, const HostTree& tree, const Provenance& source, Warnings& warnings) {
  std::size_t differing = 0;
  std::string example;
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.size(); ++b) {
      std::optional<PathClass> stated = matrix.pair(a, b).path;
      if (!stated || !is_host_class(stated->kind)) continue;
      if (stated->kind == PathKind::same_board) stated->kind = PathKind::pix;
      if (*stated == tree.path(a, b)) continue;
      if (differing++ == 0)
        example = fmt::format("{} and {} are {}, but {} through the others", matrix.device(a).name,
                              matrix.device(b).name, to_string(*stated), to_string(tree.path(a, b)));
    }
  }
  if (differing == 0) return;
  warnings.add(
      fmt::format("{}: the classes of {} pairs do not fit into one PCIe tree ({}); classes are kept as printed, routes "
                  "follow the tree",
                  source.origin(), differing, example));
}

}  // namespace

Topology build_topology(const std::string& name, const DeviceMatrix& matrix, const Provenance& source,
                        Warnings& warnings) {
  TopologyBuilder builder(name);
  const HostTree tree = cluster_host(matrix);
  compare_with_tree(matrix, tree, source, warnings);
  const std::vector<VertexId> vertices = add_host(builder, matrix, tree, source);
  add_bonds(builder, matrix, vertices, source);
  std::vector<std::size_t> gpus;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (matrix.device(i).kind != VertexKind::gpu) continue;
    const Place place = builder.add_place(PlaceKind::gpu, vertices[i], matrix.device(i).capacity);
    for (std::size_t other = 0; other < gpus.size(); ++other) {
      const std::optional<PathClass>& path = matrix.pair(gpus[other], i).path;
      if (path) builder.set_class(Place(other), place, *path);
      if (!matrix.pair(gpus[other], i).refuses_peers) continue;
      builder.refuse_peer_access(Place(other), place);
      const bool is_placed = matrix.device(gpus[other]).numa >= 0 && matrix.device(i).numa >= 0;
      if (!is_placed && path && is_bond(*path) && !matrix.pair(gpus[other], i).host)
        builder.assume("one NUMA domain for GPUs without peer access whose place no source states");
    }
    gpus.push_back(i);
  }
  warnings.pass_to(builder);
  return std::move(builder).build();
}

}  // namespace topowise
