// SPDX-License-Identifier: BSD-3-Clause
// hwloc's XML, versions 1 to 3: what `lstopo file.xml` writes.
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

extern const TopologyFormat kHwlocXmlFormat;

}  // namespace topowise
