// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/amortisation.hpp>

#include <cmath>

namespace topowise::collective {

std::optional<std::uint64_t> calls_to_amortise(const AlgorithmTimes& algorithm, const AlgorithmTimes& baseline,
                                               std::size_t size) {
  if (!algorithm.used || !baseline.used) return std::nullopt;
  constexpr double kMost = 1e15;  // numbers beyond are noise of the clock
  const double saved = (baseline.timings.at(size).mean - algorithm.timings.at(size).mean).value();
  const double calls = std::ceil(algorithm.initialisation.value() / saved);
  if (!(saved > 0) || !(calls < kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(calls);
}

}  // namespace topowise::collective
