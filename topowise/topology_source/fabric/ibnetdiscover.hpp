// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// `ibnetdiscover`, `ibnetdiscover -p`, and ibsim's net files.
extern const TopologyFormat kIbnetdiscoverFormat;

}  // namespace topowise
