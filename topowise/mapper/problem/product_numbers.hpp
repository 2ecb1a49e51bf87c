// SPDX-License-Identifier: BSD-3-Clause
// Traffic whose ranks are a product in another order: shuffled, or as a batch system numbered them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// The rank with coordinates c_i has the number c_0 + size_0 (c_1 + size_1 (c_2 + ...)).
struct ProductNumbers {
  std::vector<std::size_t> sizes;     ///< of the axes
  std::vector<std::uint32_t> number;  ///< of every rank
};

/// Numbers the ranks in the order of a product of paths and cycles. What is sent along the axes is not looked at.
/// Nothing if neither the heaviest pairs that join all ranks nor all pairs form such a product.
[[nodiscard]] std::optional<ProductNumbers> number_as_product(const Traffic& traffic);

}  // namespace topowise
