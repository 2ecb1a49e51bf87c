// SPDX-License-Identifier: BSD-3-Clause
// One machine out of what several sources say about it: `node.xml+p2p.txt`.
#pragma once

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Joins two descriptions of one machine. Places are matched by PCI bus id; if one side has none, by their order, with
/// a warning. The side that knows more of the PCI tree gives the vertices and the host's links. Each kind of direct
/// bond (NVLink, xGMI, C2C) comes from the source that can be trusted most with it (see Trust). Measured and stated
/// pair matrices are kept. Contradictions become warnings that say what was kept and why. Throws Error(bad_input) if
/// the two cannot be the same machine.
[[nodiscard]] Topology merge(const Topology& a, const Topology& b);

}  // namespace topowise
