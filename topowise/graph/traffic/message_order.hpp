// SPDX-License-Identifier: BSD-3-Clause
// In which order a source sends messages that are ready at the same time.
#pragma once

#include <cstdint>

#include <topowise/graph/traffic/exchange.hpp>

namespace topowise {

enum class MessageOrder : std::uint8_t {
  given,        ///< that of the list
  destination,  ///< rank 0 first, then rank 1
  rotation,     ///< its successor first, then the one after that; behind the last rank comes rank 0
  pairs,        ///< by rank XOR destination: pairwise exchange, in steps of disjoint pairs
};

/// The same messages in another order. Each source keeps its places in the list, and messages that are ready earlier
/// stay before those that are ready later.
[[nodiscard]] Exchange in_message_order(const Exchange& exchange, MessageOrder order);

}  // namespace topowise
