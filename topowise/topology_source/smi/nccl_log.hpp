// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// A log of NCCL or RCCL with its topology: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH.
extern const TopologyFormat kNcclLogFormat;

}  // namespace topowise
