// SPDX-License-Identifier: BSD-3-Clause
// How much a few ranks can exchange among themselves, by how their partners overlap.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// What limits the edges among few vertices of a graph.
struct Sparsity {
  std::size_t most_partners = 0;      ///< of a vertex
  std::size_t most_in_common = 0;     ///< partners of any two vertices
  bool overlap_known = false;         ///< whether `most_in_common` and the next two were looked at
  bool is_free_of_triangles = false;  ///< no two partners have a partner in common
  bool is_bipartite = false;
};

/// Edges among `size` vertices, at most.
[[nodiscard]] std::size_t most_edges(const Sparsity& graph, std::size_t size);

/// Graphs of the ranks, by the bytes of their pairs: all pairs that exchange at least so much are one graph.
class SmallSets {
 public:
  explicit SmallSets(const Partners& partners);

  /// Bytes that a set of `size` ranks keeps among itself, at most.
  [[nodiscard]] double kept_by(std::size_t size) const;

 private:
  struct Layer {
    double bytes = 0;  ///< that its edges exchange above those of the next layer
    Sparsity graph;
  };
  std::vector<Layer> layers_;
};

}  // namespace topowise
