// SPDX-License-Identifier: BSD-3-Clause
// Direct networks (graph/network_shape.hpp). In a grid the distance of two places is the number of links of the route
// between them; in a dragonfly it is 1 on a router, and one more for each link between routers, if both kinds are
// there.
#include <topowise/topology_source/synthetic/network.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/make_network.hpp>

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
  diagnostic.hint =
      "torus:8x8x4 and mesh:16x16 are grids, dragonfly:4:8:4 has 4 places a router, 8 routers a group, 4 global links "
      "a router, dragonfly:4:32:groups=74:links=4 so many groups and links between two groups";
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

/// A larger number is too large in any case. It is cut, so that nothing overflows.
std::uint32_t parse_size(const Description& description, std::string_view text) {
  constexpr std::int64_t kMost = 1 << 24;
  const std::optional<std::int64_t> number = parse_integer(text);
  if (!number || *number < 1) throw malformed(description.argument, fmt::format("'{}' is not a size", printable(text)));
  return static_cast<std::uint32_t>(std::min(*number, kMost));
}

GridShape parse_grid(const Description& description, bool closed) {
  GridShape grid{.sizes = {}, .closed = closed};
  for (const std::string_view part : split(description.shape, 'x')) grid.sizes.push_back(parse_size(description, part));
  if (grid.sizes.size() > kMostAxes)
    throw malformed(description.argument,
                    fmt::format("{} axes are too many, at most {} are supported", grid.sizes.size(), kMostAxes));
  return grid;
}

NetworkShape parse_torus(const Description& description) {
  return parse_grid(description, true);
}
NetworkShape parse_mesh(const Description& description) {
  return parse_grid(description, false);
}

/// "4:8:4" or "4:32:groups=74:links=4".
NetworkShape parse_dragonfly(const Description& description) {
  std::vector<std::uint32_t> numbers;
  std::optional<std::uint32_t> groups;
  std::optional<std::uint32_t> links;
  for (const std::string_view part : split(description.shape, ':')) {
    const std::size_t sign = part.find('=');
    if (sign == std::string_view::npos) {
      numbers.push_back(parse_size(description, part));
      continue;
    }
    const std::string_view key = part.substr(0, sign);
    if (key != "groups" && key != "links")
      throw malformed(description.argument, unknown_name("option", key, std::array<std::string, 2>{"groups", "links"}));
    (key == "groups" ? groups : links) = parse_size(description, part.substr(sign + 1));
  }
  const std::size_t wanted = groups ? 2 : 3;
  if (numbers.size() != wanted || (links && !groups))
    throw malformed(description.argument,
                    fmt::format("there are {} numbers, a dragonfly has 3: places a router, routers a group, global "
                                "links a router; or the first 2 and groups=N, with links=N between two groups",
                                numbers.size()));
  DragonflyShape fly{.places = numbers[0], .routers = numbers[1]};
  const std::uint64_t most = groups ? *groups : std::uint64_t{numbers[1]} * numbers[2] + 1;
  fly.groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 1 << 24));
  fly.links = links.value_or(1);
  if (fly.links > fly.routers)
    throw malformed(description.argument, fmt::format("{} links between two groups need as many routers in a group, "
                                                      "and there are {}",
                                                      fly.links, fly.routers));
  return fly;
}

/// Throws if the description of such a network would not fit. What is counted is the memory of a Topology.
void check_size(const Description& description, const NetworkShape& shape) {
  constexpr double kMostPlaces = 1 << 20;
  constexpr double kMostBytes = 4e9;
  constexpr double kIndexBytes = 28;  // of a link, in the tables of links by vertex
  const NetworkSize size = size_of(shape);
  const double bytes =
      size.vertices * sizeof(Vertex) + 2 * size.wires * (sizeof(Link) + kIndexBytes) + size.places * sizeof(PlaceEntry);
  if (size.places <= kMostPlaces && bytes <= kMostBytes) return;
  throw malformed(
      description.argument,
      fmt::format("the network is too large: {:.0f} places and {:.0f} links would take {} of memory; at most "
                  "{:.0f} places and {} are supported",
                  size.places, 2 * size.wires, to_string(Bytes(bytes)), kMostPlaces, to_string(Bytes(kMostBytes))));
}

struct Form {
  std::string_view prefix;
  NetworkShape (*parse)(const Description&);
};
constexpr Form kForms[] = {{"torus:", parse_torus}, {"mesh:", parse_mesh}, {"dragonfly:", parse_dragonfly}};

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
  const Description description = parse_description(argument, form.prefix.size());
  const NetworkShape shape = form.parse(description);
  check_size(description, shape);
  return make_network(std::string(argument), shape, {description.bandwidth, description.bandwidth}, "description");
}

}  // namespace topowise
