// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/topology_format.hpp>

namespace topowise {

/// `lspci -tv`, with the records of `lspci -vmm` before or behind it or without.
extern const TopologyFormat kLspciFormat;

}  // namespace topowise
