// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// `lspci -tv`, with or without the records of `lspci -vmm` before or after it.
extern const TopologyFormat kLspciFormat;

}  // namespace topowise
