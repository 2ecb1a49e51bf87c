// SPDX-License-Identifier: BSD-3-Clause
// The guest graph: how much each rank sends to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>

namespace topowise {

/// What one rank sent to another in all.
struct TrafficEntry {
  Rank source;
  Rank destination;
  Bytes bytes;
  std::uint64_t messages = 0;

  friend bool operator==(const TrafficEntry&, const TrafficEntry&) = default;
};

/// Immutable sparse matrix; copies share. Entries are sorted by (source, destination), one a pair.
class Traffic {
 public:
  /// Adds up entries of the same pair. Entries without bytes and messages are dropped; a rank's messages to itself stay
  /// (they cost nothing under any mapping). Throws Error(bad_input) for a rank outside 0..ranks-1, more ranks than ids,
  /// and bytes that are negative or not finite.
  [[nodiscard]] static Traffic from_entries(std::size_t ranks, std::vector<TrafficEntry> entries);

  [[nodiscard]] std::size_t ranks() const { return parts_->first.size() - 1; }
  [[nodiscard]] std::span<const TrafficEntry> entries() const { return parts_->entries; }
  /// What `source` sends, sorted by destination.
  [[nodiscard]] std::span<const TrafficEntry> sent_by(Rank source) const;
  [[nodiscard]] Bytes bytes(Rank source, Rank destination) const;
  [[nodiscard]] Bytes total_bytes() const { return parts_->total; }

 private:
  struct Parts {
    std::vector<TrafficEntry> entries;
    std::vector<std::size_t> first;  ///< entries of rank r: [first[r], first[r+1])
    Bytes total;
  };
  explicit Traffic(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace topowise
