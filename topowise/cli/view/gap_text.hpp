// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace topowise::cli {

/// How far an answer can be from the optimum, by its lower bound: "at most 3.0% above the optimum", rounded up, so that
/// it is true. Where the answer is more than twice its bound: "too weak to judge the mapping by"; `answer` says what
/// was found. The bound must be above 0.
[[nodiscard]] std::string gap_text(double value, double bound, std::string_view answer);

}  // namespace topowise::cli
