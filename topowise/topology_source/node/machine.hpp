// SPDX-License-Identifier: BSD-3-Clause
// The parts from which presets build machines.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {

/// What differs from a plain PCIe card with a number.
struct GpuFacts {
  LinkKind kind = LinkKind::pcie;  ///< kind of its link to the host
  int width = 1;
  std::string name;         ///< "GPU3" if empty
  std::string_view bus_id;  ///< set where all machines of this kind have the same bus ids
  GpuVendor vendor{};       ///< neither NVIDIA nor AMD
};

/// A machine under construction. GPUs are numbered in the order of the calls of gpu(); each is a place.
class Machine {
 public:
  explicit Machine(std::string name) : builder_(std::move(name)) {}

  /// Puts what follows on this host, until the next call; for machines that are several hosts.
  void host(std::string name) { host_ = std::move(name); }
  VertexId package(int numa = -1, std::string cpus = {});
  /// Adds two packages and joins them; for machines whose NUMA domains are the sockets.
  std::array<VertexId, 2> two_packages(Rate between, const std::array<int, 2>& numa = {0, 1});
  VertexId numa_domain(VertexId package, int numa, std::string cpus = {});
  /// Adds a root complex below a package or a NUMA domain; without one it is the root of the machine.
  VertexId root_complex();
  VertexId root_complex(VertexId above, std::string cpus = {});
  VertexId pcie_switch(VertexId above, Rate rate);
  VertexId gpu(VertexId above, Rate rate, const GpuFacts& facts = {});
  VertexId nic(VertexId above, std::string name, Rate rate);

  /// Adds both directions of a bond of `width` links, each with `rate`.
  void connect(VertexId a, VertexId b, LinkKind kind, Rate rate, int width = 1);
  /// Adds bonds between GPUs from a symmetric matrix of link counts, one row per GPU.
  void bonds(LinkKind kind, Rate rate, std::span<const int> links_by_pair);
  /// Gives every GPU `width` links into the NVSwitches, which together forward any pair at full rate.
  void nvswitch_plane(int width, Rate rate);

  [[nodiscard]] VertexId gpu_vertex(std::size_t index) const { return gpus_[index]; }
  [[nodiscard]] std::size_t gpu_count() const { return gpus_.size(); }
  [[nodiscard]] TopologyBuilder& builder() { return builder_; }
  [[nodiscard]] Topology build() && { return std::move(builder_).build(); }

 private:
  VertexId below(VertexId above, Vertex vertex, LinkKind kind, Rate rate, int width = 1);

  TopologyBuilder builder_;
  std::string host_;
  std::vector<VertexId> packages_;
  std::vector<VertexId> gpus_;
  int root_complexes_ = 0;
  int switches_ = 0;
};

}  // namespace topowise
