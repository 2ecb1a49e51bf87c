// SPDX-License-Identifier: BSD-3-Clause
// The two parameters of the PCIe congestion model, and the rates of the links that are not PCIe, measured on this
// machine.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/probe/line.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::probe {

struct Calibration {
  CongestionParameters parameters;  ///< what could be measured
  std::map<LinkId, BytesPerSecond>
      links;                       ///< rates of bonds, and of links between sockets where they are the narrowest
  std::vector<std::string> notes;  ///< how, and what could not
};

/// Two messages that enter one GPU at the same time: from a neighbour, and from behind the root complex.
struct CompetingTransfers {
  Place near, far, target;
};
/// At most `most` competing transfers, with as many different targets as there are.
[[nodiscard]] std::vector<CompetingTransfers> competing_transfers(const Topology& machine,
                                                                  const std::vector<Place>& places, std::size_t most);

/// Bytes per second of a pair from its two largest sizes, so that the start of a message does not count.
[[nodiscard]] double steady_rate(const Samples& samples, const PairSamples& pair);

/// What a message takes beside its bytes, which the model leaves out: the time of the smallest size less that of its
/// bytes at the steady rate, the median of all pairs. Nothing if one size was measured, or nothing is left.
[[nodiscard]] std::optional<Seconds> start_up(const Samples& samples);

/// tau as section VII of the paper measures it: what one message alone loses by crossing a root complex, from the pairs
/// below one switch and those behind a root complex. Nothing if either is missing, or outside [0, 1/2).
[[nodiscard]] std::optional<double> tau_of_messages_alone(const Topology& machine, const Samples& samples);

/// Uses the pairs in `samples` for B, and runs concurrent copies of the largest size for tau.
[[nodiscard]] Calibration calibrate(const Topology& machine, const Samples& samples, Memory& memory, int repetitions);

}  // namespace topowise::probe
