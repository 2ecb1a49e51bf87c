// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace topowise {

/// Whether the number is whole, and one that a double holds exactly.
[[nodiscard]] bool is_exact_whole(double number);

/// Greatest common divisor of all numbers, 0 if one of them is not a whole number that a double holds exactly.
[[nodiscard]] double common_divisor(std::span<const double> numbers);

}  // namespace topowise
