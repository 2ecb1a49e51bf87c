// SPDX-License-Identifier: BSD-3-Clause
// What all forms of a pair matrix come down to, before it becomes a Topology.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

/// Most places of a pair matrix: each pair is stated.
inline constexpr std::size_t kMostPairPlaces = 2048;

/// Row-major, one row a place; row = source of the transfer. Not a number where nothing is stated.
struct StatedValues {
  std::vector<double> values;  ///< distance, bytes per second, or seconds
  std::string source;          ///< provenance: "measured:p2pBandwidthLatencyTest"
};

struct PairValues {
  struct Item {
    std::string name;
    std::optional<PciAddress> pci;
  };
  std::vector<Item> items;
  PlaceKind kind = PlaceKind::slot;
  std::array<std::optional<StatedValues>, 3> stated;  ///< by Metric

  [[nodiscard]] std::optional<StatedValues>& of(Metric metric) { return stated[static_cast<std::size_t>(metric)]; }
  [[nodiscard]] const std::optional<StatedValues>& of(Metric metric) const {
    return stated[static_cast<std::size_t>(metric)];
  }
};

/// Classes are clusters of the values (see the .cpp); a metric that is stated for every pair becomes the topology's
/// pair matrix; measured rates become direct links as well. Throws Error(bad_input) if a distance is missing.
[[nodiscard]] Topology build_topology(const std::string& name, const PairValues& values, Warnings& warnings);

}  // namespace topowise
