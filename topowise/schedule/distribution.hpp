// SPDX-License-Identifier: BSD-3-Clause
// How often each makespan occurs among many orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace topowise {

/// Counts positive values by value. Memory is bounded: above about two million different values, neighbours are merged,
/// at first those that agree in 40 bits of the mantissa.
class Distribution {
 public:
  void add(double value, double count) {
    entries_.push_back({value, count});
    if (entries_.size() >= kMost) compress();
  }

  [[nodiscard]] double count() const;
  /// The value below which the share `share` of the count lies; 0 if nothing was counted.
  [[nodiscard]] double quantile(double share) const;
  /// Counts in `bins` equal parts between the smallest and the largest value.
  struct Bin {
    double low = 0;
    double high = 0;
    double count = 0;
  };
  [[nodiscard]] std::vector<Bin> histogram(std::size_t bins) const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  struct Entry {
    double value = 0;
    double count = 0;
  };
  void compress();
  std::vector<Entry> entries_;
  int dropped_bits_ = 12;
};

}  // namespace topowise
