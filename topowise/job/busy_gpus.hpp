// SPDX-License-Identifier: BSD-3-Clause
// GPUs of this machine that somebody else is using.
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

/// By NVML: a GPU on which processes compute, or with more memory in use than an idle driver takes. In a container the
/// processes of others are not to be seen, but their memory is. Asked before the job's own ranks use any.
[[nodiscard]] BusyGpus busy_gpus();
/// The same of an answer that is there already.
[[nodiscard]] BusyGpus busy_gpus(const nvml::Report& report);

}  // namespace topowise::job
