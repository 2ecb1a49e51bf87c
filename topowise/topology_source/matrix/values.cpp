// SPDX-License-Identifier: BSD-3-Clause
// Finds classes in numbers. Measurements scatter by a few percent, and wires of different kinds differ by factors. So
// the sorted values fall into clusters: a new cluster begins where a value differs by more than kGap from its
// neighbour. Both directions of a pair are of one class, that of their mean. A plain distance matrix is exact and has
// few distinct values, so each value is a class.
#include <topowise/topology_source/matrix/values.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr double kGap = 1.15;
/// Up to this many distinct distances are classes of their own.
constexpr std::size_t kMostExact = 64;
/// Above this many places measured rates are kept as matrices only, because a link for each pair would be too many.
constexpr std::size_t kMostLinked = 512;

double both_ways(const StatedValues& stated, std::size_t n, std::size_t a, std::size_t b) {
  const double there = stated.values[a * n + b];
  const double back = stated.values[b * n + a];
  if (std::isnan(there)) return back;
  return std::isnan(back) ? there : (there + back) / 2;
}

/// The number of the class of each distinct value of the pairs that `counts`, from `first` on, nearest first.
template <class Counts>
std::map<double, int> cluster(const StatedValues& stated, std::size_t n, Metric metric, int first, Counts counts) {
  std::vector<double> values;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const double value = both_ways(stated, n, a, b);
      if (!std::isnan(value) && counts(a, b)) values.push_back(value);
    }
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (metric == Metric::bandwidth) std::ranges::reverse(values);  // the fastest pair is the nearest
  const bool exact = metric == Metric::distance && values.size() <= kMostExact;
  std::map<double, int> number;
  int current = first - 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool apart =
        i == 0 || exact || std::max(values[i], values[i - 1]) > kGap * std::min(values[i], values[i - 1]);
    if (apart) ++current;
    number[values[i]] = current;
  }
  return number;
}

/// The metric that decides the classes.
Metric leading_metric(const PairValues& values) {
  if (values.of(Metric::distance)) return Metric::distance;
  return values.of(Metric::bandwidth) ? Metric::bandwidth : Metric::latency;
}

void set_classes(TopologyBuilder& builder, const PairValues& values, Warnings& warnings) {
  const Metric metric = leading_metric(values);
  const StatedValues& stated = *values.of(metric);
  const std::size_t n = values.items.size();
  // What stays inside a host is nearer than what leaves it, whatever was measured.
  const auto leaves = [&](std::size_t a, std::size_t b) { return values.items[a].node != values.items[b].node; };
  const std::map<double, int> inside =
      cluster(stated, n, metric, 1, [&](std::size_t a, std::size_t b) { return !leaves(a, b); });
  int farthest = 0;
  for (const auto& [value, cls] : inside) farthest = std::max(farthest, cls);
  const std::map<double, int> between = cluster(stated, n, metric, farthest + 1, leaves);
  for (const auto& [value, cls] : between) farthest = std::max(farthest, cls);
  farthest = std::max(farthest, 1);
  std::size_t unknown = 0;
  std::string example;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const double value = both_ways(stated, n, a, b);
      if (std::isnan(value) && unknown++ == 0)
        example = fmt::format("{} and {}", values.items[a].name, values.items[b].name);
      builder.set_class(
          Place(a), Place(b),
          {PathKind::measured, std::isnan(value) ? farthest : (leaves(a, b) ? between : inside).find(value)->second});
    }
  }
  if (unknown > 0)
    warnings.add(fmt::format("{}: no {} for {} of {} pairs ({}, ...); they are put into the farthest class",
                             to_string(stated.source), to_string(metric), unknown, n * (n - 1) / 2, example));
}

/// True if every pair has a value. Also sets the diagonal to 0.
bool complete(std::vector<double>& values, std::size_t n) {
  bool all = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / n == i % n) values[i] = 0.0;
    all = all && !std::isnan(values[i]);
  }
  return all;
}

void add_links(TopologyBuilder& builder, const PairValues& values, const std::vector<VertexId>& vertices) {
  const std::optional<StatedValues>& bandwidth = values.of(Metric::bandwidth);
  const std::optional<StatedValues>& latency = values.of(Metric::latency);
  const std::size_t n = vertices.size();
  if ((!bandwidth && !latency) || n > kMostLinked) return;
  const auto at = [](const std::optional<StatedValues>& stated, std::size_t i) {
    return stated && !std::isnan(stated->values[i]) ? stated->values[i] : 0.0;
  };
  for (std::size_t i = 0; i < n * n; ++i) {
    const double rate = at(bandwidth, i);
    const double time = at(latency, i);
    if (i / n == i % n || (rate == 0 && time == 0)) continue;
    builder.add_link({.from = vertices[i / n],
                      .to = vertices[i % n],
                      .kind = LinkKind::abstract,
                      .bandwidth = BytesPerSecond(rate),
                      .latency = Seconds(time),
                      .source = bandwidth ? bandwidth->source : latency->source});
  }
}

}  // namespace

bool is_no_finite_number(std::string_view cell) {
  const std::string word = lower(cell.substr(0, 9));
  return word == "nan" || word == "inf" || word == "infinity";
}

bool is_absent(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "X" || cell == "x" || lower(cell.substr(0, 4)) == "n/a" ||
         is_no_finite_number(cell);
}

Topology build_topology(const std::string& name, const PairValues& values, Warnings& warnings) {
  TopologyBuilder builder(name);
  const std::size_t n = values.items.size();
  const VertexKind kind = values.kind == PlaceKind::gpu ? VertexKind::gpu : VertexKind::group;
  std::vector<VertexId> vertices;
  for (const PairValues::Item& item : values.items) {
    vertices.push_back(builder.add_vertex(
        {.kind = kind, .name = item.name, .pci = item.pci, .node = item.node, .number = item.number}));
    builder.add_place(values.kind, vertices.back());
  }
  set_classes(builder, values, warnings);
  for (const auto& [a, b] : values.without_peer_access) builder.refuse_peer_access(Place(a), Place(b));
  add_links(builder, values, vertices);
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    const std::optional<StatedValues>& stated = values.of(metric);
    if (!stated) continue;
    PairMatrix matrix{stated->values, stated->source};
    if (complete(matrix.values, n)) {
      builder.set_pair_matrix(metric, std::move(matrix));
    } else if (metric == Metric::distance) {
      throw bad_input(fmt::format("{}: the distance matrix lacks some pairs", name));
    }
  }
  warnings.pass_to(builder);
  return std::move(builder).build();
}

}  // namespace topowise
