// SPDX-License-Identifier: BSD-3-Clause
// The network of the site, as its programs describe it to any user who asks.
#pragma once

#include <functional>
#include <string>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Reads the answer of a program, which is called `where` in messages.
using ReadAnswer = std::function<Topology(const std::string& where, const std::string& text)>;

/// The network by the first of these programs whose answer describes one: `scontrol show topology`; in the script of a
/// job of Slurm, where its hosts are (SLURM_TOPOLOGY_ADDR of a task on each, and what nvidia-smi says of NVLink);
/// `ibnetdiscover`; `kubectl get nodes -o json`. Throws Error(not_available) that says what each of them answered.
[[nodiscard]] Topology live_fabric(const ReadAnswer& read);

}  // namespace topowise
