// SPDX-License-Identifier: BSD-3-Clause
// How long a collective takes among processes of this machine, by each algorithm: as the OSU micro-benchmarks measure
// it. Every rank takes the mean of its own times; what is given is their mean, the smallest and the largest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

struct MeasureOptions {
  int ranks = 4;
  int gpus = 0;                         ///< how many the ranks share, in turn; 0: all that are visible
  std::vector<std::size_t> algorithms;  ///< positions in the table, of those that do the collective
  /// Bytes of a vector of floats, ascending, multiples of 4; where a rank's vector is the share of another one, of a
  /// share.
  std::vector<std::size_t> sizes;
  int repetitions = 100;
  int warm_up = 10;
  Collective collective = Collective::allreduce;  ///< from rank 0, or to it
};

struct SizeTimes {
  std::size_t bytes = 0;
  Seconds mean{0}, least{0}, most{0};
  bool right = false;  ///< the first and the last call, into buffers that held no result, gave it at all ranks
};
struct AlgorithmTimes {
  std::size_t algorithm = 0;
  bool used = false;          ///< false: this machine does not do it, and no times are given
  std::string why_not;        ///< of one that is not used; empty if not known
  Seconds initialisation{0};  ///< until the first call is through: meeting, memory, kernels
  std::vector<SizeTimes> timings;
};
struct Measurement {
  std::string device;   ///< name of the first GPU
  std::string machine;  ///< what the times hold for: machine_of()
  int gpus = 0;
  BytesPerSecond memory{0};  ///< what a copy in the first GPU's memory reads and writes; 0 where GPUs are simulated
  std::vector<AlgorithmTimes> algorithms;
};

/// Bytes that a collective must at least read and write on the GPU that has the most ranks, and rank 0: all inputs and
/// outputs once. `bytes` as MeasureOptions::sizes.
[[nodiscard]] double least_bytes(Collective collective, int ranks, int gpus, double bytes);

/// Share of what memory allows. Above 1 where vectors stay in caches. Nothing if the memory was not measured.
[[nodiscard]] std::optional<double> share_of_memory_bound(const Measurement& measured, const MeasureOptions& options,
                                                          const SizeTimes& times);

/// Measures in processes that are forked from this one, which must not have opened a GPU's driver. Throws
/// Error(not_available).
[[nodiscard]] Measurement measure_collective(const MeasureOptions& options);

}  // namespace topowise::collective
