// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/paper_cluster.hpp>

#include <fmt/format.h>

#include <array>
#include <string>

namespace topowise::benchmark {
namespace {

constexpr int kNodes = 4, kSockets = 2, kCores = 4;
constexpr BytesPerSecond kInfiniBand = gigabytes_per_second(2);
constexpr BytesPerSecond kHyperTransport = gigabytes_per_second(4);
constexpr BytesPerSecond kMemory = gigabytes_per_second(5);
constexpr Seconds kSwitchLatency = microseconds(0.5);
constexpr Seconds kSocketLatency = microseconds(0.2);
constexpr Seconds kCoreLatency = microseconds(0.1);

class Cluster {
 public:
  Cluster() : builder_("eurompi2011") {}

  VertexId below(VertexId parent, Vertex vertex, LinkKind kind, BytesPerSecond rate, Seconds latency) {
    vertex.parent = parent;
    const VertexId id = builder_.add_vertex(std::move(vertex));
    builder_.add_links(
        {.from = id, .to = parent, .kind = kind, .bandwidth = rate, .latency = latency, .source = "nominal"});
    return id;
  }
  VertexId network_switch(const std::string& name) {
    return builder_.add_vertex({.kind = VertexKind::network_switch, .name = name});
  }
  VertexId network_switch(VertexId above, const std::string& name) {
    return below(above, {.kind = VertexKind::network_switch, .name = name}, LinkKind::network, kInfiniBand,
                 kSwitchLatency);
  }
  void node(VertexId above, const std::string& name) {
    const VertexId node = below(above, {.kind = VertexKind::compute_node, .name = name, .node = name},
                                LinkKind::network, kInfiniBand, kSwitchLatency);
    for (int s = 0; s < kSockets; ++s) {
      const std::string socket_name = name + "/socket" + std::to_string(s);
      const VertexId socket = below(node, {.kind = VertexKind::package, .name = socket_name, .node = name},
                                    LinkKind::inter_socket, kHyperTransport, kSocketLatency);
      for (int c = 0; c < kCores; ++c) {
        const std::string core_name = name + "/core" + std::to_string(s * kCores + c);
        const VertexId core = below(socket, {.kind = VertexKind::core, .name = core_name, .node = name}, LinkKind::host,
                                    kMemory, kCoreLatency);
        builder_.add_place(PlaceKind::core, core);
      }
    }
  }
  Topology build() && { return std::move(builder_).build(); }

 private:
  TopologyBuilder builder_;
};

}  // namespace

Topology eurompi2011_cluster() {
  Cluster cluster;
  const VertexId top = cluster.network_switch("S2");
  const std::array<VertexId, 2> leaves{cluster.network_switch(top, "S1"), cluster.network_switch(top, "S3")};
  for (int n = 0; n < kNodes; ++n)
    cluster.node(leaves[static_cast<std::size_t>(n) % leaves.size()], fmt::format("N{}", n + 1));
  return std::move(cluster).build();
}

}  // namespace topowise::benchmark
