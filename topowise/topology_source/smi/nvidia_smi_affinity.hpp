// SPDX-License-Identifier: BSD-3-Clause
// The affinity columns of `nvidia-smi topo -m`: what may be bound to, and what is damaged.
#pragma once

#include <string>
#include <vector>

#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

struct SmiAffinity {
  int numa = -1;
  std::string cpus;
};

/// One entry a row of `table`. Nothing is given for a row whose processors cannot be right, because a job bound by a
/// damaged list runs on the wrong cores; `warnings` says so.
[[nodiscard]] std::vector<SmiAffinity> read_smi_affinity(const TextLines& lines, const SmiTable& table,
                                                         Warnings& warnings);

}  // namespace topowise
