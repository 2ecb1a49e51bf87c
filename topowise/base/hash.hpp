// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a, 64 bits (G. Fowler, L. C. Noll, P. Vo): short names for long ones. Not for secrets, and not against malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topowise {

class Fnv1a {
 public:
  constexpr void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  /// Adds the lowest `bytes` bytes of a number, the lowest first.
  constexpr void add_number(std::uint64_t number, std::size_t bytes = 8) {
    for (std::size_t i = 0; i < bytes; ++i, number >>= 8) add_byte(static_cast<unsigned char>(number & 0xff));
  }
  /// Adds a number in one step, which is fast for many numbers. The result differs from FNV-1a over its bytes.
  constexpr void add_word(std::uint64_t word) { state_ = (state_ ^ word) * kPrime; }
  [[nodiscard]] constexpr std::uint64_t value() const { return state_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3ULL;

  constexpr void add_byte(unsigned char byte) { add_word(byte); }

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace topowise
