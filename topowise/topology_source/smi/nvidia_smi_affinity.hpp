// SPDX-License-Identifier: BSD-3-Clause
// The affinity columns of `nvidia-smi topo -m`: what a rank may be bound to, and which cells are damaged.
#pragma once

#include <string>
#include <vector>

#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

namespace topowise {

struct SmiAffinity {
  int numa = -1;
  std::string cpus;
};

/// One entry for each row of `table`. A row whose processors cannot be right gets nothing, because a job that is bound
/// by a damaged list runs on the wrong cores; `warnings` says so.
[[nodiscard]] std::vector<SmiAffinity> read_smi_affinity(const TextLines& lines, const SmiTable& table,
                                                         Warnings& warnings);

}  // namespace topowise
