// SPDX-License-Identifier: BSD-3-Clause
// What the congestion models know of every link of a machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/graph/congestion_model_name.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/predict/congestion/pcie_tree.hpp>

namespace topowise {

/// 11.6 GiB/s, as measured between the two GPUs of a K80 (SC'16, sections II-A and VII).
inline constexpr BytesPerSecond kPaperBandwidth{11.6 * 1024 * 1024 * 1024};
/// 1 - 1/1.21 (SC'16, section VII). NCCL charges a path through an Intel root complex 6/5, nearly the same.
inline constexpr double kPaperTau = 21.0 / 121.0;

// Below, `parameters` is what a user says against the topology; it holds for all PCIe links and root complexes. Without
// it the nearest vertex above the link decides, then the whole topology, then the nominal or usual value.

/// Bandwidth by LinkId, always above 0.
[[nodiscard]] std::vector<double> link_bandwidths(const Topology& topology, const CongestionParameters& parameters);

/// Where the rate of a link in the model comes from.
enum class RateOrigin : unsigned char {
  stated,   ///< a source or the user states it
  assumed,  ///< a source assumes it, see is_assumed()
  usual,    ///< the model takes what is usual for the kind of link
};
struct ModelRate {
  BytesPerSecond bandwidth;  ///< above 0
  RateOrigin origin = RateOrigin::stated;
};
[[nodiscard]] ModelRate model_rate(const Topology& topology, const Link& link, const CongestionParameters& parameters);

/// The links on which messages between some pairs of places rest. A pair whose own rate was measured rests on none.
class UsedLinks {
 public:
  /// `topology` must outlive it.
  explicit UsedLinks(const Topology& topology);

  /// Adds the links from one place to another. False if none are known between the two.
  bool add(Place from, Place to);
  /// The same also where the pair's own rate was measured.
  bool add_route(Place from, Place to);
  /// Adds every link of the machine.
  void add_all() { used_.assign(used_.size(), true); }
  /// All that were added, each once, in the order of their ids.
  [[nodiscard]] std::vector<LinkId> all() const;

 private:
  const Topology& topology_;
  std::vector<bool> used_;  ///< by LinkId
  bool has_measured_;
};

/// The PCIe trees within a machine. Tree vertices are topology vertices.
struct PcieLinks {
  static constexpr std::uint32_t kNone = 0xffffffff;

  PcieTree tree;
  double unit = 1.0;                      ///< bytes/s that a capacity of 1 means: the widest PCIe link
  std::vector<std::uint32_t> tree_link;   ///< by LinkId; kNone for a link that is in no PCIe tree
  std::vector<LinkId> topology_link;      ///< by number of the link in the tree
  std::vector<bool> leaves_root_complex;  ///< by LinkId: a PCIe link down from a root complex
};
/// `abstract_too`: the links of a synthetic hierarchy count as PCIe. Throws Error(usage) for tau outside [0, 1/2).
[[nodiscard]] PcieLinks pcie_links(const Topology& topology, std::span<const double> bandwidths,
                                   const CongestionParameters& parameters, bool abstract_too);

}  // namespace topowise
