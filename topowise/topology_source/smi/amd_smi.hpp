// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// `amd-smi topology`, `amd-smi xgmi`, or both in one text.
extern const TopologyFormat kAmdSmiFormat;

}  // namespace topowise
