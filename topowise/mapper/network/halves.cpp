// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/network/halves.hpp>

#include <algorithm>
#include <cmath>

namespace topowise {

std::optional<NetworkHalves> NetworkHalves::find(const MapProblem& problem) {
  const NetworkShape* shape = problem.topology.network();
  if (shape == nullptr) return std::nullopt;
  if (!is_known(*shape)) return std::nullopt;
  return NetworkHalves(problem, *shape);
}

NetworkHalves::NetworkHalves(const MapProblem& problem, const NetworkShape& shape)
    : places_(place_capacities(problem)) {
  if (const auto* grid = std::get_if<GridShape>(&shape)) {
    axes_ = grid->sizes.size();
    closed_ = grid->closed;
    std::uint32_t stride = 1;
    for (std::size_t axis = axes_; axis-- > 0; stride *= size_[axis]) {
      size_[axis] = grid->sizes[axis];
      stride_[axis] = stride;
    }
  } else {
    const auto& fly = std::get<DragonflyShape>(shape);
    router_places_ = fly.places;
    group_places_ = fly.places * fly.routers;
    std::ranges::sort(places_, {}, [](const PlaceCapacity& each) { return each.place; });
  }
  keep_together(0, places_.size(), total_load(problem));
  nodes_.reserve(2 * places_.size());
  nodes_.push_back({.first = 0, .end = static_cast<std::uint32_t>(places_.size())});
  describe(nodes_.front());
  for (std::size_t node = 0; node < nodes_.size(); ++node) cut(node);
}

std::uint32_t NetworkHalves::coordinate(const PlaceCapacity& place, std::size_t axis) const {
  return static_cast<std::uint32_t>(place.place.index()) / stride_[axis] % size_[axis];
}

double NetworkHalves::along(std::size_t axis, double from, double to) const {
  const double apart = std::abs(from - to);
  return closed_ ? std::min(apart, size_[axis] - apart) : apart;
}

void NetworkHalves::sort(std::size_t first, std::size_t end, std::size_t axis) {
  const auto begin = places_.begin();
  std::sort(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end),
            [&](const PlaceCapacity& a, const PlaceCapacity& b) {
              return std::pair(coordinate(a, axis), a.place) < std::pair(coordinate(b, axis), b.place);
            });
}

std::int64_t NetworkHalves::capacity(std::size_t first, std::size_t end) const {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += static_cast<std::int64_t>(places_[i].capacity);
  return sum;
}

/// Goes to the smallest part that can bear the load, and drops what it need not have of it: planes of a grid, the last
/// places of a dragonfly.
void NetworkHalves::keep_together(std::size_t first, std::size_t end, std::int64_t load) {
  while (end - first > 1) {
    Node part{.first = static_cast<std::uint32_t>(first), .end = static_cast<std::uint32_t>(end)};
    describe(part);
    if (axes_ > 0) sort(first, end, part.axis);
    const std::size_t middle = border(part);
    const bool low_bears = capacity(first, middle) >= load;
    if (!low_bears && capacity(middle, end) < load) {
      std::size_t last = end;
      for (std::int64_t spare = part.capacity - load; last > first + 1; --last) {
        spare -= static_cast<std::int64_t>(places_[last - 1].capacity);
        if (spare < 0) break;
      }
      while (axes_ > 0 && last < end &&
             coordinate(places_[last], part.axis) == coordinate(places_[last - 1], part.axis))
        ++last;
      end = last;
      break;
    }
    (low_bears ? end : first) = middle;
  }
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(end), places_.end());
  places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Capacity, centre, and the longest axis.
void NetworkHalves::describe(Node& node) {
  std::array<std::uint32_t, kMostNetworkAxes> low;
  std::array<std::uint32_t, kMostNetworkAxes> high{};
  low.fill(~std::uint32_t{0});
  for (std::uint32_t i = node.first; i < node.end; ++i) {
    node.capacity += static_cast<std::int64_t>(places_[i].capacity);
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const std::uint32_t here = coordinate(places_[i], axis);
      low[axis] = std::min(low[axis], here);
      high[axis] = std::max(high[axis], here);
    }
  }
  std::uint32_t longest = 0;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    node.centre[axis] = 0.5F * static_cast<float>(low[axis] + high[axis]);
    const std::uint32_t length = high[axis] - low[axis];
    if (length <= longest) continue;
    longest = length;
    node.axis = static_cast<std::uint32_t>(axis);
  }
}

/// Where the second half begins: at the plane, group or router nearest to the middle.
std::size_t NetworkHalves::border(const Node& node) const {
  const std::size_t middle = node.first + (node.end - node.first) / 2;
  const auto part_of = [&](std::size_t i) -> std::size_t {
    const PlaceCapacity& each = places_[i];
    if (axes_ > 0) return coordinate(each, node.axis);
    const auto in = [&](std::uint32_t size) { return each.place.index() / size; };
    const auto ends = [&](std::uint32_t size) {
      return places_[node.first].place.index() / size != places_[node.end - 1].place.index() / size;
    };
    return ends(group_places_) ? in(group_places_) : ends(router_places_) ? in(router_places_) : each.place.index();
  };
  std::size_t down = middle;
  while (down > node.first && part_of(down - 1) == part_of(middle)) --down;
  std::size_t up = middle;
  while (up < node.end && part_of(up) == part_of(middle)) ++up;
  if (down == node.first) return up;
  return up == node.end || middle - down <= up - middle ? down : up;
}

void NetworkHalves::cut(std::size_t index) {
  Node node = nodes_[index];
  if (node.end - node.first < 2) return;
  if (axes_ > 0) sort(node.first, node.end, node.axis);
  const auto at = static_cast<std::uint32_t>(border(node));
  node.low = static_cast<std::uint32_t>(nodes_.size());
  node.high = node.low + 1;
  nodes_[index] = node;
  nodes_.push_back({.first = node.first, .end = at});
  describe(nodes_.back());
  nodes_.push_back({.first = at, .end = node.end});
  describe(nodes_.back());
}

}  // namespace topowise
