// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// When each message of an exchange begins and ends under congestion.
///
/// @code
/// const topowise::Prediction played = topowise::predict(exchange, machine, mapping);
/// std::cout << "the last message ends after " << topowise::to_string(played.makespan) << '\n';
/// @endcode
#pragma once

#include <string>
#include <vector>

#include <topowise/exchange.hpp>
#include <topowise/graph/congestion_model_name.hpp>
#include <topowise/graph/congestion_parameters.hpp>
#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>

namespace topowise {

/// How messages share links.
struct PredictOptions {
  CongestionModelName model = CongestionModelName::automatic;  ///< the rules
  CongestionParameters parameters = {};  ///< replace what the topology states about its PCIe links
};

/// Times by index of the message in the exchange.
struct Prediction {
  std::vector<Seconds> begin;  ///< the source has sent what comes before this message
  std::vector<Seconds> end;    ///< the message has arrived
  Seconds makespan;            ///< the last end
  /// What the times rest on beyond what sources state, a few words each: "NVLink of 25 GB/s a link".
  std::vector<std::string> assumptions = {};
};

/// Plays the messages over the links of the machine: every source sends one at a time through each port, in the order
/// of start time, then of the exchange. O((messages + steps) log messages), plus the rates of each set of messages that
/// are on the wires together.
///
/// Source: Martinasso, Kwasniewski, Alam, Schulthess, Hoefler: A PCIe Congestion-Aware Performance Model for Densely
/// Populated Accelerator Servers, SC'16, on PCIe trees; max-min fair sharing on all other links.
/// @throws Error bad_input for a rank without a place and for places that nothing connects; usage for parameters out of
///   range.
[[nodiscard]] Prediction predict(const Exchange& exchange, const Topology& machine, const Mapping& mapping,
                                 const PredictOptions& options = {});

}  // namespace topowise
