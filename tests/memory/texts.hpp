// SPDX-License-Identifier: BSD-3-Clause
// Large texts that are hard to read in little memory: short lines, many words, many elements.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace topowise::test {

/// A text with a beginning, a repeated part, and an end. '@' in the part stands for the number of the repetition.
struct LargeText {
  std::string_view format;  ///< the format that reads it; empty: any
  std::string_view begin;
  std::string_view part;
  std::string_view end;
  std::size_t own = 0;  ///< bytes of the result for each part, beside the reading: a host, a pair of ranks

  /// A text of about `size` bytes.
  [[nodiscard]] std::string make(std::size_t size) const;
  /// How many parts a text of this size has.
  [[nodiscard]] std::size_t parts(std::size_t size) const;
};

/// The texts of the topology formats, and of the traffic formats.
[[nodiscard]] std::span<const LargeText> large_topology_texts();
[[nodiscard]] std::span<const LargeText> large_traffic_texts();
/// The texts that every format may be given.
[[nodiscard]] std::span<const LargeText> large_texts();

}  // namespace topowise::test
