// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/make_network.hpp>

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace topowise {
namespace {

std::string router_name(const DragonflyShape& fly, std::size_t router) {
  return fmt::format("R{}.{}", router / fly.routers, router % fly.routers);
}

}  // namespace

Topology make_network(std::string name, const NetworkShape& shape, LinkRates rates, std::string_view source) {
  const NetworkSize size = size_of(shape);
  const auto places = static_cast<std::size_t>(size.places);
  const auto vertices = static_cast<std::size_t>(size.vertices);
  TopologyBuilder builder(std::move(name));
  builder.reserve(vertices, static_cast<std::size_t>(2 * size.wires), places);
  for (std::size_t v = 0; v < vertices; ++v) {
    const VertexId id = builder.add_vertex(
        {.name = v < places ? fmt::format("P{}", v) : router_name(std::get<DragonflyShape>(shape), v - places)});
    if (v < places) builder.add_place(PlaceKind::slot, id);
  }
  const auto join = [&](std::size_t a, std::size_t b) {
    builder.add_links({.from = VertexId(a),
                       .to = VertexId(b),
                       .kind = LinkKind::abstract,
                       .bandwidth = a < places && b >= places ? rates.of_place : rates.network,
                       .source = std::string(source)});
  };
  std::visit([&](const auto& each) { for_each_wire(each, join); }, shape);
  builder.set_network(shape);
  return std::move(builder).build();
}

}  // namespace topowise
