// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rank -> place, and what a mapper says about the mapping that it found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// A place for every rank. Immutable.
class Mapping {
 public:
  /// `place_of[r]` is the place of rank r. check() says whether a machine has these places.
  explicit Mapping(std::vector<Place> place_of) : place_of_(std::move(place_of)) {}

  /// Ranks 0 to ranks() - 1 have a place.
  [[nodiscard]] std::size_t ranks() const { return place_of_.size(); }
  /// `rank` is below ranks().
  [[nodiscard]] Place operator[](Rank rank) const { return place_of_[rank.index()]; }
  /// The place of each rank, by rank.
  [[nodiscard]] std::span<const Place> places() const { return place_of_; }

  /// Throws Error(bad_input) if a place does not exist or holds more ranks than its capacity, or than `ranks_per_place`
  /// if that is above 0. The message calls the mapping `name`.
  void check(const Topology& topology, int ranks_per_place = 0, std::string_view name = "the mapping") const;

  friend bool operator==(const Mapping&, const Mapping&) = default;

 private:
  std::vector<Place> place_of_;
};

/// Fingerprints (graph/fingerprint.hpp) of the traffic and the machine that a mapping was made for; empty if not known.
struct MadeFor {
  std::string traffic;   ///< of the traffic
  std::string topology;  ///< of the machine
};

/// The hop-bytes of a mapping that was chosen by its predicted time.
struct HopBytes {
  double cost = 0;           ///< bytes x metric
  double identity_cost = 0;  ///< of the identity mapping
  double lower_bound = 0;    ///< no mapping has fewer; 0 says only that none has fewer than none

  friend bool operator==(const HopBytes&, const HopBytes&) = default;
};

/// A mapping that is faster by assumed rates, and was not taken because it adds a larger share of hop-bytes than it
/// gains.
struct SparedMapping {
  double cost = 0;       ///< its predicted time, in seconds
  double hop_bytes = 0;  ///< its hop-bytes

  friend bool operator==(const SparedMapping&, const SparedMapping&) = default;
};

/// A mapping with everything that `map --json` reports.
struct MappingResult {
  Mapping mapping;              ///< the best that was found
  std::string mapper;           ///< name of the mapper that found it
  std::string objective;        ///< "predicted-time", "hop-bytes"
  std::string metric;           ///< "distance", "latency", "bandwidth", "hops"
  double cost = 0;              ///< in the objective's unit; lower is better
  double identity_cost = 0;     ///< cost of the identity mapping, in the same unit
  double lower_bound = 0;       ///< no mapping costs less
  bool proven_optimal = false;  ///< no mapping costs less
  Seconds seconds;              ///< time that the mapper took
  std::uint64_t seed = 1;       ///< of the search
  MadeFor made_for{};           ///< the traffic and machine that it answers for
  bool bound_sought = true;     ///< false if no bound was asked for beyond what the search proves by itself
  /// What the description of the machine assumes; assumptions_of() makes it.
  std::vector<std::string> assumptions{};
  /// How the description contradicts itself, see contradiction_in(): then nothing is called proven.
  std::string contradiction{};
  std::string objective_reason{};  ///< why the objective is not predicted time, where topowise chose it; else empty
  /// Where something is proven: the share of the cost by which the proof may be wrong, if that could hide what some
  /// pair of ranks pays; else 0.
  double proof_tolerance{};
  std::string weights{};                  ///< what stands for the bytes of the traffic in the costs: "paper", "equal"
  std::optional<SparedMapping> spared{};  ///< the fastest that was not taken; nothing if there is none
  std::optional<HopBytes> hop_bytes{};    ///< beside a predicted time that "auto" made small, if the metric is known

  /// False if the bound is 0 and says only that no cost is negative.
  [[nodiscard]] bool has_bound() const { return proven_optimal || lower_bound > 0 || cost == 0; }
  /// 1 - cost / identity_cost; 0 if the identity costs nothing.
  [[nodiscard]] double gain() const { return identity_cost > 0 ? 1.0 - cost / identity_cost : 0.0; }
};

}  // namespace topowise
