// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/gap_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace topowise::cli {

std::string gap_text(double value, double bound, std::string_view answer) {
  constexpr double kMostPercent = 100;
  constexpr int kMostDigits = 9;  // more are within the rounding of the sums
  const double percent = 100 * (value / bound - 1);
  if (!(percent <= kMostPercent)) return fmt::format("too weak to judge the {} by", answer);
  constexpr double kRounding = 1e-9;  // 3 % is not printed as 3.1 % because 3.0 / 0.1 is a hair above 30
  // One digit after the point, two significant ones where the gap is smaller than a tenth.
  int digits = 1;
  while (digits < kMostDigits && percent * std::pow(10.0, digits) < (digits == 1 ? 1.0 : 10.0) - kRounding) ++digits;
  const double unit = std::pow(10.0, -digits);
  const double rounded_up = std::max(1.0, std::ceil(percent / unit - kRounding)) * unit;
  return fmt::format("at most {:.{}f}% above the optimum", rounded_up, digits);
}

}  // namespace topowise::cli
