// SPDX-License-Identifier: BSD-3-Clause
// What this machine says about itself: hwloc, if its library is there, and the tools of the GPUs' drivers. Texts only;
// the table of formats reads and joins them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/pci_address.hpp>

namespace topowise {

struct LiveReport {
  std::string where;        ///< "hwloc", "nvidia-smi topo -m"
  std::string_view format;  ///< the name of the format that reads it
  std::string text;
};

/// A GPU that may be used here: a container shows all buses of the machine and only some of the GPUs.
struct LiveGpu {
  PciAddress pci;
  std::string uuid;
};

struct LiveMachine {
  std::optional<LiveReport> hwloc;
  std::vector<LiveReport> tools;     ///< one for each vendor that is there; GPUs in the order of `gpus`
  std::vector<LiveGpu> gpus;         ///< empty if no tool lists them
  std::vector<std::string> missing;  ///< why something is not there
};

[[nodiscard]] LiveMachine look_around();

/// The lines of `nvidia-smi --query-gpu=pci.bus_id,uuid --format=csv,noheader`.
[[nodiscard]] std::vector<LiveGpu> parse_gpu_list(std::string_view text);

}  // namespace topowise
