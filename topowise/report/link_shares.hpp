// SPDX-License-Identifier: BSD-3-Clause
// How full each link is under two mappings, on one scale.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// By LinkId. What a link is full of: the time that its bytes take, or the bytes where rates are not known.
struct LinkShares {
  std::vector<Bytes> bytes_before;
  std::vector<Bytes> bytes_after;
  std::vector<double> before;  ///< 0 to 1, the share of the fullest link under either mapping
  std::vector<double> after;
  bool in_time = false;  ///< every link that carries bytes has a rate

  [[nodiscard]] bool known() const { return !before.empty(); }
};

/// Empty if either load is, or has not one number a link.
[[nodiscard]] LinkShares link_shares(const Topology& topology, const std::vector<Bytes>& before,
                                     const std::vector<Bytes>& after);

/// "GPU0 to PCIe switch 0", as the drawing names them; with the compute nodes where there are several.
[[nodiscard]] std::string link_name(const Topology& topology, const Link& link);

/// The `most` fullest links that carry anything, fullest first.
[[nodiscard]] std::vector<std::size_t> fullest(const std::vector<double>& shares, std::size_t most);

}  // namespace topowise
