// SPDX-License-Identifier: BSD-3-Clause
// Sets of simultaneous transfers on which a congestion model is tried (Martinasso et al., SC'16, section VII): simple
// collectives, all small sets, and random ones, no two of which are alike on the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise::benchmark {

/// Pairs of a source and a destination, each pair at most once. A source sends its transfers in this order.
struct TransferSet {
  std::string name;
  std::vector<std::pair<Place, Place>> transfers;
};

/// A number that is the same for two sets of which one becomes the other by exchanging places that the machine does not
/// tell apart. Sets that differ in fact nearly always get different numbers (colour refinement of the places that a set
/// uses).
[[nodiscard]] std::uint64_t shape_of(const Topology& machine, const TransferSet& set);

/// Makes sets of transfers between `places`. One object makes each shape only once.
class TransferSets {
 public:
  /// The same seed gives the same random sets.
  TransferSets(const Topology& machine, std::vector<Place> places, std::uint64_t seed);

  /// One transfer between the two nearest places. All times are compared with its time.
  [[nodiscard]] TransferSet alone() const;
  /// Ring, scatter, gather, all-to-all, all of them among all places.
  [[nodiscard]] std::vector<TransferSet> collectives();
  /// Every set of 1 to `most` transfers among these few places, in the order of the places.
  [[nodiscard]] std::vector<TransferSet> all_among(std::span<const Place> few, std::size_t most, std::string_view name);
  /// A random set of 1 to `most` transfers, in random order; nothing if a long series of tries finds no new shape.
  [[nodiscard]] std::optional<TransferSet> random(std::size_t most);

 private:
  [[nodiscard]] bool is_new(const TransferSet& set) { return seen_.insert(shape_of(machine_, set)).second; }

  Topology machine_;
  std::vector<Place> places_;
  Random random_;
  std::size_t random_sets_ = 0;
  std::set<std::uint64_t> seen_;
};

}  // namespace topowise::benchmark
