// SPDX-License-Identifier: BSD-3-Clause
// The words are those of JSON and of the command line.
#include <topowise/graph/components.hpp>

#include <array>

namespace topowise {
namespace {

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 11> kVertexKinds{"compute-node",   "package", "numa-domain", "root-complex",
                                                        "pcie-switch",    "gpu",     "nic",         "nvswitch",
                                                        "network-switch", "core",    "group"};
constexpr std::array<std::string_view, 9> kLinkKinds{"pcie", "host",        "inter-socket", "nvlink",  "xgmi",
                                                     "c2c",  "vendor-link", "network",      "abstract"};
constexpr std::array<std::string_view, 4> kPlaceKinds{"gpu", "core", "node", "slot"};

}  // namespace

std::string_view to_string(VertexKind kind) {
  return kVertexKinds[static_cast<std::size_t>(kind)];
}
std::string_view to_string(LinkKind kind) {
  return kLinkKinds[static_cast<std::size_t>(kind)];
}
std::string_view to_string(PlaceKind kind) {
  return kPlaceKinds[static_cast<std::size_t>(kind)];
}
std::optional<VertexKind> vertex_kind_of(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::gpu:
      return VertexKind::gpu;
    case PlaceKind::core:
      return VertexKind::core;
    case PlaceKind::node:
      return VertexKind::compute_node;
    case PlaceKind::slot:
      return std::nullopt;
  }
  return std::nullopt;
}
std::optional<VertexKind> parse_vertex_kind(std::string_view text) {
  return find<VertexKind>(kVertexKinds, text);
}
std::optional<LinkKind> parse_link_kind(std::string_view text) {
  return find<LinkKind>(kLinkKinds, text);
}
std::optional<PlaceKind> parse_place_kind(std::string_view text) {
  return find<PlaceKind>(kPlaceKinds, text);
}

}  // namespace topowise
