// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/device_topology.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/machine.hpp>

namespace topowise {
namespace {

// The host side of a machine, reconstructed from the classes of its pairs of devices.

// A tool that prints PIX, PXB, PHB, NODE or SYS for a pair says at which level of the host the two meet: one PCIe
// switch, several switches, one root complex, one NUMA domain, or only the link between the sockets. If the letters are
// consistent they are the levels of a tree (the matrix is ultrametric), and single-linkage clustering gives it back:
// two devices are in one group of a level if a chain of pairs of that class or a nearer one joins them.
//
// NVLink hides the PCIe class of a pair ("NV12"). So groups that no letter joins or separates are then joined if their
// GPUs have the same NUMA domain (or, where that is not printed, the same processors).

/// The level at which two devices meet, nearest first.
enum class HostLevel : unsigned char { pcie_switch, pcie_tree, root_complex, domain };

constexpr std::size_t kHostLevels = 4;

/// By level: for each device the number of its group, which is the index of the group's first device.
struct HostTree {
  std::array<std::vector<std::size_t>, kHostLevels> groups;

  [[nodiscard]] std::size_t group(HostLevel level, std::size_t device) const {
    return groups[static_cast<std::size_t>(level)][device];
  }
  /// The class that two devices have in this tree: PIX, PXB, PHB, NODE or SYS.
  [[nodiscard]] PathClass path(std::size_t a, std::size_t b) const;
};

/// The level at which a pair of this class meets; nothing for a class that says nothing about the host.
std::optional<std::size_t> level_of(PathKind kind) {
  switch (kind) {
    case PathKind::same_board:
    case PathKind::pix:
      return 0;
    case PathKind::pxb:
      return 1;
    case PathKind::phb:
      return 2;
    case PathKind::node:
      return 3;
    default:
      return std::nullopt;
  }
}

/// The representative of the set of each element.
std::vector<std::size_t> groups_of(DisjointSets& sets, std::size_t size) {
  std::vector<std::size_t> groups(size);
  for (std::size_t i = 0; i < size; ++i) groups[i] = sets.find(i);
  return groups;
}

/// The key by which two GPUs count as of one NUMA domain when no letter says it. It is equal for all if nothing is
/// printed.
std::string affinity_key(const Device& device) {
  return device.numa >= 0 ? fmt::format("NUMA {}", device.numa) : device.cpus;
}

/// Joins the groups of GPUs with one affinity, unless some pair of the two groups is stated to be SYS.
void join_by_affinity(const DeviceMatrix& matrix, DisjointSets& groups) {
  const std::size_t n = matrix.size();
  std::vector<std::vector<bool>> apart(n, std::vector<bool>(n));  // by representative
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const std::optional<PathClass>& path = matrix.pair(a, b).on_host();
      if (a != b && path && path->kind == PathKind::sys) apart[groups.find(a)][groups.find(b)] = true;
    }
  }
  std::map<std::string, std::vector<std::size_t>> gpus_by_key;
  for (std::size_t i = 0; i < n; ++i) {
    if (matrix.device(i).kind == VertexKind::gpu) gpus_by_key[affinity_key(matrix.device(i))].push_back(i);
  }
  for (const auto& [key, gpus] : gpus_by_key) {
    for (auto first = gpus.begin(); first != gpus.end(); ++first) {
      for (auto second = first + 1; second != gpus.end(); ++second) {
        const auto [keep, gone] = std::minmax({groups.find(*first), groups.find(*second)});
        if (keep == gone || apart[keep][gone]) continue;
        groups.join(keep, gone);
        for (std::size_t k = 0; k < n; ++k) {
          if (apart[gone][k]) apart[keep][k] = apart[k][keep] = true;
        }
      }
    }
  }
}

/// Names and counts the vertices above the devices. Each vertex is made when its first device needs it.
class HostBuilder {
 public:
  HostBuilder(TopologyBuilder& builder, const DeviceMatrix& matrix, const HostTree& tree, const Provenance& source)
      : builder_(builder), matrix_(matrix), tree_(tree), source_(source) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      ++devices_on_switch_[tree.group(HostLevel::pcie_switch, i)];
      switches_in_tree_[tree.group(HostLevel::pcie_tree, i)].insert(tree.group(HostLevel::pcie_switch, i));
      const std::size_t domain = tree.group(HostLevel::domain, i);
      if (matrix.device(i).numa >= 0) numa_of_domain_[domain].insert(matrix.device(i).numa);
    }
    for (const auto& [domain, numas] : numa_of_domain_) ++domains_with_[*numas.begin()];
  }

  VertexId device(std::size_t i) {
    const Device& device = matrix_.device(i);
    const int numa = device.kind == VertexKind::nic ? builder_.vertex(domain(i)).numa : device.numa;
    return below(above_device(i),
                 {.kind = device.kind,
                  .name = device.name,
                  .pci = device.pci,
                  .numa = numa,
                  .uuid = device.uuid,
                  .cpus = device.cpus,
                  .vendor = device.vendor,
                  .number = device.number},
                 LinkKind::pcie, pcie_rate(i));
  }

  /// Joins two domains directly, and more domains by a hub, because nothing says which of them share a socket.
  void join_domains() {
    if (domains_.size() < 2) return;
    Rate between = rate::kUpiSkylake;
    between.basis = Basis::assumed;
    const auto add = [&](VertexId from, VertexId to) { link(from, to, LinkKind::inter_socket, between); };
    if (domains_.size() == 2) {
      add(domains_.begin()->second, std::next(domains_.begin())->second);
      return;
    }
    const VertexId hub = builder_.add_vertex({.kind = VertexKind::group, .name = "inter-socket links"});
    for (const auto& [group, vertex] : domains_) {
      builder_.set_parent(vertex, hub);
      add(vertex, hub);
    }
  }

 private:
  VertexId below(VertexId above, Vertex vertex, LinkKind kind, const Rate& rate) {
    vertex.parent = above;
    const VertexId id = builder_.add_vertex(std::move(vertex));
    link(id, above, kind, rate);
    return id;
  }

  /// The rate of a device's slot. A switch is assumed to be as fast upwards as its first device.
  [[nodiscard]] Rate pcie_rate(std::size_t i) const {
    const auto rate = [](BytesPerSecond bandwidth, Basis basis) {
      return Rate{bandwidth.value() / 1e9, rate::kPcie3x16.microseconds, basis};
    };
    const Device& device = matrix_.device(i);
    if (device.pcie.value() > 0) return rate(device.pcie, Basis::nominal);
    // The model of the GPUs says nothing about an adapter's slot.
    return rate(matrix_.slot().per_link, device.kind == VertexKind::gpu ? matrix_.slot().basis : Basis::assumed);
  }

  void link(VertexId from, VertexId to, LinkKind kind, const Rate& rate) {
    builder_.add_links({.from = from,
                        .to = to,
                        .kind = kind,
                        .bandwidth = gigabytes_per_second(rate.gigabytes_per_second),
                        .latency = microseconds(rate.microseconds),
                        .source = source_.with(rate.basis)});
  }

  VertexId domain(std::size_t i) {
    const std::size_t group = tree_.group(HostLevel::domain, i);
    const auto known = domains_.find(group);
    if (known != domains_.end()) return known->second;
    Vertex vertex{.kind = VertexKind::numa_domain, .name = fmt::format("host {}", domains_.size())};
    const auto numas = numa_of_domain_.find(group);
    if (numas != numa_of_domain_.end() && numas->second.size() == 1) {
      vertex.numa = *numas->second.begin();
      vertex.name = fmt::format("NUMA {}", vertex.numa);
      vertex.cpus = matrix_.device(i).cpus;
      if (domains_with_[vertex.numa] > 1) {  // SYS inside one NUMA domain: the letters say more than the system
        vertex.kind = VertexKind::group;
        vertex.name += fmt::format(", part {}", ++parts_named_[vertex.numa]);
      }
    }
    return domains_.emplace(group, builder_.add_vertex(std::move(vertex))).first->second;
  }

  VertexId root_complex(std::size_t i) {
    const std::size_t group = tree_.group(HostLevel::root_complex, i);
    const auto known = root_complexes_.find(group);
    if (known != root_complexes_.end()) return known->second;
    Vertex vertex{.kind = VertexKind::root_complex, .name = fmt::format("root complex {}", root_complexes_.size())};
    return root_complexes_.emplace(group, below(domain(i), std::move(vertex), LinkKind::host, rate::kInside))
        .first->second;
  }

  VertexId pcie_switch(std::map<std::size_t, VertexId>& made, std::size_t group, VertexId above, const Rate& rate) {
    const auto known = made.find(group);
    if (known != made.end()) return known->second;
    Vertex vertex{.kind = VertexKind::pcie_switch,
                  .name = fmt::format("PCIe switch {}", upper_switches_.size() + lower_switches_.size())};
    return made.emplace(group, below(above, std::move(vertex), LinkKind::pcie, rate)).first->second;
  }

  /// PXB needs two switches between two devices. So where several switches meet, each device gets a switch of its own
  /// below the common one.
  VertexId above_device(std::size_t i) {
    VertexId above = root_complex(i);
    const std::size_t tree = tree_.group(HostLevel::pcie_tree, i);
    const std::size_t lower = tree_.group(HostLevel::pcie_switch, i);
    const bool several = switches_in_tree_[tree].size() > 1;
    if (several) above = pcie_switch(upper_switches_, tree, above, pcie_rate(i));
    if (several || devices_on_switch_[lower] > 1) above = pcie_switch(lower_switches_, lower, above, pcie_rate(i));
    return above;
  }

  TopologyBuilder& builder_;
  const DeviceMatrix& matrix_;
  const HostTree& tree_;
  const Provenance& source_;
  std::map<std::size_t, std::size_t> devices_on_switch_;
  std::map<std::size_t, std::set<std::size_t>> switches_in_tree_;
  std::map<std::size_t, std::set<int>> numa_of_domain_;
  std::map<int, int> domains_with_;  ///< by NUMA id: number of domains that it names
  std::map<int, int> parts_named_;
  std::map<std::size_t, VertexId> domains_, root_complexes_, upper_switches_, lower_switches_;
};

PathClass HostTree::path(std::size_t a, std::size_t b) const {
  constexpr std::array kKinds{PathKind::pix, PathKind::pxb, PathKind::phb, PathKind::node};
  for (std::size_t level = 0; level < kHostLevels; ++level) {
    if (groups[level][a] == groups[level][b]) return {kKinds[level], 0};
  }
  return {PathKind::sys, 0};
}

/// Groups devices by their classes, and by their NUMA domain where NVLink hides the class.
HostTree cluster_host(const DeviceMatrix& matrix) {
  HostTree tree;
  DisjointSets groups(matrix.size());
  for (std::size_t level = 0; level < kHostLevels; ++level) {
    for (std::size_t a = 0; a < matrix.size(); ++a) {
      for (std::size_t b = a + 1; b < matrix.size(); ++b) {
        const std::optional<PathClass>& path = matrix.pair(a, b).on_host();
        if (path && level_of(path->kind) == level) groups.join(a, b);
      }
    }
    if (level == static_cast<std::size_t>(HostLevel::domain)) join_by_affinity(matrix, groups);
    tree.groups[level] = groups_of(groups, matrix.size());
  }
  return tree;
}

/// Adds the vertices of the devices, everything above them and the links between. The provenance of a link is `source`
/// with the basis of its rate. Returns the vertex of each device.
std::vector<VertexId> add_host(TopologyBuilder& builder, const DeviceMatrix& matrix, const HostTree& tree,
                               const Provenance& source) {
  HostBuilder host(builder, matrix, tree, source);
  std::vector<VertexId> vertices;
  for (std::size_t i = 0; i < matrix.size(); ++i) vertices.push_back(host.device(i));
  host.join_domains();
  return vertices;
}

/// From this number of GPUs on, one width between all of them means NVSwitches: no GPU has that many links.
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
