// SPDX-License-Identifier: BSD-3-Clause
// The vendor of a GPU, by its name. Sources put the vendor into the name where a node has GPUs of several vendors: "AMD
// GPU0", "NVIDIA GPU0", and in a cluster "n1:AMD GPU0".
#pragma once

#include <string_view>

namespace topowise {

enum class GpuVendor : unsigned char {
  unknown,  ///< no vendor in the name, as in nodes of one vendor's GPUs: NVIDIA's and AMD's programs are served alike
  nvidia,
  amd,
  intel,
};

/// "NVIDIA", "AMD", "Intel"; empty for unknown.
[[nodiscard]] std::string_view to_string(GpuVendor vendor);
[[nodiscard]] GpuVendor vendor_in_name(std::string_view gpu);

}  // namespace topowise
