// SPDX-License-Identifier: BSD-3-Clause
// What `predict` and `schedule` read: messages, a machine, a mapping, a model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/predict/congestion/link_model.hpp>

namespace topowise::cli {

struct ExchangeProblem {
  Exchange exchange;
  Topology topology;
  Mapping mapping;
  CongestionModelName model = CongestionModelName::automatic;
  CongestionParameters parameters;
  std::string order{};  ///< in which order a rank sends, in words; empty: as the messages are listed
};

[[nodiscard]] std::vector<Operand> exchange_operands();
[[nodiscard]] std::vector<Option> exchange_options();
/// The option --model.
[[nodiscard]] Option congestion_model_option();
/// The values of --link-bandwidth and --tau. Throws Error(usage) for a value out of range.
[[nodiscard]] CongestionParameters congestion_parameters(const Arguments& arguments);
/// Reads all of it and passes on warnings.
[[nodiscard]] ExchangeProblem read_exchange_problem(const Arguments& arguments, const Terminal& terminal);
/// The problem for messages that the caller has read; `machine` is the TOPOLOGY argument.
[[nodiscard]] ExchangeProblem exchange_problem(const Arguments& arguments, Exchange exchange,
                                               const std::string& machine, const Terminal& terminal);

/// What the times of the problem's messages rest on beyond what sources state; under `other` as well, if given.
[[nodiscard]] std::vector<std::string> assumptions_of(const ExchangeProblem& problem, const Mapping* other = nullptr);

/// Reads messages separated by blanks or commas: "0->2:300MB 1->4:300MB@0.5ms". Throws Error(usage) that names what is
/// not a message, at most ten at once.
[[nodiscard]] Exchange parse_messages(std::string_view text);

}  // namespace topowise::cli
