// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// `nvidia-smi topo -m` (and -mp).
extern const TopologyFormat kNvidiaSmiFormat;

}  // namespace topowise
