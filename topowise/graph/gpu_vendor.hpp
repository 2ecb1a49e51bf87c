// SPDX-License-Identifier: BSD-3-Clause
// Whose GPU it is, by its name. Sources name GPUs by vendor where a node has those of several: "AMD GPU0", "NVIDIA
// GPU0", and in a cluster "n1:AMD GPU0".
#pragma once

#include <string_view>

namespace topowise {

enum class GpuVendor : unsigned char {
  unknown,  ///< the only one of its node: programs of NVIDIA's and AMD's are served alike
  nvidia,
  amd,
  intel,
};

/// "NVIDIA", "AMD", "Intel"; empty for unknown.
[[nodiscard]] std::string_view to_string(GpuVendor vendor);
[[nodiscard]] GpuVendor vendor_in_name(std::string_view gpu);

}  // namespace topowise
