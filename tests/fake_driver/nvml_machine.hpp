// SPDX-License-Identifier: BSD-3-Clause
// The virtual node in the terms of NVIDIA's management library: common ancestors, ends of NVLinks, PCIe generations.
#pragma once

#include <string>
#include <vector>

#include "node.hpp"

namespace topowise::fake {

/// One NVLink of one GPU.
struct NvmlLink {
  PciAddress remote;
  unsigned remote_type = 0;  ///< nvmlIntNvLinkDeviceType_t: 0 GPU, 1 processor, 2 switch
  unsigned version = 0;
};

struct NvmlGpu {
  std::vector<NvmlLink> links;
  unsigned pcie_generation = 3;
};

struct NvmlMachine {
  Node node;
  std::vector<NvmlGpu> gpus;     ///< as node.gpus
  std::vector<int> ancestors;    ///< nvmlGpuTopologyLevel_t, gpus squared
  std::vector<bool> peer_reads;  ///< likewise
};

/// Makes the machine from the environment as it is now.
[[nodiscard]] NvmlMachine make_nvml_machine();

}  // namespace topowise::fake
