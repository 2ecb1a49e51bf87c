// SPDX-License-Identifier: BSD-3-Clause
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
// "Edge-isoperimetric inequalities in the grid", Combinatorica 11, 1991). The groups together keep the most of a sum of
// E over sizes that add up to all ranks.
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
#include <topowise/mapper/bound/product_bound.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace topowise {
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

/// What each of `count` ranks of a line keeps.
Kept kept_on_line(const ProductAxis& axis, std::size_t count) {
  const auto k = static_cast<double>(count);
  const bool closed = axis.is_cycle && count == axis.size;
  return {std::log(k), closed ? axis.weight : axis.weight * (k - 1) / k};
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
      if (axis.weight > 0) add_hull(axis, largest, segments_);
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
    for (const ProductAxis& axis : product.axes) add(axis);
  }

  [[nodiscard]] std::span<const double> by_size() const { return kept_; }

 private:
  /// Adds an axis layer by layer; no layer is larger than the one before.
  void add(const ProductAxis& axis) {
    const std::size_t largest = kept_.size() - 1;
    // What `s` ranks keep if the last layer has at least m of them, by [s * (largest + 1) + m].
    const std::size_t row = largest + 1;
    std::vector<double> before(row * row, kImpossible);
    for (std::size_t m = 0; m <= largest; ++m) before[m] = 0;  // no layer yet
    std::vector<double> most = kept_;
    for (std::size_t layer = 1; layer <= std::min(axis.size, largest); ++layer) {
      std::vector<double> now(row * row, kImpossible);
      for (std::size_t m = largest / layer; m > 0; --m) {
        const bool is_closed = axis.is_cycle && layer == axis.size;
        const double along = (layer > 1 ? 1.0 : 0.0) + (is_closed ? 1.0 : 0.0);
        const double own = kept_[m] + along * axis.weight * static_cast<double>(m);
        for (std::size_t s = layer * m; s <= largest; ++s) {
          const double here = before[(s - m) * row + m] + own;
          const double wider = m < largest ? now[s * row + m + 1] : kImpossible;
          now[s * row + m] = std::max(here, wider);
          most[s] = std::max(most[s], here);
        }
      }
      before = std::move(now);
    }
    kept_ = std::move(most);
  }

  std::vector<double> kept_;
};

/// The most that `groups` groups with `ranks` ranks together can keep.
double kept_by_groups(std::span<const double> by_size, std::size_t ranks, std::size_t groups) {
  std::vector<double> most(ranks + 1, kImpossible);
  most[0] = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t all = ranks; all > 0; --all) {  // from the largest, so that each group counts once
      for (std::size_t size = 1; size < by_size.size() && size <= all; ++size)
        most[all] = std::max(most[all], most[all - size] + by_size[size]);
    }
  }
  return most[ranks];
}

/// The same if groups may share a rank among them: then the least concave function above E counts.
double kept_by_shares(std::span<const double> by_size, std::size_t ranks, std::size_t groups) {
  const auto slope = [&](std::size_t from, std::size_t to) {
    return (by_size[to] - by_size[from]) / static_cast<double>(to - from);
  };
  const double share = static_cast<double>(ranks) / static_cast<double>(groups);
  std::size_t at = 0;
  while (at + 1 < by_size.size()) {
    std::size_t next = at + 1;
    for (std::size_t size = at + 2; size < by_size.size(); ++size)
      if (slope(at, size) >= slope(at, next)) next = size;
    if (static_cast<double>(next) >= share || next + 1 == by_size.size())
      return static_cast<double>(groups) * (by_size[at] + slope(at, next) * (share - static_cast<double>(at)));
    at = next;
  }
  return 0;
}

double kept_in_small_groups(const Product& product, std::size_t ranks, std::size_t largest, std::size_t groups) {
  constexpr std::size_t kMostSteps = 1'000'000;
  constexpr double kRounding = 1 + 1e-13;
  const KeptByLayers layers(product, std::min(largest, ranks));
  const std::span<const double> by_size = layers.by_size();
  const bool is_small = ranks <= kMostSteps / (groups * by_size.size());
  return kRounding * (is_small ? kept_by_groups(by_size, ranks, groups) : kept_by_shares(by_size, ranks, groups));
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

double product_cut(const Product& product, std::size_t ranks, std::size_t largest, std::size_t groups) {
  constexpr std::size_t kSmallGroup = 256;
  double all = 0;
  for (const ProductAxis& axis : product.axes) all += axis.weight * edges_along(axis, ranks);
  groups = std::max(groups, (ranks + largest - 1) / largest);
  const double kept = largest <= kSmallGroup ? kept_in_small_groups(product, ranks, largest, groups)
                                             : kept_in_large_groups(product, ranks, largest);
  return std::max(0.0, all - kept);
}

}  // namespace topowise
