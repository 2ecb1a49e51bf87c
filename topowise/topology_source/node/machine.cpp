// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/machine.hpp>

#include <fmt/format.h>

namespace topowise {
namespace {

Link link_of(VertexId a, VertexId b, LinkKind kind, Rate rate, int width) {
  return {.from = a,
          .to = b,
          .kind = kind,
          .width = width,
          .bandwidth = gigabytes_per_second(rate.gigabytes_per_second * width),
          .latency = microseconds(rate.microseconds),
          .source = {origin::kPreset, rate.basis}};
}

}  // namespace

VertexId Machine::package(int numa, std::string cpus) {
  packages_.push_back(builder_.add_vertex({.kind = VertexKind::package,
                                           .name = fmt::format("socket {}", packages_.size()),
                                           .numa = numa,
                                           .node = host_,
                                           .cpus = std::move(cpus)}));
  return packages_.back();
}

std::array<VertexId, 2> Machine::two_packages(Rate between, const std::array<int, 2>& numa) {
  const VertexId first = package(numa[0]);
  const VertexId second = package(numa[1]);
  connect(first, second, LinkKind::inter_socket, between);
  return {first, second};
}

VertexId Machine::below(VertexId above, Vertex vertex, LinkKind kind, Rate rate, int width) {
  vertex.parent = above;
  vertex.node = host_;
  const Vertex& parent = builder_.vertex(above);
  if (vertex.numa < 0) vertex.numa = parent.numa;
  if (vertex.cpus.empty()) vertex.cpus = parent.cpus;
  const VertexId id = builder_.add_vertex(std::move(vertex));
  builder_.add_links(link_of(id, above, kind, rate, width));
  return id;
}

VertexId Machine::numa_domain(VertexId package, int numa, std::string cpus) {
  return below(
      package,
      {.kind = VertexKind::numa_domain, .name = fmt::format("NUMA {}", numa), .numa = numa, .cpus = std::move(cpus)},
      LinkKind::host, rate::kInside);
}

VertexId Machine::root_complex() {
  return builder_.add_vertex(
      {.kind = VertexKind::root_complex, .name = fmt::format("root complex {}", root_complexes_++)});
}

VertexId Machine::root_complex(VertexId above, std::string cpus) {
  return below(above,
               {.kind = VertexKind::root_complex,
                .name = fmt::format("root complex {}", root_complexes_++),
                .cpus = std::move(cpus)},
               LinkKind::host, rate::kInside);
}

VertexId Machine::pcie_switch(VertexId above, Rate rate) {
  return below(above, {.kind = VertexKind::pcie_switch, .name = fmt::format("PCIe switch {}", switches_++)},
               LinkKind::pcie, rate);
}

VertexId Machine::gpu(VertexId above, Rate rate, const GpuFacts& facts) {
  Vertex vertex{.kind = VertexKind::gpu, .name = facts.name, .vendor = facts.vendor};
  if (vertex.name.empty()) vertex.name = fmt::format("GPU{}", gpus_.size());
  if (!facts.bus_id.empty()) vertex.pci = PciAddress::parse(facts.bus_id);
  gpus_.push_back(below(above, std::move(vertex), facts.kind, rate, facts.width));
  builder_.add_place(PlaceKind::gpu, gpus_.back());
  return gpus_.back();
}

VertexId Machine::nic(VertexId above, std::string name, Rate rate) {
  return below(above, {.kind = VertexKind::nic, .name = std::move(name)}, LinkKind::pcie, rate);
}

void Machine::connect(VertexId a, VertexId b, LinkKind kind, Rate rate, int width) {
  builder_.add_links(link_of(a, b, kind, rate, width));
}

void Machine::bonds(LinkKind kind, Rate rate, std::span<const int> links_by_pair) {
  for (std::size_t a = 0; a < gpus_.size(); ++a) {
    for (std::size_t b = a + 1; b < gpus_.size(); ++b) {
      const int width = links_by_pair[a * gpus_.size() + b];
      if (width > 0) connect(gpus_[a], gpus_[b], kind, rate, width);
    }
  }
}

void Machine::nvswitch_plane(int width, Rate rate) {
  const VertexId plane = builder_.add_vertex({.kind = VertexKind::nvswitch, .name = "NVSwitch plane"});
  for (const VertexId gpu : gpus_) connect(gpu, plane, LinkKind::nvlink, rate, width);
}

}  // namespace topowise
