// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Messages with an order: what a dynamic congestion graph is built from.
#pragma once

#include <span>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// One message. `start` is when its source is ready to send it.
struct Communication {
  Rank source;       ///< sends it
  Rank destination;  ///< another rank
  Bytes bytes;       ///< of the whole message
  Seconds start;     ///< from the begin of the exchange

  friend bool operator==(const Communication&, const Communication&) = default;
};

/// An ordered list of messages: a source sends its own in the order of start time, then of the list. Immutable.
class Exchange {
 public:
  /// Throws Error(bad_input) for a message to itself, and for a size or start that is negative or not finite.
  explicit Exchange(std::vector<Communication> communications);

  /// The messages, in the order of the list that the exchange was made of.
  [[nodiscard]] std::span<const Communication> communications() const { return communications_; }
  /// One more than the largest rank named.
  [[nodiscard]] std::size_t ranks() const { return ranks_; }

 private:
  std::vector<Communication> communications_;
  std::size_t ranks_ = 0;
};

/// Makes one message per pair with all its bytes. Each rank's messages are in the order of their destinations.
[[nodiscard]] Exchange one_message_a_pair(const Traffic& traffic);

}  // namespace topowise
