// SPDX-License-Identifier: BSD-3-Clause
// `live:node`: this machine, put together from all that it says of itself. `live:fabric`: the network of its site.
#pragma once

#include <optional>
#include <string>

#include <topowise/device/nvml.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// This machine, and what NVML said of its GPUs, for callers that need more than where the GPUs are.
struct LiveTopology {
  Topology topology;
  std::optional<nvml::Report> nvml;
  std::string limits;  ///< what is not known of the GPUs, and why; empty if a management library described them
};
/// Throws Error(not_available) if nothing here can describe it.
[[nodiscard]] LiveTopology read_live();

/// The network of the site, as its programs describe it to any user who asks: by the first of these programs whose
/// answer describes one: `scontrol show topology`; in the script of a job of Slurm, where its hosts are
/// (SLURM_TOPOLOGY_ADDR of a task on each, and what nvidia-smi says of NVLink); `ibnetdiscover`; `kubectl get nodes -o
/// json`, each of which may take `seconds`. Throws Error(not_available) that says what each of them answered.
[[nodiscard]] Topology live_fabric(int seconds = 30);

/// The TOPOLOGY of this process where none is given: `live`, or in a job of several hosts, as its batch system states
/// them, `cluster:live,live,hosts=job`.
[[nodiscard]] std::string own_machine();

}  // namespace topowise
