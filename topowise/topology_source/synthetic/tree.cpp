// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/tree.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/units.hpp>

namespace topowise {
namespace {

constexpr std::string_view kForm = "tree:2:2:4 has 16 places; tree:2:2:4@1:10:100 gives distances, innermost first";

Error malformed(std::string_view description, std::string what) {
  Diagnostic diagnostic{fmt::format("tree:{}", printable(description.substr(0, 80))), {}, std::move(what), {}, {}};
  diagnostic.hint = kForm;
  return {ExitStatus::bad_input, {std::move(diagnostic)}};
}

std::vector<int> parse_arities(std::string_view description, std::string_view text) {
  std::vector<int> arities;
  for (const std::string_view part : split(text, ':')) {
    const std::optional<std::int64_t> arity = parse_integer(part);
    if (!arity || *arity < 1)
      throw malformed(description, fmt::format("'{}' is not a number of children", printable(part)));
    if (*arity > static_cast<std::int64_t>(kLargestTreeLeaves))
      throw malformed(description, fmt::format("'{}' children are too many, at most {} leaves are supported",
                                               printable(part), kLargestTreeLeaves));
    arities.push_back(static_cast<int>(*arity));
  }
  return arities;
}

std::vector<double> parse_distances(std::string_view description, std::string_view text) {
  std::vector<double> distances;
  for (const std::string_view part : split(text, ':')) {
    const std::optional<double> distance = parse_double(part);
    if (!distance || !std::isfinite(*distance) || *distance < 0)
      throw malformed(description, fmt::format("'{}' is not a distance", printable(part)));
    distances.push_back(*distance);
  }
  return distances;
}

void check_size(std::span<const int> arities, std::string_view name) {
  if (arities.empty()) throw malformed(name, "there is no level");
  if (arities.size() > kDeepestTree)
    throw malformed(name,
                    fmt::format("{} levels are too many, at most {} are supported", arities.size(), kDeepestTree));
  constexpr double kBytesOfEach = 540;  // of a vertex and its links, measured
  double vertices = 1;
  double leaves = 1;
  for (const int arity : arities) vertices += leaves *= arity;
  if (leaves > static_cast<double>(kLargestTreeLeaves) || vertices > static_cast<double>(kLargestTreeVertices))
    throw malformed(
        name, fmt::format("the tree is too large: {:.7g} leaves and {:.7g} vertices would take about {} of memory; "
                          "at most {} leaves and {} vertices are supported",
                          leaves, vertices, to_string(Bytes(vertices * kBytesOfEach)), kLargestTreeLeaves,
                          kLargestTreeVertices));
}

/// The distances of the levels that have pairs: a level of one child has none.
std::vector<double> level_distances(std::span<const int> arities, std::span<const double> distances) {
  std::vector<double> levels;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (arities[arities.size() - 1 - i] > 1) levels.push_back(distances[i]);
  }
  return levels;
}

}  // namespace

Topology synthetic_tree(std::span<const int> arities, std::span<const double> distances) {
  const std::string shape = fmt::format("{}", fmt::join(arities, ":"));
  check_size(arities, shape);
  if (!distances.empty() && distances.size() != arities.size())
    throw malformed(shape, fmt::format("there are {} levels, but {} distances", arities.size(), distances.size()));

  TopologyBuilder builder("tree:" + shape);
  std::vector<VertexId> above{builder.add_vertex({.kind = VertexKind::group, .name = "root"})};
  for (std::size_t depth = 0; depth < arities.size(); ++depth) {
    const bool leaves = depth + 1 == arities.size();
    std::vector<VertexId> here;
    here.reserve(above.size() * static_cast<std::size_t>(arities[depth]));
    for (const VertexId parent : above) {
      for (int child = 0; child < arities[depth]; ++child) {
        std::string name = leaves ? fmt::format("P{}", here.size()) : fmt::format("{}.{}", depth + 1, here.size());
        here.push_back(builder.add_vertex({.kind = VertexKind::group, .name = std::move(name), .parent = parent}));
        builder.add_links({.from = here.back(), .to = parent, .kind = LinkKind::abstract, .source = "tree"});
      }
    }
    above = std::move(here);
  }
  for (const VertexId leaf : above) builder.add_place(PlaceKind::slot, leaf);
  builder.set_arities({arities.begin(), arities.end()});
  builder.set_level_distances(level_distances(arities, distances));
  return std::move(builder).build();
}

Topology read_synthetic_tree(std::string_view description) {
  const std::size_t at = description.find('@');
  const std::vector<int> arities = parse_arities(description, description.substr(0, at));
  std::vector<double> distances;
  if (at != std::string_view::npos) distances = parse_distances(description, description.substr(at + 1));
  return synthetic_tree(arities, distances);
}

}  // namespace topowise
