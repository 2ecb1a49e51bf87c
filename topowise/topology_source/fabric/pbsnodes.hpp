// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// The nodes of PBS: pbsnodes -a -F json.
extern const TopologyFormat kPbsFormat;

}  // namespace topowise
