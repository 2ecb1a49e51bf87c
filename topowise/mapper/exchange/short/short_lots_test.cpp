// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_lots.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <topowise/mapper/exchange/short/short_entries.hpp>

using namespace topowise;

TEST_CASE("lots are logarithms of times that are exponentially distributed") {
  constexpr std::size_t kCount = 1000;
  constexpr int kDraws = 2000;
  Random random(6);
  double sum = 0;
  std::size_t below_half = 0;
  std::size_t below_hundredth = 0;
  for (int k = 0; k < kDraws; ++k) {
    const std::int16_t* lots = ShortLots::all().some(random);
    for (std::size_t i = 0; i < kCount; ++i) {
      const double time = std::exp2(lots[i] / static_cast<double>(kOctave));
      sum += time;
      if (time < std::log(2.0)) ++below_half;
      if (time < -std::log(0.99)) ++below_hundredth;
    }
  }
  constexpr double kAll = static_cast<double>(kCount) * kDraws;
  CHECK(sum / kAll == doctest::Approx(1).epsilon(0.01));
  CHECK(static_cast<double>(below_half) / kAll == doctest::Approx(0.5).epsilon(0.01));
  CHECK(static_cast<double>(below_hundredth) / kAll == doctest::Approx(0.01).epsilon(0.05));
}
