// SPDX-License-Identifier: BSD-3-Clause
// What a mapping means for this process: its GPU and its processors.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/job.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::cli {

/// Reads a file that `map --save` wrote. Throws Error(bad_input), also if it does not tell the machine.
[[nodiscard]] Placement read_placement(const std::string& path);

/// Throws Error(bad_input) if the job has another number of ranks than the mapping.
void check_job(const Placement& placement, const JobProcess& process);

/// Processors near the rank's place: from the mapping, else what the system says about the GPU's bus id. Empty if
/// neither knows.
[[nodiscard]] std::vector<int> cpus_near(const Placement& placement, std::size_t rank);

/// One thing that --verify looks at.
struct Expectation {
  std::string what;  ///< "device", "host", "processors"
  std::string expected;
  std::string actual;
  bool met = false;
};
/// Compares where the process is with where the mapping wants it; `local_rank` picks the device as programs do.
[[nodiscard]] std::vector<Expectation> expectations(const Placement& placement, std::size_t rank,
                                                    std::size_t local_rank, bool check_cpus,
                                                    const Inherited& environment);

}  // namespace topowise::cli
