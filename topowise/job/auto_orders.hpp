// SPDX-License-Identifier: BSD-3-Clause
// The processes of a node agree on a mapping before they become the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/job/node_plan.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_environment.hpp>

namespace topowise::job {

struct AutoOptions {
  std::vector<std::string> command;    ///< the program that this process becomes; it names the profile of earlier runs
  std::optional<std::string> profile;  ///< the profile to map by, or to record; nothing: that of an earlier run
  std::string topology = "live";
  MappingWish mapping{};
  GpuBinding gpu_binding = GpuBinding::permute;
  bool bind_nics = false;   ///< bind each rank to a NIC near its GPU
  bool avoid_busy = false;  ///< leave GPUs out that others are using
  Seconds timeout = Seconds(10);
};

/// The orders for this process. If something prevents a mapping, one process of the node says so in one line, and
/// every rank stays as it is.
[[nodiscard]] RankOrders auto_orders(const AutoOptions& options, const Process& process, const Notices& notices);

}  // namespace topowise::job
