// SPDX-License-Identifier: BSD-3-Clause
// Max-min fair sharing of links by messages with fixed routes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace topowise {

/// Registered paths and reusable scratch of progressive filling. Not to be shared between threads.
class MaxMin {
 public:
  explicit MaxMin(std::vector<double> capacities);

  std::uint32_t add(std::vector<std::uint32_t> links);

  /// `limit` is the most that a message can use, for other reasons; infinite if nothing else limits it. A message
  /// without links gets its limit. Rates are in the unit of the capacities.
  struct Message {
    std::uint32_t path = 0;
    double limit = std::numeric_limits<double>::infinity();
  };
  /// Takes O(n log n), where n is the sum of the path lengths.
  void rates(std::span<const Message> messages, std::span<double> result);

 private:
  struct Link {
    double left = 0;    ///< capacity that no settled message uses
    int unsettled = 0;  ///< messages whose rate is still open
    std::int32_t head = -1;
    [[nodiscard]] double share() const { return left / unsettled; }
  };
  struct Candidate {
    double rate = 0;
    std::uint32_t item = 0;  ///< a link, or link count + message for the message's own limit
    friend bool operator>(const Candidate& a, const Candidate& b) {
      return a.rate > b.rate || (a.rate == b.rate && a.item > b.item);
    }
  };
  void place(std::span<const Message> messages);
  void settle(std::size_t message, double rate, std::span<double> result);
  void push(Candidate candidate);

  std::vector<double> capacities_;
  std::vector<std::vector<std::uint32_t>> paths_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> used_;
  struct User {
    std::uint32_t message = 0;
    std::int32_t next = -1;
  };
  std::vector<User> users_;
  std::vector<std::uint32_t> path_of_;
  std::vector<bool> settled_;
  std::vector<Candidate> candidates_;
};

}  // namespace topowise
