// SPDX-License-Identifier: BSD-3-Clause
// Direct networks. The distance of two places is the number of links on a shortest path between them.
//
// torus, mesh: a place at each point of a grid, a link to each neighbour; the torus is closed along every axis. Places
// are numbered in row-major order, the last axis fastest.
//
// dragonfly: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology" (ISCA 2008). With p
// places on a router, a routers in a group and h global links on a router there are a h + 1 groups, any two joined by
// one link. Which router holds it: global port k of group i (on router k / h) leads to group i + k + 1.
#include <topowise/topology_source/synthetic/network.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostAxes = 8;

/// The parts of "torus:8x8x4@12.5GB/s".
struct Description {
  std::string_view argument;
  std::string_view shape;
  BytesPerSecond bandwidth;
};

Error malformed(std::string_view argument, std::string what) {
  Diagnostic diagnostic{std::string(printable(argument.substr(0, 80))), {}, std::move(what), {}, {}};
  diagnostic.hint = "torus:8x8x4 and mesh:16x16 are grids, dragonfly:4:8:4 has 4 places a router, 8 routers a group";
  return {ExitStatus::bad_input, {std::move(diagnostic)}};
}

Description parse_description(std::string_view argument, std::size_t prefix) {
  const std::size_t at = argument.find('@');
  Description description{argument, argument.substr(0, at).substr(prefix), {}};
  if (at == std::string_view::npos) return description;
  const std::string_view rate = argument.substr(at + 1);
  const std::optional<BytesPerSecond> bandwidth = parse_bandwidth(rate);
  if (!bandwidth || bandwidth->value() <= 0)
    throw malformed(argument, fmt::format("'{}' is not the bandwidth of a link", printable(rate)));
  description.bandwidth = *bandwidth;
  return description;
}

std::vector<std::size_t> parse_numbers(const Description& description, char separator) {
  std::vector<std::size_t> numbers;
  for (const std::string_view part : split(description.shape, separator)) {
    const std::optional<std::int64_t> number = parse_integer(part);
    if (!number || *number < 1)
      throw malformed(description.argument, fmt::format("'{}' is not a size", printable(part)));
    // A larger number is too large in any case. It is cut here, so that no product below overflows.
    numbers.push_back(static_cast<std::size_t>(std::min<std::int64_t>(*number, Topology::kLargestDense + 1)));
  }
  return numbers;
}

void check_size(const Description& description, std::size_t places) {
  if (places <= Topology::kLargestDense) return;
  throw malformed(description.argument,
                  fmt::format("the network is too large, at most {} places are supported", Topology::kLargestDense));
}

class Network {
 public:
  explicit Network(const Description& description)
      : builder_(std::string(description.argument)), bandwidth_(description.bandwidth) {}

  VertexId add_vertex(std::string name) { return builder_.add_vertex({.name = std::move(name)}); }
  void add_place(VertexId vertex) { builder_.add_place(PlaceKind::slot, vertex); }
  void join(VertexId a, VertexId b) {
    builder_.add_links(
        {.from = a, .to = b, .kind = LinkKind::abstract, .bandwidth = bandwidth_, .source = "description"});
  }
  Topology build() && { return std::move(builder_).build(); }

 private:
  TopologyBuilder builder_;
  BytesPerSecond bandwidth_;
};

Topology read_grid(const Description& description, bool closed) {
  const std::vector<std::size_t> sizes = parse_numbers(description, 'x');
  if (sizes.size() > kMostAxes)
    throw malformed(description.argument,
                    fmt::format("{} axes are too many, at most {} are supported", sizes.size(), kMostAxes));
  std::size_t places = 1;
  for (const std::size_t size : sizes) check_size(description, places *= size);
  Network network(description);
  std::vector<VertexId> at;
  for (std::size_t p = 0; p < places; ++p) at.push_back(network.add_vertex(fmt::format("P{}", p)));
  for (const VertexId vertex : at) network.add_place(vertex);
  for (std::size_t p = 0; p < places; ++p) {
    std::size_t stride = 1;
    for (std::size_t axis = sizes.size(); axis-- > 0; stride *= sizes[axis]) {
      const std::size_t size = sizes[axis];
      const std::size_t here = p / stride % size;
      const bool last = here + 1 == size;
      // In a closed axis of two places the ways in both directions join the same pair.
      if (last && (!closed || size <= 2)) continue;
      network.join(at[p], at[last ? p - here * stride : p + stride]);
    }
  }
  return std::move(network).build();
}

Topology read_torus(const Description& description) {
  return read_grid(description, true);
}
Topology read_mesh(const Description& description) {
  return read_grid(description, false);
}

Topology read_dragonfly(const Description& description) {
  const std::vector<std::size_t> numbers = parse_numbers(description, ':');
  if (numbers.size() != 3)
    throw malformed(description.argument,
                    fmt::format("there are {} numbers, a dragonfly has 3: places a router, routers a group, global "
                                "links a router",
                                numbers.size()));
  const auto [places, routers, global] = std::tuple(numbers[0], numbers[1], numbers[2]);
  const std::size_t ports = routers * global;
  const std::size_t groups = ports + 1;
  check_size(description, places * routers);
  check_size(description, places * routers * groups);
  Network network(description);
  std::vector<VertexId> router;
  for (std::size_t r = 0; r < routers * groups; ++r) {
    router.push_back(network.add_vertex(fmt::format("R{}.{}", r / routers, r % routers)));
    for (std::size_t p = 0; p < places; ++p) {
      const VertexId place = network.add_vertex(fmt::format("P{}", r * places + p));
      network.add_place(place);
      network.join(place, router.back());
    }
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * routers;
    for (std::size_t a = 0; a < routers; ++a) {
      for (std::size_t b = a + 1; b < routers; ++b) network.join(router[first + a], router[first + b]);
    }
    for (std::size_t port = 0; port < ports; ++port) {
      const std::size_t other = (group + port + 1) % groups;
      if (other < group) continue;                 // that group has added the link
      const std::size_t back = groups - 2 - port;  // the port there that leads to this group
      network.join(router[first + port / global], router[other * routers + back / global]);
    }
  }
  return std::move(network).build();
}

struct Form {
  std::string_view prefix;
  Topology (*read)(const Description&);
};
constexpr Form kForms[] = {{"torus:", read_torus}, {"mesh:", read_mesh}, {"dragonfly:", read_dragonfly}};

const Form* form_of(std::string_view argument) {
  const auto* found = std::ranges::find_if(kForms, [&](const Form& form) { return argument.starts_with(form.prefix); });
  return found == std::end(kForms) ? nullptr : found;
}

}  // namespace

bool is_synthetic_network(std::string_view argument) {
  return form_of(argument) != nullptr;
}

Topology read_synthetic_network(std::string_view argument) {
  const Form& form = *form_of(argument);
  return form.read(parse_description(argument, form.prefix.size()));
}

}  // namespace topowise
