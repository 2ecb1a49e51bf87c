// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this machine that someone else is using.
#pragma once

#include <string>
#include <vector>

#include <topowise/device/nvml.hpp>

namespace topowise::job {

struct BusyGpu {
  std::string bus_id;  ///< "0000:0a:00.0"
  std::string why;     ///< "2 processes, 10.0 GiB in use"
};

struct BusyGpus {
  std::vector<BusyGpu> gpus;
  std::string reason;  ///< why nothing can be said; empty if it can
};

/// Asks NVML for the GPUs on which processes compute, or which have more memory in use than an idle driver takes. A
/// container hides the processes of others, but not their memory. Must be called before the job's own ranks use a GPU.
[[nodiscard]] BusyGpus busy_gpus();
/// The busy GPUs in an answer of NVML that is already there.
[[nodiscard]] BusyGpus busy_gpus(const nvml::Report& report);

}  // namespace topowise::job
