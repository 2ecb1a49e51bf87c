// SPDX-License-Identifier: BSD-3-Clause
// A set of ranks keeps the sum over thresholds of what its edges have above them: with w_1 > w_2 > ... the weights of
// pairs and H_i the graph of all pairs of at least w_i, sum of (w_i - w_i+1) x edges of H_i in the set. Each graph is
// bounded alone, by what can be seen from every rank: how many partners it has, and how many any two have in common.
//
// - Pairs of partners. A vertex with d partners in the set is common to d (d - 1) / 2 pairs, and each pair has at most
//   c in common: sum of d_v (d_v - 1) <= c s (s - 1) (Reiman 1958; Kovari, Sos and Turan 1954).
// - Without triangles there are at most s^2 / 4 edges (Mantel 1907).
// - In a bipartite graph, a vertices on one side and b on the other: sum over the a of d_v (d_v - 1) <= c b (b - 1),
//   and the other way round.
//
// So eight vertices of a three-dimensional grid have at most the twelve edges of a cube. The bound says little about
// large sets.
#include <topowise/mapper/bound/small_sets.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

namespace topowise {
namespace {

/// Partners of all ranks in one of the graphs.
struct Rows {
  std::vector<std::size_t> first{0};
  std::vector<std::uint32_t> all;

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t v) const {
    return std::span(all).subspan(first[v], first[v + 1] - first[v]);
  }
};

Rows rows_of(const Partners& partners, double least) {
  Rows rows;
  rows.first.reserve(partners.ranks() + 1);
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    for (const Partner& partner : partners.of(Rank(r))) {
      if (partner.both() >= least) rows.all.push_back(static_cast<std::uint32_t>(partner.rank.index()));
    }
    rows.first.push_back(rows.all.size());
  }
  return rows;
}

bool is_bipartite(const Rows& rows) {
  std::vector<std::uint8_t> side(rows.size(), 0);  // 0: not seen
  std::vector<std::uint32_t> seen;
  for (std::size_t start = 0; start < rows.size(); ++start) {
    if (side[start] != 0) continue;
    side[start] = 1;
    seen.assign(1, static_cast<std::uint32_t>(start));
    while (!seen.empty()) {
      const std::uint32_t v = seen.back();
      seen.pop_back();
      for (const std::uint32_t to : rows.of(v)) {
        if (side[to] == side[v]) return false;
        if (side[to] != 0) continue;
        side[to] = static_cast<std::uint8_t>(3 - side[v]);
        seen.push_back(to);
      }
    }
  }
  return true;
}

/// Looks at all ways of two steps.
void look_at_overlap(const Rows& rows, Sparsity& graph) {
  std::vector<std::uint32_t> common(rows.size(), 0);
  graph.is_free_of_triangles = true;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (const std::uint32_t between : rows.of(v)) {
      for (const std::uint32_t to : rows.of(between)) {
        if (to != v) graph.most_in_common = std::max<std::size_t>(graph.most_in_common, ++common[to]);
      }
    }
    for (const std::uint32_t partner : rows.of(v)) {
      if (common[partner] > 0) graph.is_free_of_triangles = false;
    }
    for (const std::uint32_t between : rows.of(v)) {
      for (const std::uint32_t to : rows.of(between)) common[to] = 0;
    }
  }
  graph.is_bipartite = graph.is_free_of_triangles && is_bipartite(rows);
  graph.overlap_known = true;
}

Sparsity sparsity_of(const Rows& rows, double& steps_left) {
  Sparsity graph;
  double steps = 0;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    graph.most_partners = std::max(graph.most_partners, rows.of(v).size());
    for (const std::uint32_t between : rows.of(v)) steps += static_cast<double>(rows.of(between).size());
  }
  if (steps > steps_left) return graph;
  steps_left -= steps;
  look_at_overlap(rows, graph);
  return graph;
}

/// The largest sum of d_v over `count` vertices, each at most `most`, if the sum of d_v (d_v - 1) is at most `pairs`.
std::size_t sum_of_degrees(std::size_t count, std::size_t most, std::size_t pairs) {
  std::size_t degree = 0;  // of every vertex; then some get one more, which costs 2 d each
  std::size_t used = 0;
  while (degree < most && used + count * 2 * degree <= pairs) used += count * 2 * degree++;
  const std::size_t more = degree == most || degree == 0 ? 0 : std::min(count, (pairs - used) / (2 * degree));
  return count * degree + more;
}

std::size_t most_edges_between(const Sparsity& graph, std::size_t a, std::size_t b) {
  const auto one_way = [&](std::size_t here, std::size_t there) {
    return sum_of_degrees(here, std::min(there, graph.most_partners), graph.most_in_common * there * (there - 1));
  };
  return a == 0 || b == 0 ? 0 : std::min(one_way(a, b), one_way(b, a));
}

/// The different bytes of all pairs, the most first. If there are many, those within a factor of two count as the
/// largest of them.
std::vector<double> thresholds(const Partners& partners) {
  constexpr std::size_t kMost = 8;
  std::vector<double> few;
  std::vector<double> octaves(4096, 0.0);
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    for (const Partner& partner : partners.of(Rank(r))) {
      const double bytes = partner.both();
      if (few.size() <= kMost && std::ranges::find(few, bytes) == few.end()) few.push_back(bytes);
      double& octave = octaves[static_cast<std::size_t>(std::clamp(std::ilogb(bytes) + 2048, 0, 4095))];
      octave = std::max(octave, bytes);
    }
  }
  if (few.size() > kMost) {
    few.clear();
    std::ranges::copy_if(octaves, std::back_inserter(few), [](double bytes) { return bytes > 0; });
  }
  std::ranges::sort(few, std::greater<>());
  return few;
}

}  // namespace

std::size_t most_edges(const Sparsity& graph, std::size_t size) {
  std::size_t edges = std::min(size * (size - 1) / 2, size * graph.most_partners / 2);
  if (!graph.overlap_known) return edges;
  const std::size_t pairs = graph.most_in_common * size * (size - 1);
  edges = std::min(edges, sum_of_degrees(size, std::min(size - 1, graph.most_partners), pairs) / 2);
  if (graph.is_free_of_triangles) edges = std::min(edges, size * size / 4);
  if (!graph.is_bipartite) return edges;
  std::size_t between = 0;
  for (std::size_t a = 1; a <= size / 2; ++a) between = std::max(between, most_edges_between(graph, a, size - a));
  return std::min(edges, between);
}

SmallSets::SmallSets(const Partners& partners) {
  double steps_left = 5e7;
  const std::vector<double> weights = thresholds(partners);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // An edge of this class has at most weights[i]; it is in this graph if it has more than the next class.
    const double next = i + 1 < weights.size() ? weights[i + 1] : 0;
    const double least = std::nextafter(next, std::numeric_limits<double>::infinity());
    layers_.push_back({weights[i] - next, sparsity_of(rows_of(partners, least), steps_left)});
  }
}

double SmallSets::kept_by(std::size_t size) const {
  double kept = 0;
  for (const Layer& layer : layers_) kept += layer.bytes * static_cast<double>(most_edges(layer.graph, size));
  return kept;
}

}  // namespace topowise
