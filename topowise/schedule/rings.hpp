// SPDX-License-Identifier: BSD-3-Clause
// An order of messages as steps: in step k every source sends its k-th message. Where destinations are sources of the
// same step, the messages close to rings (Martinasso et al., SC'16, Figures 8 and 11).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace topowise {

struct OrderStep {
  std::vector<std::vector<std::size_t>> rings;  ///< each from its lowest rank on, which the last one sends to
  std::vector<std::pair<std::size_t, std::size_t>> others;  ///< source and destination of messages in no ring
};

/// `destinations_of[source]`: whom it sends to, in its order. A rank of two that send each other is a ring of two.
[[nodiscard]] std::vector<OrderStep> steps_of(std::span<const std::vector<std::size_t>> destinations_of);

}  // namespace topowise
