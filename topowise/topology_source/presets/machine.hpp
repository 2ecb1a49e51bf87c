// SPDX-License-Identifier: BSD-3-Clause
// The parts of which presets write machines down, and the rates of their links.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// One direction of one link, and where the number comes from.
struct Rate {
  double gigabytes_per_second = 0.0;
  double microseconds = 0.0;
  std::string_view basis;  ///< "nominal": the standard's peak; "nccl": NCCL's usable rate; "measured": published
};

/// Bandwidths: peak of one direction. Latencies: the usual figure for crossing the link and what it enters (a PCIe
/// switch forwards in 0.1 to 0.15 us); they order the classes, and only a measurement gives a machine's own.
namespace rate {
inline constexpr Rate kPcie3x16{15.754, 0.15, "nominal"};
inline constexpr Rate kPcie4x16{31.508, 0.15, "nominal"};
inline constexpr Rate kPcie5x16{63.015, 0.15, "nominal"};
inline constexpr Rate kNvlink1{20.0, 0.70, "nominal"};
inline constexpr Rate kNvlink2{25.0, 0.70, "nominal"};  // also NVLink 3 and 4: more links, the same rate a link
inline constexpr Rate kNvlink5{50.0, 0.70, "nominal"};
inline constexpr Rate kNvlinkToSwitch2{25.0, 0.40, "nominal"};
inline constexpr Rate kNvlinkToSwitch5{50.0, 0.40, "nominal"};
inline constexpr Rate kXgmi50{50.0, 0.70, "nominal"};      // MI250, MI250X: 25 GT/s x 16
inline constexpr Rate kXgmi64{64.0, 0.70, "nominal"};      // MI300: 32 GT/s x 16
inline constexpr Rate kXgmiMi50{46.0, 0.70, "nominal"};    // MI50, MI100: 23 GT/s x 16
inline constexpr Rate kNvlinkC2c{450.0, 0.30, "nominal"};  // Grace
inline constexpr Rate kInside{100.0, 0.10, "nominal"};     // inside one package: never the narrowest
// What crosses the sockets in practice is far below the peak of the wires; NCCL's constants (src/graph/topo.h).
inline constexpr Rate kQpi{6.0, 0.50, "nccl"};
inline constexpr Rate kUpiSkylake{10.0, 0.50, "nccl"};
inline constexpr Rate kUpiSapphireRapids{22.0, 0.50, "nccl"};
inline constexpr Rate kAmdSocket{16.0, 0.50, "nccl"};
inline constexpr Rate kPower9Socket{32.0, 0.50, "nccl"};
}  // namespace rate

/// A machine under construction. GPUs are numbered in the order of gpu(); each is a place.
class Machine {
 public:
  explicit Machine(std::string name) : builder_(std::move(name)) {}

  VertexId package();
  VertexId numa_domain(VertexId package, int numa, std::string cpus = {});
  /// Below a package or a NUMA domain; without one it is the root of the machine.
  VertexId root_complex();
  VertexId root_complex(VertexId above);
  VertexId pcie_switch(VertexId above, Rate rate);
  VertexId gpu(VertexId above, Rate rate, LinkKind kind = LinkKind::pcie);
  VertexId nic(VertexId above, std::string name, Rate rate);

  /// Both directions of a bond of `width` links, each with `rate`.
  void connect(VertexId a, VertexId b, LinkKind kind, Rate rate, int width = 1);
  /// Bonds between GPUs as a symmetric matrix of link counts, one row a GPU.
  void bonds(LinkKind kind, Rate rate, std::span<const int> links_by_pair);
  /// Every GPU has `width` links into the NVSwitches, which together forward any pair at full rate.
  void nvswitch_plane(int width, Rate rate);

  [[nodiscard]] VertexId gpu_vertex(std::size_t index) const { return gpus_[index]; }
  [[nodiscard]] TopologyBuilder& builder() { return builder_; }
  [[nodiscard]] Topology build() && { return std::move(builder_).build(); }

 private:
  VertexId below(VertexId above, Vertex vertex, LinkKind kind, Rate rate);
  [[nodiscard]] int numa_of(VertexId vertex) const { return builder_.vertex(vertex).numa; }

  TopologyBuilder builder_;
  std::vector<VertexId> packages_;
  std::vector<VertexId> gpus_;
  int root_complexes_ = 0;
  int switches_ = 0;
};

}  // namespace topowise
