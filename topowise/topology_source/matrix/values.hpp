// SPDX-License-Identifier: BSD-3-Clause
// The common form of all pair matrices, before it becomes a Topology.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

/// Most places of a pair matrix, which states each pair.
inline constexpr std::size_t kMostPairPlaces = 2048;

/// Values row-major, one row per place; the row is the source of the transfer. NaN where nothing is stated.
struct StatedValues {
  std::vector<double> values;  ///< distance, bytes per second, or seconds
  Provenance source;
};

/// True for the words that are where a number is missing: "N/A", "-", "X", nothing; as on a diagonal, where some
/// programs print "nan" or "inf".
[[nodiscard]] bool is_absent(std::string_view cell);
/// "nan", "inf", "Infinity"
[[nodiscard]] bool is_no_finite_number(std::string_view cell);

struct PairValues {
  struct Item {
    std::string name;
    std::optional<PciAddress> pci{};
    std::string node{};  ///< its host; empty if not known
    int number = -1;     ///< by which programs know a GPU; -1 if not known
  };
  std::vector<Item> items;
  PlaceKind kind = PlaceKind::slot;
  std::set<std::pair<std::size_t, std::size_t>> without_peer_access;  ///< smaller item first
  std::array<std::optional<StatedValues>, 3> stated;                  ///< by Metric

  [[nodiscard]] std::optional<StatedValues>& of(Metric metric) { return stated[static_cast<std::size_t>(metric)]; }
  [[nodiscard]] const std::optional<StatedValues>& of(Metric metric) const {
    return stated[static_cast<std::size_t>(metric)];
  }
};

/// Classes are clusters of the values (see the .cpp). A metric that is stated for every pair becomes the topology's
/// pair matrix. Measured rates also become direct links. Throws Error(bad_input) if a distance is missing.
[[nodiscard]] Topology build_topology(const std::string& name, const PairValues& values, Warnings& warnings);

}  // namespace topowise
