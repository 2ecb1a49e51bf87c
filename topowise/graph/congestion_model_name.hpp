// SPDX-License-Identifier: BSD-3-Clause
// The congestion models by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// How messages that are on the wires together share links.
enum class CongestionModelName : unsigned char {
  automatic,    ///< the model of Martinasso et al. (SC'16) on PCIe trees, max-min fair sharing on all other links
  pcie_sc16,    ///< the model of the paper and nothing else
  pcie_filled,  ///< progressive filling on PCIe trees instead of the paper's equation 9; all else as in automatic
  max_min,      ///< max-min fair sharing everywhere
};

/// "auto", "pcie-sc16", "pcie-filled", "max-min"
[[nodiscard]] std::string_view to_string(CongestionModelName name);
/// Nothing for another word.
[[nodiscard]] std::optional<CongestionModelName> parse_congestion_model(std::string_view text);
/// All of them.
[[nodiscard]] std::vector<std::string> congestion_model_names();

}  // namespace topowise
