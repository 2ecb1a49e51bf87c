// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a mapper makes small, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// A number by which a mapping is judged. Lower is better, always.
enum class Objective : unsigned char {
  hop_bytes,       ///< sum over ordered pairs of bytes x pair cost
  max_congestion,  ///< seconds that the fullest link needs: its bytes over its bandwidth
  predicted_time,  ///< seconds until the last message has arrived, under congestion
  mix,             ///< a weighted sum of the first two
};

/// "hop-bytes", "max-congestion", "predicted-time", "mix"
[[nodiscard]] std::string_view to_string(Objective objective);
/// Nothing for another word.
[[nodiscard]] std::optional<Objective> parse_objective(std::string_view text);
/// All of them.
[[nodiscard]] std::vector<std::string> objective_names();

}  // namespace topowise
