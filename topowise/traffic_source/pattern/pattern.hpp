// SPDX-License-Identifier: BSD-3-Clause
// Communication patterns by name: pattern:NAME:DIMS[:KEY=VALUE...].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/graph/traffic/rank_range.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// The beginning of every TRAFFIC argument of this kind.
inline constexpr std::string_view kPatternPrefix = "pattern:";

/// For `topowise help patterns`: one row a pattern, one row a key.
struct PatternHelp {
  std::string_view name;
  std::string_view dims;  ///< how DIMS is written: "RxC"
  std::string_view help;  ///< one line
  std::string_view keys;  ///< names of the keys it takes, between blanks
};
struct PatternKeyHelp {
  std::string_view name;
  std::string_view help;  ///< one line, with the default
};
[[nodiscard]] std::vector<PatternHelp> pattern_help();
[[nodiscard]] std::vector<PatternKeyHelp> pattern_key_help();

/// Reads the whole argument, "pattern:" included. Throws Error(bad_input) that points into the argument.
[[nodiscard]] Traffic pattern_traffic(const std::string& argument);
/// The same. Diagnostics of what is unusual go to `warnings`.
[[nodiscard]] Traffic pattern_traffic(const std::string& argument, std::vector<Diagnostic>& warnings);
/// What the ranks of one piece send. Except for `llm`, the rest of the traffic is not made.
[[nodiscard]] TrafficRows pattern_rows(const std::string& argument, std::size_t piece, std::size_t pieces);
/// The same messages in the order in which each rank sends them, all ready at time 0, without messages of a rank to
/// itself.
[[nodiscard]] Exchange pattern_exchange(const std::string& argument);
/// That order in words: "dimension by dimension, downwards before upwards"; empty for llm, whose messages are not all
/// sent at once, and for an unknown pattern.
[[nodiscard]] std::string pattern_order(const std::string& argument);

}  // namespace topowise
