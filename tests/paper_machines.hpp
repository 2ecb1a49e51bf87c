// SPDX-License-Identifier: BSD-3-Clause
// Small machines for the tests of the folders below the topology sources.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/exchange.hpp>

namespace topowise::testing {

class MachineUnderTest {
 public:
  explicit MachineUnderTest(std::string name) : builder_(std::move(name)) {}

  VertexId root(VertexKind kind, std::string name) {
    return builder_.add_vertex({.kind = kind, .name = std::move(name)});
  }
  VertexId below(VertexId parent, VertexKind kind, std::string name, LinkKind link = LinkKind::pcie,
                 BytesPerSecond bandwidth = BytesPerSecond(11.6 * 1073741824.0), Seconds latency = {}) {
    const VertexId id = builder_.add_vertex({.kind = kind, .name = std::move(name), .parent = parent});
    builder_.add_links({.from = id, .to = parent, .kind = link, .bandwidth = bandwidth, .latency = latency});
    return id;
  }
  /// A K80: two GPUs, two places.
  void board(VertexId parent, Seconds latency = {}) {
    const VertexId k = below(parent, VertexKind::pcie_switch, "K" + std::to_string(boards_++));
    for (int i = 0; i < 2; ++i) {
      gpus_.push_back(below(k, VertexKind::gpu, "GPU" + std::to_string(gpus_.size()), LinkKind::pcie,
                            BytesPerSecond(11.6 * 1073741824.0), latency));
      builder_.add_place(PlaceKind::gpu, gpus_.back());
    }
  }
  TopologyBuilder& builder() { return builder_; }
  [[nodiscard]] VertexId gpu(std::size_t i) const { return gpus_[i]; }
  Topology build() && { return std::move(builder_).build(); }

 private:
  TopologyBuilder builder_;
  std::vector<VertexId> gpus_;
  int boards_ = 0;
};

inline Topology t1_machine() {
  MachineUnderTest machine("T1");
  const VertexId s = machine.below(machine.root(VertexKind::root_complex, "RC"), VertexKind::pcie_switch, "S");
  for (int i = 0; i < 4; ++i) machine.board(s);
  return std::move(machine).build();
}

inline Topology t2_machine(Seconds gpu_latency = {}) {
  MachineUnderTest machine("T2");
  const VertexId rc = machine.root(VertexKind::root_complex, "RC");
  for (const char* name : {"A", "B"}) {
    const VertexId s = machine.below(rc, VertexKind::pcie_switch, name);
    machine.board(s, gpu_latency);
    machine.board(s, gpu_latency);
  }
  return std::move(machine).build();
}

/// Two sockets with a root complex and one board each, a bond of two NVLinks between GPU 0 and GPU 3.
inline Topology two_socket_machine(BytesPerSecond between_sockets) {
  MachineUnderTest machine("two sockets");
  std::vector<VertexId> sockets;
  for (int i = 0; i < 2; ++i) {
    sockets.push_back(machine.root(VertexKind::package, "socket " + std::to_string(i)));
    const VertexId rc = machine.below(sockets.back(), VertexKind::root_complex, "RC" + std::to_string(i),
                                      LinkKind::host, BytesPerSecond(100e9));
    machine.board(rc);
  }
  machine.builder().add_links(
      {.from = sockets[0], .to = sockets[1], .kind = LinkKind::inter_socket, .bandwidth = between_sockets});
  machine.builder().add_links({.from = machine.gpu(0),
                               .to = machine.gpu(3),
                               .kind = LinkKind::nvlink,
                               .width = 2,
                               .bandwidth = BytesPerSecond(40e9)});
  return std::move(machine).build();
}

inline Mapping identity_mapping(std::size_t ranks) {
  std::vector<Place> places;
  for (std::size_t r = 0; r < ranks; ++r) places.emplace_back(r);
  return Mapping(std::move(places));
}

inline Communication message(std::size_t source, std::size_t destination, double bytes, double start = 0) {
  return {Rank(source), Rank(destination), Bytes(bytes), Seconds(start)};
}

}  // namespace topowise::testing
