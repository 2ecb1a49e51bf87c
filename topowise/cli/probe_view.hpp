// SPDX-License-Identifier: BSD-3-Clause
// What `topowise probe` found, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/terminal.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/probe/metrics.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::cli {

struct ProbeResult {
  Topology machine;  ///< with what was measured
  probe::Samples samples;
  probe::Origin origin;
  std::vector<std::string> notes;        ///< what a reader should know
  std::vector<std::string> calibration;  ///< how the parameters of the congestion model were found
};

void show_probe(const ProbeResult& result, Terminal& terminal);
[[nodiscard]] std::string probe_json(const ProbeResult& result);

}  // namespace topowise::cli
