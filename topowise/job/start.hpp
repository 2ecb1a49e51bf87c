// SPDX-License-Identifier: BSD-3-Clause
// A process of a job before it becomes the user's program: puts it where a mapping says, and compares if asked to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/job/auto_orders.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/renumber.hpp>
#include <topowise/launch/gpu_environment.hpp>

namespace topowise::job {

struct StartOptions {
  GpuBinding gpu_binding = GpuBinding::permute;
  NodeMatch match_nodes = NodeMatch::name;
  bool bind_nics = false;  ///< to a NIC near the rank's place
  bool bind_cpus = false;  ///< to the processors near the rank's place
  bool trace = false;      ///< a recording has every message with its time
  bool verify = false;
  Seconds timeout = Seconds(10);  ///< of the ranks of a node with each other
};

/// Records what the program sends into a directory. Throws Error(not_available) without the recording library.
void record_into(const std::string& directory, bool trace);

/// Puts into effect what a file says that `map --save` wrote. False if a rank of this node was not as mapped. Throws
/// Error: a file that cannot be read or does not fit the job, GPUs that are hidden.
[[nodiscard]] bool start_mapped(const std::string& mapping, const StartOptions& options, const Process& process,
                                const Notices& notices);

/// Puts into effect what the ranks of this node agree on; what cannot be done is told and left. False as above.
[[nodiscard]] bool start_auto(const AutoOptions& choice, const StartOptions& options, const Process& process,
                              const Notices& notices);

/// Has MPI_Allreduce of vectors in GPU memory done on the GPU in the program, by the named algorithm or "auto";
/// `report`: rank 0 says at the end what was done.
void reduce_on_gpus(const std::string& algorithm, bool report);

/// Replaces this process by the program. Throws Error(not_available).
[[noreturn]] void become(const std::vector<std::string>& command);

}  // namespace topowise::job
