// SPDX-License-Identifier: BSD-3-Clause
// Clusters of publications, with their cores as places and their networks.
#include <fmt/format.h>

#include <array>
#include <string>

#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

constexpr int kSockets = 2;
constexpr int kCores = 4;  ///< of a socket, that the paper uses
constexpr Seconds kSwitchLatency = microseconds(0.5);
constexpr Seconds kSocketLatency = microseconds(0.2);
constexpr Seconds kCoreLatency = microseconds(0.1);

/// The peaks of one direction. The paper prints none.
struct Rates {
  BytesPerSecond network;
  BytesPerSecond between_sockets;
  BytesPerSecond core;  ///< of one core to its socket's memory
};

class Cluster {
 public:
  Cluster(const char* name, Rates rates) : builder_(name), rates_(rates) {}

  VertexId network_switch(const std::string& name) {
    return builder_.add_vertex({.kind = VertexKind::network_switch, .name = name});
  }
  void cable(VertexId from, VertexId to) { join(from, to, LinkKind::network, rates_.network, kSwitchLatency); }
  void node(VertexId above, const std::string& name) {
    const VertexId node = builder_.add_vertex({.kind = VertexKind::compute_node, .name = name, .node = name});
    cable(node, above);
    for (int s = 0; s < kSockets; ++s) {
      const VertexId socket = below(node, VertexKind::package, fmt::format("{}/socket{}", name, s), name);
      join(socket, node, LinkKind::inter_socket, rates_.between_sockets, kSocketLatency);
      for (int c = 0; c < kCores; ++c) {
        const VertexId core = below(socket, VertexKind::core, fmt::format("{}/core{}", name, s * kCores + c), name);
        join(core, socket, LinkKind::host, rates_.core, kCoreLatency);
        builder_.add_place(PlaceKind::core, core);
      }
    }
  }
  Topology build() && { return std::move(builder_).build(); }

 private:
  VertexId below(VertexId parent, VertexKind kind, const std::string& name, const std::string& node) {
    Vertex vertex{.kind = kind, .name = name, .node = node};
    vertex.parent = parent;
    return builder_.add_vertex(std::move(vertex));
  }
  void join(VertexId from, VertexId to, LinkKind kind, BytesPerSecond rate, Seconds latency) {
    builder_.add_links({.from = from,
                        .to = to,
                        .kind = kind,
                        .bandwidth = rate,
                        .latency = latency,
                        .source = {origin::kPreset, Basis::nominal}});
  }

  TopologyBuilder builder_;
  Rates rates_;
};

/// Rashti, Green, Balaji, Afsahi, Gropp, "Multi-core and Network Aware MPI Topology Functions" (EuroMPI 2011), the
/// first cluster of section 5 and figure 1: four nodes of two quad-core Opterons, 32 cores, three InfiniBand switches
/// in a tree; nodes with successive numbers are on different switches, as the authors arranged them for the
/// microbenchmarks. 4x DDR InfiniBand, HyperTransport 1.
Topology eurompi2011_a() {
  Cluster cluster("eurompi2011-a", {gigabytes_per_second(2), gigabytes_per_second(4), gigabytes_per_second(5)});
  const VertexId top = cluster.network_switch("S2");
  const std::array<VertexId, 2> leaves{cluster.network_switch("S1"), cluster.network_switch("S3")};
  for (const VertexId leaf : leaves) cluster.cable(leaf, top);
  for (int n = 0; n < 4; ++n)
    cluster.node(leaves[static_cast<std::size_t>(n) % leaves.size()], fmt::format("N{}", n + 1));
  return std::move(cluster).build();
}

/// The second cluster of the same section: 16 nodes of two hexa-core Xeons X5670, of which 8 cores a node are used; the
/// first eight on one switch and the others on another, each of these joined to two upper switches. 4x QDR InfiniBand,
/// QPI at 6.4 GT/s.
Topology eurompi2011_b() {
  Cluster cluster("eurompi2011-b", {gigabytes_per_second(4), gigabytes_per_second(12.8), gigabytes_per_second(5)});
  const std::array<VertexId, 2> upper{cluster.network_switch("U1"), cluster.network_switch("U2")};
  for (int side = 0; side < 2; ++side) {
    const VertexId leaf = cluster.network_switch(fmt::format("S{}", side + 1));
    for (const VertexId above : upper) cluster.cable(leaf, above);
    for (int n = 0; n < 8; ++n) cluster.node(leaf, fmt::format("N{}", 8 * side + n + 1));
  }
  return std::move(cluster).build();
}

constexpr std::array<Preset, 2> kPresets{
    {{"eurompi2011-a", "4 nodes x 8 cores, three InfiniBand switches in a tree (EuroMPI 2011)", eurompi2011_a},
     {"eurompi2011-b", "16 nodes x 8 cores, two InfiniBand switches below two (EuroMPI 2011)", eurompi2011_b}}};

}  // namespace

std::span<const Preset> paper_clusters() {
  return kPresets;
}

}  // namespace topowise::preset_group
