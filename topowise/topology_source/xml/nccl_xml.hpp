// SPDX-License-Identifier: BSD-3-Clause
// NCCL's and RCCL's topology XML: what NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE reads.
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

extern const TopologyFormat kNcclXmlFormat;

}  // namespace topowise
