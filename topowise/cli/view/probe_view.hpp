// SPDX-License-Identifier: BSD-3-Clause
// What `topowise probe` found, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/probe/metrics.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::cli {

struct ProbeResult {
  Topology machine;  ///< the machine with the measured values
  probe::Samples samples;
  probe::Origin origin;
  std::vector<std::string> notes;        ///< what a reader should know
  std::vector<std::string> calibration;  ///< how the parameters of the congestion model were found
};

/// The origin "measured:probe (what)" with the date of now.
[[nodiscard]] probe::Origin probe_origin(const std::string& what);

void show_probe(const ProbeResult& result, Terminal& terminal);
[[nodiscard]] std::string probe_json(const ProbeResult& result);
/// Delivers the result as --save and --json say.
void deliver_probe(const Arguments& arguments, const ProbeResult& result, Terminal& terminal);

}  // namespace topowise::cli
