// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The guest graph: how much each rank sends to each other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/packed_traffic.hpp>
#include <topowise/graph/traffic/rank_groups.hpp>

namespace topowise {

/// An immutable sparse matrix; copies share its content. Entries are sorted by (source, destination), one per pair.
class Traffic {
 public:
  /// Adds up entries of the same pair. Entries without bytes and messages are dropped; a rank's messages to itself stay
  /// (they cost nothing under any mapping). Throws Error(bad_input) for a rank outside 0..ranks-1, more ranks than ids,
  /// and bytes that are negative or not finite.
  [[nodiscard]] static Traffic from_entries(std::size_t ranks, std::vector<TrafficEntry> entries);

  /// Number of ranks, including those that neither send nor receive.
  [[nodiscard]] std::size_t ranks() const { return parts_->packed.first().size() - 1; }
  /// The entries of all ranks.
  [[nodiscard]] TrafficEntries entries() const { return {parts_->packed, 0, parts_->packed.size()}; }
  /// The entries of what `source` sends, sorted by destination.
  [[nodiscard]] TrafficEntries sent_by(Rank source) const;
  /// The bytes of a pair; 0 for a pair without an entry.
  [[nodiscard]] Bytes bytes(Rank source, Rank destination) const;
  /// The bytes of all entries, including those that ranks send to themselves.
  [[nodiscard]] Bytes total_bytes() const { return parts_->total; }
  /// The groups in which the ranks communicate, by kind, where the source knows them; else empty.
  [[nodiscard]] std::span<const RankGroups> groups() const {
    return groups_ ? std::span<const RankGroups>(*groups_) : std::span<const RankGroups>();
  }
  /// The same traffic with these groups. Their ranks must be of this traffic.
  [[nodiscard]] Traffic with_groups(std::vector<RankGroups> groups) const;

 private:
  friend class TrafficBuilder;
  struct Parts {
    PackedTraffic packed;
    Bytes total;
  };
  explicit Traffic(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  static Traffic from_packed(std::size_t ranks, PackedTraffic packed);
  /// Throws if there cannot be so many ranks, or if rank `most` is not one of them.
  static void check_ranks(std::size_t ranks, std::size_t most);
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const std::vector<RankGroups>> groups_;
};

}  // namespace topowise
