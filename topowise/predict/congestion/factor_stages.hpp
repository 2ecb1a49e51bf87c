// SPDX-License-Identifier: BSD-3-Clause
// The congestion factors of an active set, step by step of the algorithm: the columns of Table I of SC'16.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

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

}  // namespace topowise
