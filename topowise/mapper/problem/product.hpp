// SPDX-License-Identifier: BSD-3-Clause
// Traffic that contains a Cartesian product of paths and cycles: stencils, tori, hypercubes, and training jobs whose
// ranks are the combinations of a pipeline stage, a replica and a shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

// Traffic whose ranks are a product in another order: shuffled, or as a batch system numbered them.

/// The rank with coordinates c_i has the number c_0 + size_0 (c_1 + size_1 (c_2 + ...)).
struct ProductNumbers {
  std::vector<std::size_t> sizes;     ///< of the axes
  std::vector<std::uint32_t> number;  ///< of every rank
};

/// Numbers the ranks in the order of a product of paths and cycles. What is sent along the axes is not looked at.
/// Nothing if neither the heaviest pairs that join all ranks nor all pairs form such a product.
[[nodiscard]] std::optional<ProductNumbers> number_as_product(const Traffic& traffic);

/// Ranks that differ in one coordinate only, by `stride`, exchange at least `weight` if they are neighbours along it.
struct ProductAxis {
  std::size_t size = 1;
  std::size_t stride = 1;
  double weight = 0;      ///< bytes of a pair, both directions; 0 on an axis along which nothing is sent
  bool is_cycle = false;  ///< the last and the first are neighbours, too; false for an axis of two ranks
  // Only find_product_of_groups gives these:
  double of_all = 0;  ///< what any two ranks of a line exchange, besides
  double link = 0;    ///< what the last rank of a line of the axis before and the first of the next line exchange
  double across = 0;  ///< what any two ranks of different lines of the axis before exchange, on one line of this axis
  bool is_ring = false;  ///< so do the last of the last line and the first of the first
};

/// The rank with coordinates c_i has the number that is the sum of c_i x stride_i.
struct Product {
  std::vector<ProductAxis> axes;      ///< the one with the shortest stride first; sizes are above 1
  bool is_whole = false;              ///< nothing else is sent, and every pair of neighbours exchanges the same
  std::vector<std::uint32_t> number;  ///< of every rank; empty if that is the rank itself

  [[nodiscard]] std::size_t number_of(std::size_t rank) const { return number.empty() ? rank : number[rank]; }
};

/// Nothing if the partners of rank 0 are not those of a product in the order of ranks, or neighbours of others do not
/// exchange anything, and there is no other order either. If both orders have a product, takes the one along whose axes
/// more bytes go, unless the one in the order of ranks is whole.
[[nodiscard]] std::optional<Product> find_product(const Traffic& traffic);

/// A product in the order of ranks of which an axis may be an all-to-all, as among experts, or be shorter than the ring
/// through it, as where the ring of data parallelism goes on from one group of experts to the next. Nothing if there is
/// no such axis: then find_product says as much.
[[nodiscard]] std::optional<Product> find_product_of_groups(const Traffic& traffic);

/// Bytes along an axis in a product of that many ranks, without links.
[[nodiscard]] double bytes_along(const ProductAxis& axis, std::size_t ranks);

/// Bytes of what any two ranks of different lines of the axis before exchange.
[[nodiscard]] double bytes_across(const Product& product, std::size_t axis, std::size_t ranks);

/// Bytes of the links from line to line of the axis before.
[[nodiscard]] double bytes_of_links(const Product& product, std::size_t axis, std::size_t ranks);

/// Edges of an axis in a product of that many ranks.
[[nodiscard]] double edges_along(const ProductAxis& axis, std::size_t ranks);

}  // namespace topowise
