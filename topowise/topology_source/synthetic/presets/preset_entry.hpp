// SPDX-License-Identifier: BSD-3-Clause
// A machine that is known by name.
#pragma once

#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct Preset {
  std::string_view name;
  std::string_view help;  ///< one line
  Topology (*make)();
};

}  // namespace topowise
