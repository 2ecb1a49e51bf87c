// SPDX-License-Identifier: BSD-3-Clause
// Rates of the messages that are on the wires together, on any machine.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/predict/congestion/link_model.hpp>
#include <topowise/predict/congestion/max_min.hpp>
#include <topowise/predict/congestion/pcie_congestion.hpp>

namespace topowise {

/// A machine under one model. A pair of places becomes a *flow* once, by flow(); rates() then takes flows.
///
/// A route is cut into its stretches inside PCIe trees and the links between them. Each stretch follows the paper as if
/// its tree were alone. Messages share the other links max-min fairly, and none of them can use more than what its
/// stretches leave it. So a route through both takes the smaller rate.
class CongestionModel {
 public:
  /// Throws Error(usage) for parameters out of range.
  CongestionModel(const Topology& topology, CongestionModelName name, const CongestionParameters& parameters = {});

  using Flow = std::uint32_t;
  /// The flow from one place to another, which must differ. Throws Error(bad_input) where nothing connects the places,
  /// and where the model does not know a link of the route.
  Flow flow(Place from, Place to);
  [[nodiscard]] std::size_t flow_count() const { return flows_.size(); }

  /// Bytes/s of flows that are active together, in their order. Takes O(sum of the route lengths) if there are only
  /// PCIe links, O(n log n) otherwise.
  void rates(std::span<const Flow> active, std::span<double> result);

  /// Links of the flow's route, by index. Messages that share no link, directly or in a chain, do not slow each other.
  [[nodiscard]] std::span<const std::uint32_t> links(Flow flow) const { return flows_[flow].links; }
  [[nodiscard]] std::size_t link_count() const { return limit_of_link_.size(); }
  /// Messages that leave a place by the same first link wait for each other, first come, first served.
  [[nodiscard]] std::uint32_t port(Flow flow) const { return flows_[flow].port; }
  [[nodiscard]] std::size_t port_count() const { return ports_.size(); }
  /// Bytes/s of the flow alone, and the most bytes/s that all flows of a link get together.
  [[nodiscard]] double rate_alone(Flow flow) const { return flows_[flow].alone; }
  [[nodiscard]] double link_limit(std::uint32_t link) const { return limit_of_link_[link]; }
  [[nodiscard]] double link_capacity(std::uint32_t link) const { return bandwidths_[link]; }
  /// Seconds before a message occupies links: the start-up, and the latency of its route, which is 0 where it is not
  /// known, and under pcie-sc16.
  [[nodiscard]] Seconds latency(Flow flow) const { return flows_[flow].latency + startup_; }
  /// Sets what every message takes at its sender before it occupies links, beside the latency of its route: 0 at first.
  void set_startup(Seconds startup) { startup_ = startup; }
  [[nodiscard]] Seconds startup() const { return startup_; }

  [[nodiscard]] CongestionModelName name() const { return name_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] Place source(Flow flow) const { return flows_[flow].from; }
  [[nodiscard]] Place destination(Flow flow) const { return flows_[flow].to; }
  /// Bytes/s that a factor of 1 means: those of the widest PCIe link, or of the widest link in a machine without PCIe.
  [[nodiscard]] BytesPerSecond unit() const { return BytesPerSecond(unit_); }
  /// The PCIe side, for explanations. Below are its paths of a flow, in the order of the route.
  [[nodiscard]] PcieCongestion& pcie() { return pcie_; }
  [[nodiscard]] const PcieLinks& pcie_links() const { return pcie_links_; }
  [[nodiscard]] std::span<const std::uint32_t> stretches(Flow flow) const { return flows_[flow].stretches; }
  /// True if the link follows the rules of the paper, false if it is shared max-min fairly.
  [[nodiscard]] bool follows_paper(LinkId link) const;

 private:
  struct FlowParts {
    Place from, to;
    std::vector<std::uint32_t> links;
    std::vector<std::uint32_t> stretches;  ///< paths in pcie_
    std::uint32_t foreign = 0;             ///< path in max_min_: the links outside PCIe trees
    bool has_foreign = false;
    double limit = std::numeric_limits<double>::infinity();  ///< measured bandwidth of the pair
    std::uint32_t port = 0;
    double alone = 0.0;
    Seconds latency;
  };
  [[nodiscard]] FlowParts make_flow(Place from, Place to);
  void add_stretch(FlowParts& flow, std::span<const LinkId> route, std::size_t begin, std::size_t end);
  void mixed_rates(std::span<const Flow> active, std::span<double> result);

  Topology topology_;
  CongestionModelName name_;
  std::vector<double> bandwidths_;     ///< by LinkId
  std::vector<double> limit_of_link_;  ///< by LinkId: the most that all flows of the link get together
  PcieLinks pcie_links_;
  PcieCongestion pcie_;
  MaxMin max_min_;
  double unit_ = 1.0;
  Seconds startup_;

  std::map<std::pair<Place, Place>, Flow> flow_of_;
  std::vector<FlowParts> flows_;
  std::map<std::pair<Place, std::uint32_t>, std::uint32_t> ports_;  ///< by place and first link
  bool only_pcie_ = true;  ///< every flow so far is one stretch and nothing else

  // Scratch of rates().
  std::vector<std::uint32_t> active_stretches_;
  std::vector<double> factors_;
  std::vector<MaxMin::Message> messages_;
};

}  // namespace topowise
