// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A long list of whole numbers that takes as few bytes for each as its largest one needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace topowise {

/// Grows at its end, block by block, so growing never takes a second copy of the whole.
class PackedColumn {
 public:
  void push_back(std::uint64_t number) {
    if (number > largest_of(width_)) [[unlikely]]
      widen(number);
    if (size_ % kBlock == 0) begin_block();
    Block& block = blocks_.back();
    block.resize(block.size() + width_);
    store(block.data() + block.size() - width_, number, width_);
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return load(blocks_[i / kBlock].data() + (i % kBlock) * width_, width_);
  }

  /// Gives back the memory of the numbers before `i`, which are not asked for again.
  void forget_before(std::size_t i) {
    for (; forgotten_ < std::min(i, size_) / kBlock; ++forgotten_) blocks_[forgotten_] = Block();
  }

 private:
  using Block = std::vector<unsigned char>;
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  static constexpr std::uint64_t largest_of(unsigned width) {
    return width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
  }

  static std::uint64_t load(const unsigned char* at, unsigned width) {
    const auto as = [at]<class Number>(Number number) {
      std::memcpy(&number, at, sizeof(number));
      return static_cast<std::uint64_t>(number);
    };
    switch (width) {
      case 1:
        return *at;
      case 2:
        return as(std::uint16_t{0});
      case 3:
        return std::uint64_t{at[0]} | std::uint64_t{at[1]} << 8 | std::uint64_t{at[2]} << 16;
      case 4:
        return as(std::uint32_t{0});
      default:
        return as(std::uint64_t{0});
    }
  }

  static void store(unsigned char* at, std::uint64_t number, unsigned width) {
    const auto as = [at]<class Number>(Number narrow) { std::memcpy(at, &narrow, sizeof(narrow)); };
    switch (width) {
      case 1:
        *at = static_cast<unsigned char>(number);
        break;
      case 2:
        as(static_cast<std::uint16_t>(number));
        break;
      case 3:
        for (unsigned byte = 0; byte < 3; ++byte) at[byte] = static_cast<unsigned char>(number >> 8 * byte);
        break;
      case 4:
        as(static_cast<std::uint32_t>(number));
        break;
      default:
        as(number);
    }
  }

  void begin_block() {
    blocks_.emplace_back();
    if (blocks_.size() > 1) blocks_.back().reserve(kBlock * width_);
  }

  void widen(std::uint64_t number) {
    unsigned width = width_;
    while (number > largest_of(width)) width = width < 4 ? width + 1 : 8;
    for (Block& block : blocks_) {
      Block wide;
      wide.reserve(blocks_.size() > 1 && !block.empty() ? kBlock * width : 0);
      wide.resize(block.size() / width_ * width);
      for (std::size_t i = 0; i < block.size() / width_; ++i)
        store(wide.data() + i * width, load(block.data() + i * width_, width_), width);
      block = std::move(wide);
    }
    width_ = width;
  }

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;  ///< number of blocks given back, from the first
  unsigned width_ = 1;         ///< bytes of a number: 1 to 4, or 8
};

}  // namespace topowise
