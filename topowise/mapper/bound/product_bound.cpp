// SPDX-License-Identifier: BSD-3-Clause
// What stays inside of a group S of s ranks. Draw a rank of S at random. Its coordinate along axis i, given all others,
// has the entropy H_i = sum over the lines along i of (k / s) log k, where k ranks of S are on the line; and these add
// up to at most the entropy of the rank itself: sum of H_i <= log s (Han 1978). A line with k ranks of S keeps k - 1
// edges at most, or all n of a full cycle: per rank (k - 1) / k, or 1. So per rank no group keeps more than
//
//   G(log s) = max { sum_i w_i g_i(x_i) : sum_i x_i <= log s },
//
// with g_i the least concave function above the points (log k, (k - 1) / k), or (log n, 1). It is made of segments, of
// which the steepest are taken first. Boxes reach it: k_i ranks along axis i are H_i = log k_i. Of a hypercube it is
// the edge-isoperimetric inequality of Harper (1964). What a group keeps is a whole number of edges: it is rounded down
// where all axes weigh the same.
#include <topowise/mapper/bound/product_bound.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace topowise {
namespace {

/// Of what a rank keeps along an axis, by entropy.
struct Segment {
  double entropy = 0;
  double kept = 0;
  [[nodiscard]] double slope() const { return kept / entropy; }
};

struct Kept {
  double entropy = 0;
  double kept = 0;
};

/// Of `count` ranks of a line, each.
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

  /// Of each of `ranks` ranks.
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

/// What all edges weigh; 0 if that differs.
double weight_of_edge(const Product& product) {
  double weight = 0;
  for (const ProductAxis& axis : product.axes) {
    if (axis.weight == 0) continue;
    if (weight != 0 && axis.weight != weight) return 0;
    weight = axis.weight;
  }
  return weight;
}

}  // namespace

double product_cut(const Product& product, std::size_t ranks, std::size_t largest) {
  constexpr std::size_t kMostSizes = 4096;  // of groups whose edges are counted one by one
  double all = 0;
  for (const ProductAxis& axis : product.axes) all += axis.weight * edges_along(axis, ranks);
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
  return std::max(0.0, all - static_cast<double>(ranks) * most);
}

}  // namespace topowise
