// SPDX-License-Identifier: BSD-3-Clause
#include "node.hpp"

#include <fmt/format.h>

#include <optional>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/source.hpp>

#include "environment.hpp"

namespace topowise::fake {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Parses "GPU-8-4-4-4-12" or "MIG-...". Nothing if the text is no such UUID.
std::optional<UuidBytes> uuid_bytes(const std::string& uuid) {
  UuidBytes bytes{};
  std::size_t digits = 0;
  for (const char c : uuid.substr(std::min<std::size_t>(4, uuid.size()))) {
    if (c == '-') continue;
    const int value = hex_digit(c);
    if (value < 0 || digits == 32) return std::nullopt;
    bytes[digits / 2] = static_cast<unsigned char>(bytes[digits / 2] * 16 + value);
    ++digits;
  }
  if (digits != 32) return std::nullopt;
  return bytes;
}

std::string made_uuid(const char* prefix, int instance, int index) {
  return fmt::format("{}-51d0fa4e-{:04x}-4000-8000-{:012x}", prefix, instance, index);
}

/// Number of parts of GPU `index` in "0:2,3:7"; 0 where MIG is off.
int instance_count(const std::string& instances, int index) {
  for (const std::string_view entry : split(instances, ',')) {
    const std::vector<std::string_view> cells = split(entry, ':');
    if (cells.size() == 2 && parse_integer(cells[0]) == index) {
      return static_cast<int>(parse_integer(cells[1]).value_or(0));
    }
  }
  return 0;
}

Gpu make_gpu(const Topology& topology, Place place, int index, const std::string& instances) {
  const Vertex& vertex = topology.vertex_of(place);
  Gpu gpu;
  gpu.index = index;
  gpu.place = place;
  gpu.name = fmt::format("SIMULATED {} {}", topology.name(), vertex.name);
  gpu.pci = vertex.pci.value_or(PciAddress{0, static_cast<std::uint8_t>(0x10 + index), 0, 0});
  gpu.numa = vertex.numa;
  gpu.cpus = vertex.cpus;
  gpu.uuid = uuid_bytes(vertex.uuid) ? vertex.uuid : made_uuid("GPU", 0, index);
  gpu.uuid_bytes = *uuid_bytes(gpu.uuid);
  for (int i = 1; i <= instance_count(instances, index); ++i) {
    const std::string uuid = made_uuid("MIG", i, index);
    gpu.instances.push_back({uuid, *uuid_bytes(uuid)});
  }
  return gpu;
}

}  // namespace

std::vector<Gpu> gpus_of(const Topology& topology, const std::string& instances) {
  bool any_gpu = false;
  for (const PlaceEntry& place : topology.places()) any_gpu |= place.kind == PlaceKind::gpu;
  std::vector<Gpu> gpus;
  const std::string* node = nullptr;
  for (std::size_t i = 0; i < topology.place_count(); ++i) {
    const Place place(static_cast<std::uint32_t>(i));
    const std::string& node_of_place = topology.vertex_of(place).node;
    if (any_gpu && topology.place(place).kind != PlaceKind::gpu) continue;
    if (node == nullptr) node = &node_of_place;
    if (node_of_place == *node) gpus.push_back(make_gpu(topology, place, static_cast<int>(gpus.size()), instances));
  }
  return gpus;
}

Node read_node() {
  Topology topology = read_topology(environment().node);
  std::vector<Gpu> gpus = gpus_of(topology, environment().instances);
  return {std::move(topology), std::move(gpus)};
}

}  // namespace topowise::fake
