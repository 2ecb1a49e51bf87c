// SPDX-License-Identifier: BSD-3-Clause
// Networks of large machines, with a compute node or a chip as each place. docs/formats/presets.md has the sources.
#include <array>
#include <string>
#include <utility>

#include <topowise/graph/make_network.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

constexpr std::string_view kNominal = "preset (nominal)";

/// The same with a part that the sources do not state, in a few words.
Topology assuming(const Topology& machine, std::string what) {
  TopologyBuilder builder(machine);
  builder.assume(std::move(what));
  return std::move(builder).build();
}

/// Slingshot 11: 25 GB/s a direction of each wire between switches. A node has several NICs; here all of them are one
/// link to one switch of its group.
Topology slingshot(const char* name, const DragonflyShape& fly, double nics) {
  constexpr double kWire = 25;
  return make_network(name, fly, {gigabytes_per_second(kWire), gigabytes_per_second(kWire * nics)}, kNominal);
}

/// 74 groups of compute nodes, each of 32 switches and 128 nodes; four wires between any two groups.
Topology frontier() {
  return slingshot("frontier-network", {.places = 4, .routers = 32, .groups = 74, .links = 4}, 4);
}

/// 166 groups of compute nodes, each of 32 switches and 64 nodes; two wires between any two groups.
Topology aurora() {
  return assuming(slingshot("aurora-network", {.places = 2, .routers = 32, .groups = 166, .links = 2}, 8),
                  "two links between any two groups, and 32 switches in a group");
}

/// Tofu interconnect D: axes X, Y, Z, A, B, C, 6.8 GB/s per direction.
Topology fugaku() {
  const BytesPerSecond link = gigabytes_per_second(6.8);
  return make_network("fugaku-network", GridShape{.sizes = {24, 23, 24, 2, 3, 2}, .closed = true}, {link, link},
                      "preset (assumed)");
}

/// 8960 chips; 1200 GB/s both ways over six links of each chip.
Topology tpu_v5p() {
  const BytesPerSecond link = gigabytes_per_second(100);
  return assuming(make_network("tpu-v5p-pod", GridShape{.sizes = {16, 20, 28}, .closed = true}, {link, link}, kNominal),
                  "axes of 16 x 20 x 28 chips");
}

constexpr std::array<Preset, 4> kPresets{
    {{"frontier-network", "dragonfly of 74 groups x 128 nodes, Slingshot 11 (Frontier)", frontier},
     {"aurora-network", "dragonfly of 166 groups x 64 nodes, Slingshot 11 (Aurora)", aurora},
     {"fugaku-network", "torus of 24 x 23 x 24 x 2 x 3 x 2 nodes, Tofu D (Fugaku)", fugaku},
     {"tpu-v5p-pod", "torus of 16 x 20 x 28 chips (Google TPU v5p)", tpu_v5p}}};

}  // namespace

std::span<const Preset> networks() {
  return kPresets;
}

}  // namespace topowise::preset_group
