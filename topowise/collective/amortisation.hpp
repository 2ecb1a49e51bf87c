// SPDX-License-Identifier: BSD-3-Clause
// How many calls pay for what an algorithm takes to begin: figure 3 of Faraji and Afsahi (2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <topowise/collective/measure_collectives.hpp>

namespace topowise::collective {

/// The least n with initialisation + n * mean <= n * mean of the baseline, at the size at position `size` of both. As
/// in the paper, the baseline begins for free: an MPI library that reduces on the host has begun with MPI_Init. Nothing
/// if the algorithm is not faster, so that no number of calls pays.
[[nodiscard]] std::optional<std::uint64_t> calls_to_amortise(const AlgorithmTimes& algorithm,
                                                             const AlgorithmTimes& baseline, std::size_t size);

}  // namespace topowise::collective
