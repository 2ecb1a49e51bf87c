// SPDX-License-Identifier: BSD-3-Clause
// Prepares a process of a job before it becomes the user's program: puts it where a mapping says, and verifies that if
// asked to.
#pragma once

#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/job/auto_orders.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/place_binding.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/renumber.hpp>
#include <topowise/launch/gpu_environment.hpp>

namespace topowise::job {

struct StartOptions {
  GpuBinding gpu_binding = GpuBinding::permute;
  NodeMatch match_nodes = NodeMatch::name;
  bool bind_nics = false;  ///< bind the rank to a NIC near its place
  CpuBinding cpu_binding = CpuBinding::place;
  bool trace = false;  ///< a recording has every message with its time
  bool verify = false;
  Seconds timeout = Seconds(10);  ///< how long the ranks of a node wait for each other
};

/// Records what the program sends into a directory. Throws Error(not_available) without the recording library.
void record_into(const std::string& directory, bool trace);

/// Makes the first rank say in one line, at its end, what was recorded or why nothing was.
void report_recording(const std::string& directory, const Process& process);

/// The last step before become(): the preloaded library is left away where the program would not start with it. The
/// first rank notes at once what will not be done.
void fit_preloading(const std::vector<std::string>& command, const Process& process, const Notices& notices);

/// Puts into effect the mapping of a file that `map --save` wrote. False if a rank of this node was not as mapped.
/// Throws Error if the file cannot be read or does not fit the job, or if GPUs are hidden.
[[nodiscard]] bool start_mapped(const std::string& mapping, const StartOptions& options, const Process& process,
                                const Notices& notices);

/// Puts into effect what the ranks of this node agree on; what cannot be done is reported and left undone. False if a
/// rank of this node was not as mapped.
[[nodiscard]] bool start_auto(const AutoOptions& choice, const StartOptions& options, const Process& process,
                              const Notices& notices);

struct OnGpuOptions {
  std::string algorithm;       ///< or "auto"
  std::string functions;       ///< of MPI: "allreduce,bcast"
  bool meet_at_start = false;  ///< the ranks meet in MPI_Init; else at their first call
  bool report = false;         ///< rank 0 says at the end what was done
};
/// Makes the program do functions of MPI on the GPU where vectors are in its memory.
void reduce_on_gpus(const OnGpuOptions& options);

/// Replaces this process by the program. Throws Error(not_available).
[[noreturn]] void become(const std::vector<std::string>& command);

}  // namespace topowise::job
