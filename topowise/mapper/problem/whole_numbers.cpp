// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/whole_numbers.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>

namespace topowise {

bool is_exact_whole(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return number == std::floor(number) && std::abs(number) <= kExact;
}

double common_divisor(std::span<const double> numbers) {
  std::int64_t divisor = 0;
  for (const double number : numbers) {
    if (!is_exact_whole(number)) return 0;
    divisor = std::gcd(divisor, static_cast<std::int64_t>(number));
  }
  return static_cast<double>(divisor);
}

}  // namespace topowise
