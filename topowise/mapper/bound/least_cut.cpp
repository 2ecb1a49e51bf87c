// SPDX-License-Identifier: BSD-3-Clause
// There are four ways to bound what leaves the groups, from nothing but what they can hold. The best one counts:
//
// - Degrees. In a group that holds c ranks, at most c - 1 partners of a rank are with it: the heaviest, at best. The
//   others are outside.
// - Small sets. How many pairs of a few ranks can be partners follows from how many partners any two have in common
//   (small_sets).
// - Forests. If p groups are needed to hold all ranks, a spanning forest of the traffic with q trees has at least p - q
//   edges between groups, at least its lightest ones. The same holds for each of several forests without a common edge,
//   so all add up (Nash-Williams 1961). They are peeled off the traffic one after the other, heaviest edges first.
// - Products. In a product of paths, cycles and all-to-alls no group can keep more than a box of its size
//   (product_bound). Where only two axes are divided, it can keep no more than its cells cost (strip_prices).
//
// In groups of many ranks the first finds nothing, because all partners of a rank fit beside it; the third always finds
// something if the traffic is connected and does not fit into one group, but finds little: a flat piece of a mesh has a
// border that grows with the root of its size.
#include <topowise/mapper/bound/least_cut.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/bound/strip_prices.hpp>
#include <topowise/mapper/problem/product.hpp>

namespace topowise {

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

// There are two bounds of what stays inside of a group S of s ranks.
//
// Layers, for groups of up to some hundred ranks. Let the product be H x an axis of K, and let h of H hold n_h ranks of
// S. On its line they keep n_h - 1 edges at most (one more if the line is a full cycle), and together with the ranks of
// a neighbour h' of h they keep min(n_h, n_h'). With m_t the number of h that hold at least t ranks, that is s - m_1
// edges along the axis (and m_K more), and across it what m_1, m_2, ... vertices of H can keep, each for itself:
//
//   E(s) = max { sum_t E_H(m_t) + w (s - m_1) : m_1 >= m_2 >= ... >= m_K, sum_t m_t = s },
//
// axis by axis from one vertex on. For two axes it is exact (compression: B. Bollobas and I. Leader,
// "Edge-isoperimetric inequalities in the grid", Combinatorica 11, 1991). Along an axis on which any two exchange w'
// (an all-to-all, as among experts), layers of n and n' ranks have min(n, n') pairs at most, so the t-th largest keeps
// w' (t - 1) m_t with those before. Where the ring of data parallelism goes through all experts, it links the last rank
// of a layer to the first of the next, in each of the n rings that a layer is part of: min(m_t, n) links for each layer
// but the first, and min(m_K, 2 n) for the last of all, which has both of its neighbours. An all-to-all may also go
// over two axes, as over context and expert parallelism: then each of m_t has all ranks of the layers before as
// partners. The groups together keep the most of a sum of E over sizes that add up to all ranks.
//
// Entropies, for larger groups. Draw a rank of S at random. Its coordinate along axis i, given all others, has the
// entropy H_i = sum over the lines along i of (k / s) log k, where k ranks of S are on the line; and these add up to at
// most the entropy of the rank itself: sum of H_i <= log s (Han 1978). A line with k ranks of S keeps k - 1 edges at
// most, or all n of a full cycle: per rank (k - 1) / k, or 1. So per rank no group keeps more than
//
//   G(log s) = max { sum_i w_i g_i(x_i) : sum_i x_i <= log s },
//
// with g_i the least concave function above the points (log k, (k - 1) / k), or (log n, 1). It is made of segments, of
// which the steepest are taken first. Boxes reach it: k_i ranks along axis i are H_i = log k_i. For a hypercube it is
// the edge-isoperimetric inequality of Harper (1964). What a group keeps is a whole number of edges: it is rounded down
// where all axes weigh the same.

namespace {

/// A segment of what a rank keeps along an axis, by entropy.
struct Segment {
  double entropy = 0;
  double kept = 0;
  [[nodiscard]] double slope() const { return kept / entropy; }
};

struct Kept {
  double entropy = 0;
  double kept = 0;
};

/// What each of `count` ranks of a line keeps. A pair's bytes count a half for each of both.
Kept kept_on_line(const ProductAxis& axis, std::size_t count) {
  const auto k = static_cast<double>(count);
  const bool closed = axis.is_cycle && count == axis.size;
  return {std::log(k), (closed ? axis.weight : axis.weight * (k - 1) / k) + axis.of_all * (k - 1) / 2};
}

/// The upper hull of the points of all lines with up to `largest` ranks (Andrew 1979).
void add_hull(const ProductAxis& axis, std::size_t largest, std::vector<Segment>& segments) {
  std::vector<Kept> hull{{0, 0}};
  const auto slope = [](const Kept& from, const Kept& to) {
    return (to.kept - from.kept) / (to.entropy - from.entropy);
  };
  for (std::size_t k = 2; k <= std::min(axis.size, largest); ++k) {
    const Kept next = kept_on_line(axis, k);
    while (hull.size() > 1 && slope(hull.back(), next) >= slope(hull[hull.size() - 2], hull.back())) hull.pop_back();
    hull.push_back(next);
  }
  for (std::size_t i = 1; i < hull.size(); ++i)
    segments.push_back({hull[i].entropy - hull[i - 1].entropy, hull[i].kept - hull[i - 1].kept});
}

/// G, for groups of any size up to the one that the segments were made for.
class KeptByGroup {
 public:
  KeptByGroup(const Product& product, std::size_t largest) {
    for (const ProductAxis& axis : product.axes) {
      if (axis.weight > 0 || axis.of_all > 0) add_hull(axis, largest, segments_);
    }
    std::ranges::sort(segments_, std::greater<>(), &Segment::slope);
  }

  /// The most that each rank of a group of `ranks` keeps.
  [[nodiscard]] double of_rank(double ranks) const {
    constexpr double kRounding = 1 + 1e-13;
    double left = std::log(ranks) * kRounding;
    double kept = 0;
    for (const Segment& segment : segments_) {
      if (segment.entropy >= left) return (kept + left * segment.slope()) * kRounding;
      kept += segment.kept;
      left -= segment.entropy;
    }
    return kept * kRounding;
  }

 private:
  std::vector<Segment> segments_;
};

/// The weight of every edge; 0 if edges differ in weight.
double weight_of_edge(const Product& product) {
  double weight = 0;
  for (const ProductAxis& axis : product.axes) {
    if (axis.of_all > 0) return 0;
    if (axis.weight == 0) continue;
    if (weight != 0 && axis.weight != weight) return 0;
    weight = axis.weight;
  }
  return weight;
}

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// E: an upper bound of what 0, 1, ... ranks of a product can keep; kImpossible for more ranks than there are.
class KeptByLayers {
 public:
  KeptByLayers(const Product& product, std::size_t largest) : kept_(largest + 1, kImpossible) {
    kept_[0] = 0;
    if (largest > 0) kept_[1] = 0;
    Inner inner;
    for (const ProductAxis& axis : product.axes) {
      add(axis, inner);
      inner = {axis.stride, axis.size};
    }
  }

  [[nodiscard]] std::span<const double> by_size() const { return kept_; }

 private:
  /// The axis before.
  struct Inner {
    std::size_t stride = 1;  ///< as many chains of links go through a layer
    std::size_t size = 1;    ///< ranks of its lines
  };

  /// Adds an axis layer by layer; no layer is larger than the one before.
  void add(const ProductAxis& axis, Inner inner) {
    const std::size_t largest = kept_.size() - 1;
    // What `s` ranks keep if the last layer has at least m of them, by [s * width + m]: no layer has more than its
    // share of the largest group.
    std::size_t width = largest + 1;
    std::vector<double> before(width * width, kImpossible);
    for (std::size_t m = 0; m <= largest; ++m) before[m] = 0;  // no layer yet
    std::vector<double> most = kept_;
    for (std::size_t layer = 1; layer <= std::min(axis.size, largest); ++layer) {
      const std::size_t narrow = largest / layer + 1;
      std::vector<double> now((largest + 1) * narrow, kImpossible);
      const bool is_closed = axis.is_cycle && layer == axis.size;
      const double edges = (layer > 1 ? 1.0 : 0.0) + (is_closed ? 1.0 : 0.0);
      const double along = edges * axis.weight + static_cast<double>(layer - 1) * axis.of_all;
      for (std::size_t m = narrow - 1; m > 0; --m) {
        const std::size_t links =
            layer == 1 ? 0 : std::min(m, axis.is_ring && layer == axis.size ? 2 * inner.stride : inner.stride);
        const double own = kept_[m] + along * static_cast<double>(m) + axis.link * static_cast<double>(links);
        for (std::size_t s = layer * m; s <= largest; ++s) {
          const std::size_t partners = std::min(s - m, (layer - 1) * inner.size);  // in the layers before
          const double here = before[(s - m) * width + m] + own + axis.across * static_cast<double>(m * partners);
          const double wider = m + 1 < narrow ? now[s * narrow + m + 1] : kImpossible;
          now[s * narrow + m] = std::max(here, wider);
          most[s] = std::max(most[s], here);
        }
      }
      before = std::move(now);
      width = narrow;
    }
    kept_ = std::move(most);
  }

  std::vector<double> kept_;
};

/// The most that groups with `ranks` ranks together can keep, each of at most its capacity.
double kept_by_groups(std::span<const double> by_size, std::size_t ranks, std::span<const std::size_t> capacities) {
  std::vector<double> most(ranks + 1, kImpossible);
  most[0] = 0;
  for (const std::size_t capacity : capacities) {
    for (std::size_t all = ranks; all > 0; --all) {  // from the largest, so that each group counts once
      for (std::size_t size = 1; size <= std::min(capacity, all); ++size)
        most[all] = std::max(most[all], most[all - size] + by_size[size]);
    }
  }
  return most[ranks];
}

/// The same if groups may share a rank among them: then the least concave function above E counts, up to the capacity
/// of each group, and the steepest parts of all of them are taken first.
double kept_by_shares(std::span<const double> by_size, std::size_t ranks, std::span<const std::size_t> capacities) {
  struct Part {
    double slope = 0;
    double ranks = 0;  // of all groups of that capacity
  };
  std::vector<Part> parts;
  const auto slope = [&](std::size_t from, std::size_t to) {
    return (by_size[to] - by_size[from]) / static_cast<double>(to - from);
  };
  std::vector<std::size_t> hull{0};  // sizes, up to the capacity in question (Andrew 1979)
  for (std::size_t last = capacities.size(); last > 0;) {
    const std::size_t capacity = capacities[last - 1];
    const std::size_t end = last;
    while (last > 0 && capacities[last - 1] == capacity) --last;
    for (std::size_t size = hull.back() + 1; size <= capacity; ++size) {
      while (hull.size() > 1 && slope(hull.back(), size) >= slope(hull[hull.size() - 2], hull.back())) hull.pop_back();
      hull.push_back(size);
    }
    for (std::size_t i = 1; i < hull.size(); ++i)
      parts.push_back({slope(hull[i - 1], hull[i]), static_cast<double>((hull[i] - hull[i - 1]) * (end - last))});
  }
  std::ranges::stable_sort(parts, std::greater<>(), &Part::slope);
  double left = static_cast<double>(ranks);
  double kept = 0;
  for (const Part& part : parts) {
    const double taken = std::min(left, part.ranks);
    kept += taken * part.slope;
    left -= taken;
  }
  return kept;
}

double kept_in_small_groups(const Product& product, std::size_t ranks, std::span<const std::size_t> capacities) {
  constexpr std::size_t kMostSteps = 10'000'000;
  constexpr double kRounding = 1 + 1e-13;
  const KeptByLayers layers(product, capacities.front());
  const std::size_t sum = std::accumulate(capacities.begin(), capacities.end(), std::size_t{0});
  const bool is_small = ranks <= kMostSteps / sum;
  return kRounding * (is_small ? kept_by_groups(layers.by_size(), ranks, capacities)
                               : kept_by_shares(layers.by_size(), ranks, capacities));
}

double kept_in_large_groups(const Product& product, std::size_t ranks, std::size_t largest) {
  constexpr std::size_t kMostSizes = 4096;  // of groups whose edges are counted one by one
  const KeptByGroup kept(product, largest);
  double most = kept.of_rank(static_cast<double>(largest));
  if (const double edge = weight_of_edge(product); edge > 0 && largest <= kMostSizes) {
    most = 0;
    for (std::size_t size = 1; size <= largest; ++size) {
      const auto s = static_cast<double>(size);
      const double edges = std::floor(s * kept.of_rank(s) / edge + 1e-9);
      most = std::max(most, edges * edge / s);
    }
  }
  return static_cast<double>(ranks) * most;
}

}  // namespace

double product_cut(const Product& product, std::size_t ranks, std::span<const std::size_t> capacities) {
  constexpr std::size_t kSmallGroup = 256;
  std::vector<std::size_t> most(capacities.begin(), capacities.end());
  for (std::size_t& capacity : most) capacity = std::min(capacity, ranks);
  const bool is_small = most.front() <= kSmallGroup;
  Product along = product;  // entropies look at lines alone
  for (ProductAxis& axis : along.axes) axis.of_all += is_small ? 0 : axis.across;
  double all = 0;
  for (const ProductAxis& axis : along.axes) all += bytes_along(axis, ranks);
  if (!is_small) return std::max(0.0, all - kept_in_large_groups(along, ranks, most.front()));
  for (std::size_t i = 0; i < product.axes.size(); ++i)
    all += bytes_across(product, i, ranks) + bytes_of_links(product, i, ranks);
  return std::max(0.0, all - kept_in_small_groups(product, ranks, most));
}

class LeastCut::Parts {
 public:
  Parts(const Traffic& traffic, const Partners& partners)
      : ranks_(partners.ranks()),
        product_(find_product(traffic)),
        groups_(find_product_of_groups(traffic)),
        small_sets_(partners) {
    std::size_t pairs = 0;
    for (std::size_t r = 0; r < ranks_; ++r) pairs += partners.of(Rank(r)).size();
    std::vector<Edge> edges;
    edges.reserve(pairs / 2);
    std::vector<double> row;
    sorted_.reserve(pairs);
    first_.reserve(ranks_ + 1);
    first_.push_back(0);
    for (std::size_t r = 0; r < ranks_; ++r) {
      row.clear();
      for (const Partner& partner : partners.of(Rank(r))) {
        row.push_back(partner.both());
        if (partner.rank.index() > r)
          edges.push_back(
              {partner.both(), static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(partner.rank.index())});
      }
      std::ranges::sort(row, std::greater<>());
      sorted_.insert(sorted_.end(), row.begin(), row.end());
      first_.push_back(sorted_.size());
    }
    for (const Edge& edge : edges) all_ += edge.bytes;
    peel_forests(std::move(edges));
  }

  [[nodiscard]] double between(const GroupSizes& groups) const {
    return std::max({by_degree(groups), by_forests(groups), by_small_sets(groups), by_product(groups)});
  }

 private:
  struct Edge {
    double bytes;
    std::uint32_t a, b;
  };

  void peel_forests(std::vector<Edge> edges) {
    constexpr std::size_t kMostForests = 32;
    constexpr double kMostSteps = 2e7;
    const auto count = static_cast<double>(std::max<std::size_t>(1, edges.size()));
    const auto most = static_cast<std::size_t>(std::clamp(kMostSteps / count, 1.0, double{kMostForests}));
    std::ranges::stable_sort(edges, std::greater<>(), &Edge::bytes);
    while (!edges.empty() && forests_.size() < most) {
      DisjointSets trees(ranks_);
      std::vector<double>& forest = forests_.emplace_back();
      std::erase_if(edges, [&](const Edge& edge) {
        const bool joins = trees.join(edge.a, edge.b);
        if (joins) forest.push_back(edge.bytes);
        return joins;
      });
    }
  }

  [[nodiscard]] double by_degree(const GroupSizes& groups) const {
    double sum = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (std::size_t i = first_[r] + groups.largest - 1; i < first_[r + 1]; ++i) sum += sorted_[i];
    }
    return sum / 2;  // every pair was counted from both ends
  }

  [[nodiscard]] double by_forests(const GroupSizes& groups) const {
    double sum = 0;
    for (const std::vector<double>& forest : forests_) {
      const std::size_t trees = ranks_ - forest.size();
      if (groups.needed <= trees) continue;
      const auto lightest = static_cast<std::ptrdiff_t>(groups.needed - trees);
      sum = std::accumulate(forest.end() - lightest, forest.end(), sum);
    }
    return sum;
  }

  /// Takes every rank to keep the most that any rank can keep.
  [[nodiscard]] double by_small_sets(const GroupSizes& groups) const {
    constexpr std::size_t kLargest = 16;  // ranks; of larger groups it says little
    if (groups.largest == 1 || groups.largest > kLargest) return 0;
    double most = 0;
    for (std::size_t size = 2; size <= groups.largest; ++size)
      most = std::max(most, small_sets_.kept_by(size) / static_cast<double>(size));
    return all_ - most * static_cast<double>(ranks_) * (1 + 1e-13);
  }

  [[nodiscard]] double by_product(const GroupSizes& groups) const {
    double cut = 0;
    for (const std::optional<Product>* product : {&product_, &groups_})
      if (*product) cut = std::max(cut, product_cut(**product, ranks_, groups.capacities));
    return groups.is_full && product_ ? std::max(cut, strip_cut(*product_, ranks_, groups.largest)) : cut;
  }

  std::size_t ranks_;
  std::optional<Product> product_;
  std::optional<Product> groups_;
  SmallSets small_sets_;
  double all_ = 0;
  std::vector<double> sorted_;  ///< bytes with each partner, the most first, rank after rank
  std::vector<std::size_t> first_;
  std::vector<std::vector<double>> forests_;  ///< bytes of their edges, the most first
};

GroupSizes group_sizes(std::vector<std::size_t> capacities, std::size_t ranks) {
  std::ranges::sort(capacities, std::greater<>());
  GroupSizes groups{.count = capacities.size(), .largest = capacities.front()};
  std::size_t held = capacities.front();
  while (held < ranks && groups.needed < capacities.size()) held += capacities[groups.needed++];
  groups.is_full = capacities.back() == groups.largest && capacities.size() * groups.largest == ranks;
  groups.capacities = std::move(capacities);
  return groups;
}

LeastCut::LeastCut(const Traffic& traffic, const Partners& partners)
    : parts_(std::make_unique<const Parts>(traffic, partners)) {}
LeastCut::~LeastCut() = default;
LeastCut::LeastCut(LeastCut&&) noexcept = default;
LeastCut& LeastCut::operator=(LeastCut&&) noexcept = default;

double LeastCut::between(const GroupSizes& groups) const {
  return parts_->between(groups);
}

}  // namespace topowise
