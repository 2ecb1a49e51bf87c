// SPDX-License-Identifier: BSD-3-Clause
// Every objective of one mapping.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/mapper/mapper.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>

namespace topowise::cli {

struct Evaluation {
  double hop_bytes = 0;
  Dilation dilation;
  // Nothing where routes or bandwidths are not known:
  std::vector<Bytes> link_load;  ///< by LinkId
  std::optional<MaxCongestion> congestion;
  std::optional<Seconds> predicted;
  std::string unknown;  ///< which of them is missing, and why; empty if all are there
};

[[nodiscard]] Evaluation evaluate_all(const MapProblem& problem, const Mapping& mapping);

}  // namespace topowise::cli
