// SPDX-License-Identifier: BSD-3-Clause
// How many bytes leave groups of ranks, whoever is in which.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/mapper/problem/product.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Groups of places that divide the machine, as far as bounds look at them.
struct GroupSizes {
  std::size_t count = 1;                   ///< of groups
  std::size_t needed = 1;                  ///< groups that are needed to hold all ranks
  std::size_t largest = 1;                 ///< ranks that the largest group holds
  bool is_full = false;                    ///< every group has to hold exactly `largest` ranks
  std::vector<std::size_t> capacities{1};  ///< ranks that each group holds, the most first
};

/// `capacities`: ranks that each group can hold.
[[nodiscard]] GroupSizes group_sizes(std::vector<std::size_t> capacities, std::size_t ranks);

class LeastCut {
 public:
  /// O(messages log messages).
  LeastCut(const Traffic& traffic, const Partners& partners);
  ~LeastCut();
  LeastCut(LeastCut&&) noexcept;
  LeastCut& operator=(LeastCut&&) noexcept;

  /// Bytes between ranks of different groups, both directions, at least. O(messages).
  [[nodiscard]] double between(const GroupSizes& groups) const;

 private:
  class Parts;
  std::unique_ptr<const Parts> parts_;
};

// How little a product of paths and cycles can be cut.

/// Bytes between ranks of different groups of a product of `ranks`, at least, if each group has at most so many as
/// `capacities` says, the most first. Tight where boxes of these sizes, of the best shape, fill the product.
[[nodiscard]] double product_cut(const Product& product, std::size_t ranks, std::span<const std::size_t> capacities);

// How much a few ranks can exchange among themselves, by how their partners overlap.

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
