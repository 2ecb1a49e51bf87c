// SPDX-License-Identifier: BSD-3-Clause
// Tables in whole blocks of 64 bytes, as the widest vector instructions load them.
#pragma once

#include <cstddef>
#include <vector>

namespace topowise {

/// Numbers side by side in one aligned block, as many as the widest vectors hold.
template <class Number>
inline constexpr std::size_t kLanes = 64 / sizeof(Number);

template <class Number>
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t count) {
  return (count + kLanes<Number> - 1) / kLanes<Number> * kLanes<Number>;
}

/// Rows of numbers, each beginning on a block and filled up to whole blocks.
template <class Number>
class PaddedRows {
 public:
  PaddedRows() = default;
  PaddedRows(std::size_t rows, std::size_t columns, Number fill)
      : stride_(whole_blocks<Number>(columns)), blocks_(rows * stride_ / kLanes<Number>, Block(fill)) {}

  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] Number* operator[](std::size_t row) { return blocks_.data()->lane + row * stride_; }
  [[nodiscard]] const Number* operator[](std::size_t row) const { return blocks_.data()->lane + row * stride_; }

 private:
  struct alignas(64) Block {
    explicit Block(Number fill) {
      for (Number& number : lane) number = fill;
    }
    Number lane[kLanes<Number>];
  };
  std::size_t stride_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace topowise
