// SPDX-License-Identifier: BSD-3-Clause
// How little a product of paths and cycles can be cut.
#pragma once

#include <cstddef>

#include <topowise/mapper/problem/product.hpp>

namespace topowise {

/// Bytes between ranks of different groups of a product of `ranks`, at least, if there are at most `groups` and none
/// has more than `largest`. Tight where boxes of that size, of the best shape, fill the product.
[[nodiscard]] double product_cut(const Product& product, std::size_t ranks, std::size_t largest, std::size_t groups);

}  // namespace topowise
