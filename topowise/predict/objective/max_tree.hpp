// SPDX-License-Identifier: BSD-3-Clause
// The largest of many numbers that change one at a time.
#pragma once

#include <algorithm>
#include <vector>

namespace topowise {

/// A tournament tree: every inner node holds the larger of its two children. set() takes O(log n), largest() O(1).
class MaxTree {
 public:
  explicit MaxTree(std::size_t size) : leaves_(std::max<std::size_t>(size, 1)), node_(2 * leaves_, 0.0) {}

  [[nodiscard]] double operator[](std::size_t i) const { return node_[leaves_ + i]; }
  [[nodiscard]] double largest() const { return node_[1]; }

  void set(std::size_t i, double value) {
    std::size_t at = leaves_ + i;
    node_[at] = value;
    for (at /= 2; at > 0; at /= 2) {
      const double winner = std::max(node_[2 * at], node_[2 * at + 1]);
      if (node_[at] == winner) return;
      node_[at] = winner;
    }
  }

 private:
  std::size_t leaves_;
  std::vector<double> node_;
};

}  // namespace topowise
