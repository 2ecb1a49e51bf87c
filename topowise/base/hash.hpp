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
  /// The lowest `bytes` bytes of a number, the lowest first.
  constexpr void add_number(std::uint64_t number, std::size_t bytes = 8) {
    for (std::size_t i = 0; i < bytes; ++i, number >>= 8) add_byte(static_cast<unsigned char>(number & 0xff));
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return state_; }

 private:
  constexpr void add_byte(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace topowise
