// SPDX-License-Identifier: BSD-3-Clause
// How a TRAFFIC argument is read: the same options for every verb that takes one.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> traffic_options(std::string_view group);
[[nodiscard]] TrafficOptions read_traffic_options(const Arguments& arguments);

}  // namespace topowise::cli
