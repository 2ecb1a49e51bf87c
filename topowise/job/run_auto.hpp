// SPDX-License-Identifier: BSD-3-Clause
// `run --auto`: the processes of a node agree on a mapping before they become the program.
#pragma once

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/job/node_plan.hpp>
#include <topowise/job/process.hpp>

namespace topowise::cli {

/// What this process is to do. Whatever is in the way is told in one line by one process of the node, and then every
/// rank stays as it is. Throws only for a command line that is wrong in itself.
[[nodiscard]] RankOrders auto_orders(const Arguments& arguments, const JobProcess& process, const Terminal& terminal);

}  // namespace topowise::cli
