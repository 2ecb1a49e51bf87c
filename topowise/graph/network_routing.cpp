// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/network_routing.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace topowise {
namespace {

const LinkId kNoLink{std::numeric_limits<std::uint32_t>::max()};

bool says_nothing_else(const Vertex& vertex) {
  return vertex.kind == VertexKind::group && !vertex.parent && vertex.node.empty();
}

std::size_t local_links(const DragonflyShape& fly) {
  return std::size_t{fly.groups} * fly.routers * fly.routers;
}

/// Where the link of a group's wire to the group `ahead` groups further on is in the table.
std::size_t wire_slot(const DragonflyShape& fly, std::size_t places, std::size_t group, std::uint32_t wire,
                      std::uint32_t ahead) {
  return 2 * places + local_links(fly) + group * fly.ports() + std::size_t{wire} * (fly.groups - 1) + ahead - 1;
}

std::size_t local_slot(const DragonflyShape& fly, std::size_t places, std::size_t from, std::size_t to) {
  return 2 * places + from * fly.routers + to % fly.routers;
}

std::uint32_t groups_ahead(const DragonflyShape& fly, std::size_t from_group, std::size_t to_group) {
  return static_cast<std::uint32_t>((to_group + fly.groups - from_group) % fly.groups);
}

}  // namespace

NetworkRouting::NetworkRouting(const NetworkShape& shape, std::size_t places) : shape_(shape), places_(places) {
  if (const auto* grid = std::get_if<GridShape>(&shape_)) {
    const std::size_t axes = grid->sizes.size();
    link_.assign(2 * axes * places, kNoLink);
    coordinate_.resize(axes * places);
    for (std::size_t p = 0; p < places; ++p) {
      std::size_t rest = p;
      for (std::size_t axis = axes; axis-- > 0; rest /= grid->sizes[axis])
        coordinate_[p * axes + axis] = static_cast<std::uint32_t>(rest % grid->sizes[axis]);
    }
  } else {
    const auto& fly = std::get<DragonflyShape>(shape_);
    link_.assign(2 * places + local_links(fly) + fly.groups * fly.ports(), kNoLink);
  }
}

std::optional<NetworkRouting> NetworkRouting::find(const NetworkShape& shape, std::span<const Vertex> vertices,
                                                   std::span<const Link> links, std::span<const PlaceEntry> places) {
  const NetworkSize size = size_of(shape);
  if (static_cast<double>(places.size()) != size.places || static_cast<double>(vertices.size()) != size.vertices ||
      static_cast<double>(links.size()) != 2 * size.wires)
    return std::nullopt;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (places[p].vertex != VertexId(p)) return std::nullopt;
  }
  if (!std::ranges::all_of(vertices, says_nothing_else)) return std::nullopt;
  NetworkRouting found(shape, places.size());
  std::size_t next = 0;
  bool matches = true;
  const auto look = [&](std::size_t a, std::size_t b) {
    const Link& there = links[next];
    const Link& back = links[next + 1];
    matches = matches && there.kind == LinkKind::abstract && back.kind == LinkKind::abstract &&
              there.from == VertexId(a) && there.to == VertexId(b) && back.from == there.to && back.to == there.from;
    if (matches) found.add_wire(a, b, LinkId(next), LinkId(next + 1));
    next += 2;
  };
  std::visit([&](const auto& each) { for_each_wire(each, look); }, shape);
  return matches ? std::optional(std::move(found)) : std::nullopt;
}

void NetworkRouting::set_grid_link(const GridShape& grid, std::size_t from, std::size_t to, LinkId link) {
  const std::size_t axes = grid.sizes.size();
  std::size_t axis = 0;
  while (coordinate_[from * axes + axis] == coordinate_[to * axes + axis]) ++axis;
  const std::uint32_t here = coordinate_[from * axes + axis];
  const bool is_up = coordinate_[to * axes + axis] == (here + 1) % grid.sizes[axis];
  link_[(from * axes + axis) * 2 + (is_up ? 0 : 1)] = link;
  if (grid.sizes[axis] == 2) link_[(from * axes + axis) * 2 + 1] = link;  // the only neighbour is on both sides
}

void NetworkRouting::add_wire(std::size_t a, std::size_t b, LinkId there, LinkId back) {
  if (const auto* grid = std::get_if<GridShape>(&shape_)) {
    set_grid_link(*grid, a, b, there);
    set_grid_link(*grid, b, a, back);
    return;
  }
  const auto& fly = std::get<DragonflyShape>(shape_);
  if (a < places_) {
    link_[2 * a] = there;
    link_[2 * a + 1] = back;
    return;
  }
  const std::size_t from = a - places_;
  const std::size_t to = b - places_;
  if (from / fly.routers == to / fly.routers) {
    link_[local_slot(fly, places_, from, to)] = there;
    link_[local_slot(fly, places_, to, from)] = back;
    return;
  }
  // Wires between two groups come in the order of their numbers: the first one that is not there yet is meant.
  const std::uint32_t ahead = groups_ahead(fly, from / fly.routers, to / fly.routers);
  std::uint32_t wire = 0;
  while (link_[wire_slot(fly, places_, from / fly.routers, wire, ahead)] != kNoLink) ++wire;
  link_[wire_slot(fly, places_, from / fly.routers, wire, ahead)] = there;
  link_[wire_slot(fly, places_, to / fly.routers, wire, fly.groups - ahead)] = back;
}

std::uint32_t NetworkRouting::steps(const GridShape& grid, std::size_t axis, std::uint32_t from,
                                    std::uint32_t to) const {
  const std::uint32_t apart = from > to ? from - to : to - from;
  return grid.closed ? std::min(apart, grid.sizes[axis] - apart) : apart;
}

NetworkRouting::Crossing NetworkRouting::crossing(const DragonflyShape& fly, std::size_t a, std::size_t b) const {
  const std::size_t group = a / fly.routers;
  const std::size_t other = b / fly.routers;
  const std::uint32_t ahead = groups_ahead(fly, group, other);
  Crossing best;
  // Both ways between two routers begin the search for the wire at the same number.
  const auto first = static_cast<std::uint32_t>((a + b) % fly.links);
  for (std::uint32_t i = 0; i < fly.links; ++i) {
    const std::uint32_t wire = (first + i) % fly.links;
    const std::uint32_t near = fly.router_of(wire, ahead);
    const std::uint32_t far = fly.router_of(wire, fly.groups - ahead);
    const int hops = 1 + (near == a % fly.routers ? 0 : 1) + (far == b % fly.routers ? 0 : 1);
    if (best.hops == 0 || hops < best.hops) best = {wire, near, far, hops};
    if (hops == 1) break;
  }
  return best;
}

int NetworkRouting::router_hops(const DragonflyShape& fly, std::size_t a, std::size_t b) const {
  if (a == b) return 0;
  return a / fly.routers == b / fly.routers ? 1 : crossing(fly, a, b).hops;
}

int NetworkRouting::hops(std::size_t a, std::size_t b) const {
  if (a == b) return 0;
  if (const auto* fly = std::get_if<DragonflyShape>(&shape_))
    return 2 + router_hops(*fly, a / fly->places, b / fly->places);
  const auto& grid = std::get<GridShape>(shape_);
  const std::size_t axes = grid.sizes.size();
  std::uint32_t sum = 0;
  for (std::size_t axis = 0; axis < axes; ++axis)
    sum += steps(grid, axis, coordinate_[a * axes + axis], coordinate_[b * axes + axis]);
  return static_cast<int>(sum);
}

void NetworkRouting::append_local(const DragonflyShape& fly, std::size_t group, std::uint32_t from, std::uint32_t to,
                                  std::vector<LinkId>& way) const {
  if (from != to) way.push_back(link_[local_slot(fly, places_, group * fly.routers + from, group * fly.routers + to)]);
}

std::vector<LinkId> NetworkRouting::route(std::size_t a, std::size_t b) const {
  std::vector<LinkId> way;
  if (a == b) return way;
  if (const auto* fly = std::get_if<DragonflyShape>(&shape_)) {
    const std::size_t from = a / fly->places;
    const std::size_t to = b / fly->places;
    const std::size_t group = from / fly->routers;
    const std::size_t other = to / fly->routers;
    const auto near = static_cast<std::uint32_t>(from % fly->routers);
    const auto far = static_cast<std::uint32_t>(to % fly->routers);
    way.push_back(link_[2 * a]);
    if (group == other) {
      append_local(*fly, group, near, far, way);
    } else {
      const Crossing over = crossing(*fly, from, to);
      append_local(*fly, group, near, over.near, way);
      way.push_back(link_[wire_slot(*fly, places_, group, over.wire, groups_ahead(*fly, group, other))]);
      append_local(*fly, other, over.far, far, way);
    }
    way.push_back(link_[2 * b + 1]);
    return way;
  }
  const auto& grid = std::get<GridShape>(shape_);
  const std::size_t axes = grid.sizes.size();
  std::size_t at = a;
  std::size_t stride = 1;
  std::vector<std::size_t> strides(axes);
  for (std::size_t axis = axes; axis-- > 0; stride *= grid.sizes[axis]) strides[axis] = stride;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint32_t size = grid.sizes[axis];
    const std::uint32_t from = coordinate_[a * axes + axis];
    const std::uint32_t to = coordinate_[b * axes + axis];
    const std::uint32_t up = (to + size - from) % size;
    const bool goes_up = !grid.closed ? to > from : 2 * up < size || (2 * up == size && from % 2 == 0);
    for (std::uint32_t left = steps(grid, axis, from, to); left > 0; --left) {
      way.push_back(link_[(at * axes + axis) * 2 + (goes_up ? 0 : 1)]);
      const std::uint32_t here = coordinate_[at * axes + axis];
      const std::uint32_t next = goes_up ? (here + 1) % size : (here + size - 1) % size;
      at = at - here * strides[axis] + next * strides[axis];
    }
  }
  return way;
}

std::vector<std::pair<std::size_t, std::size_t>> NetworkRouting::samples() const {
  std::set<int> kinds;
  if (const auto* grid = std::get_if<GridShape>(&shape_)) {
    std::uint32_t farthest = 0;
    for (const std::uint32_t size : grid->sizes) farthest += grid->closed ? size / 2 : size - 1;
    for (std::uint32_t h = 1; h <= farthest; ++h) kinds.insert(static_cast<int>(h));
  } else {
    const auto& fly = std::get<DragonflyShape>(shape_);
    if (fly.places > 1) kinds.insert(2);
    if (fly.routers > 1 || fly.groups > 1) kinds.insert(3);
    if (fly.routers > 1 && fly.groups > 1) kinds.insert(4);
    if (fly.links < fly.routers && fly.groups > 1) kinds.insert(5);  // some router at either end holds no wire
  }
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t a = 0; a < places_ && !kinds.empty(); ++a) {
    for (std::size_t b = a + 1; b < places_ && !kinds.empty(); ++b) {
      if (kinds.erase(hops(a, b)) > 0) found.emplace_back(a, b);
    }
  }
  std::ranges::sort(found, {}, [&](const auto& pair) { return hops(pair.first, pair.second); });
  return found;
}

}  // namespace topowise
