// SPDX-License-Identifier: BSD-3-Clause
// The first line of a METIS graph file. Only metis*.cpp include this.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace topowise::metis {

struct Header {
  std::size_t vertices = 0;
  std::size_t edges = 0;
  std::size_t skipped = 0;  ///< numbers before the neighbours: vertex size and weights
  bool weighted = false;
};

/// The header; nothing if the words are no such line.
[[nodiscard]] std::optional<Header> parse_header(const std::vector<std::string_view>& words);

}  // namespace topowise::metis
