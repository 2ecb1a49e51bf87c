// SPDX-License-Identifier: BSD-3-Clause
// How a TRAFFIC argument is read: the same options for every verb that takes one.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> traffic_options(std::string_view group);
/// Reads the traffic and passes on what is odd about it. `format` as in TrafficOptions.
[[nodiscard]] Traffic traffic_of(const Arguments& arguments, const std::string& argument, const Terminal& terminal,
                                 const std::string& format = {});
/// The same for an exchange: a file that holds one, or a traffic.
[[nodiscard]] ExchangeReading exchange_of(const Arguments& arguments, const std::string& argument,
                                          const Terminal& terminal);

}  // namespace topowise::cli
