// SPDX-License-Identifier: BSD-3-Clause
// The words are those of JSON and of the command line.
#include <topowise/graph/components.hpp>

#include <topowise/base/enum_names.hpp>

namespace topowise {
namespace {

constexpr EnumNames<VertexKind, 11> kVertexKinds{{"compute-node", "package", "numa-domain", "root-complex",
                                                  "pcie-switch", "gpu", "nic", "nvswitch", "network-switch", "core",
                                                  "group"}};
constexpr EnumNames<LinkKind, 9> kLinkKinds{
    {"pcie", "host", "inter-socket", "nvlink", "xgmi", "c2c", "vendor-link", "network", "abstract"}};
constexpr EnumNames<PlaceKind, 4> kPlaceKinds{{"gpu", "core", "node", "slot"}};

}  // namespace

std::string_view to_string(VertexKind kind) {
  return kVertexKinds[kind];
}
std::string_view to_string(LinkKind kind) {
  return kLinkKinds[kind];
}
std::string_view to_string(PlaceKind kind) {
  return kPlaceKinds[kind];
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
  return kVertexKinds.parse(text);
}
std::optional<LinkKind> parse_link_kind(std::string_view text) {
  return kLinkKinds.parse(text);
}
std::optional<PlaceKind> parse_place_kind(std::string_view text) {
  return kPlaceKinds.parse(text);
}
std::vector<std::string> device_place_names() {
  std::vector<std::string> names = kPlaceKinds.list();
  std::erase_if(names, [](const std::string& name) { return !vertex_kind_of(*parse_place_kind(name)); });
  return names;
}

}  // namespace topowise
