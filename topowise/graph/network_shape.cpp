// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/network_shape.hpp>

namespace topowise {
namespace {

NetworkSize size_of_grid(const GridShape& shape) {
  NetworkSize size{.places = 1};
  for (const std::uint32_t points : shape.sizes) size.places *= points;
  for (const std::uint32_t points : shape.sizes) {
    const double along = shape.closed && points > 2 ? points : points - 1;  // wires of one row
    size.wires += size.places / points * along;
  }
  size.vertices = size.places;
  return size;
}

NetworkSize size_of_dragonfly(const DragonflyShape& shape) {
  const double routers = static_cast<double>(shape.routers) * shape.groups;
  NetworkSize size{.places = routers * shape.places};
  size.vertices = size.places + routers;
  size.wires = size.places + routers * (shape.routers - 1) / 2 +
               static_cast<double>(shape.groups) * (shape.groups - 1) / 2 * shape.links;
  return size;
}

}  // namespace

NetworkSize size_of(const NetworkShape& shape) {
  const auto* grid = std::get_if<GridShape>(&shape);
  return grid != nullptr ? size_of_grid(*grid) : size_of_dragonfly(std::get<DragonflyShape>(shape));
}

}  // namespace topowise
