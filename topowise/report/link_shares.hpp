// SPDX-License-Identifier: BSD-3-Clause
// How full each link is under two mappings, on one scale.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// How full each link is, by LinkId: measured by the time that its bytes take, or by the bytes where rates are not
/// known.
struct LinkShares {
  std::vector<Bytes> bytes_before;
  std::vector<Bytes> bytes_after;
  std::vector<double> before;  ///< 0 to 1; 1 is the fullest link under either mapping
  std::vector<double> after;
  bool in_time = false;  ///< every link that carries bytes has a rate

  [[nodiscard]] bool known() const { return !before.empty(); }
};

/// Empty if one of the loads is empty, or does not have one number for each link.
[[nodiscard]] LinkShares link_shares(const Topology& topology, const std::vector<Bytes>& before,
                                     const std::vector<Bytes>& after);

/// The ends of a link as the drawing names them, "GPU0 to PCIe switch 0", with the compute node in front if one is
/// named.
[[nodiscard]] std::string link_name(const Topology& topology, const Link& link);

/// The `most` fullest links that carry anything, fullest first.
[[nodiscard]] std::vector<std::size_t> fullest(const std::vector<double>& shares, std::size_t most);

}  // namespace topowise
