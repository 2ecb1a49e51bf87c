// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// `rocm-smi --showtopo`, or a part of it (--showtoponuma).
extern const TopologyFormat kRocmSmiFormat;

}  // namespace topowise
