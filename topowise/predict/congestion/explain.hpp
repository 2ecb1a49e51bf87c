// SPDX-License-Identifier: BSD-3-Clause
// Why a message is slower than it is alone: which port, which other message, which rule.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

// The congestion factors of an active set, step by step of the algorithm: the columns of Table I of SC'16.

/// Factors of one message in units of CongestionModel::unit().
struct FactorStages {
  double source = 1;        ///< A: what its first link carries
  double upstream = 1;      ///< B: after its last link towards the root (equation 6)
  double downstream = 1;    ///< C: after its last link (equation 7)
  double head_of_line = 1;  ///< D: held back by messages that are in front of it (equation 8)
  double freed = 1;         ///< D: with what the held messages leave (equation 9); this is the factor itself
};

/// The stages of each flow, in the order of the set. Nothing for a flow whose route is not one stretch of a PCIe tree,
/// and nothing for all flows under a model that does not follow the paper.
[[nodiscard]] std::vector<std::optional<FactorStages>> factor_stages(CongestionModel& model,
                                                                     std::span<const CongestionModel::Flow> active);

enum class SlowdownRule : unsigned char {
  none,          ///< as fast as alone
  upstream,      ///< shares a link towards the root (equation 6)
  downstream,    ///< shares the port of a link away from the root (equation 7)
  root_complex,  ///< as downstream, but a group comes from behind the root complex, or the port leaves it
  head_of_line,  ///< is behind a message that waits at a later port (equation 8)
  fair_share,    ///< shares a link outside the PCIe trees max-min fairly
};
[[nodiscard]] std::string_view to_string(SlowdownRule rule);  ///< "upstream", "head of line", ...

struct Slowdown {
  SlowdownRule rule = SlowdownRule::none;
  std::string port;                  ///< "from -> to" of the link; empty for none
  std::optional<std::size_t> other;  ///< position in the active set of the flow that it meets there, or waits behind
  double share = 1.0;                ///< rate over the rate alone
};

/// One slowdown for each flow of an active set, in its order.
[[nodiscard]] std::vector<Slowdown> explain(CongestionModel& model, std::span<const CongestionModel::Flow> active);

}  // namespace topowise
