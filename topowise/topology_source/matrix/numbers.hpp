// SPDX-License-Identifier: BSD-3-Clause
// Files that are nothing but numbers: text, CSV, MatrixMarket, QAPLIB.
#pragma once

#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/matrix/values.hpp>

namespace topowise {

[[nodiscard]] bool looks_like_numbers(const TextLines& lines);

/// Reads distances, unless a comment or a header says bandwidth (GB/s) or latency (us). Throws Error(bad_input).
[[nodiscard]] PairValues read_numbers(const TextLines& lines);

/// Throws Error(bad_input) unless every pair has a value.
[[nodiscard]] PairValues read_matrix_market(const TextLines& lines, std::string_view text);

}  // namespace topowise
