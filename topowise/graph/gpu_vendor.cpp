// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/gpu_vendor.hpp>

namespace topowise {

std::string_view to_string(GpuVendor vendor) {
  switch (vendor) {
    case GpuVendor::nvidia:
      return "NVIDIA";
    case GpuVendor::amd:
      return "AMD";
    case GpuVendor::intel:
      return "Intel";
    case GpuVendor::unknown:
      break;
  }
  return {};
}

GpuVendor vendor_in_name(std::string_view gpu) {
  const std::size_t end = gpu.find(" GPU");
  if (end == std::string_view::npos) return GpuVendor::unknown;
  for (const GpuVendor vendor : {GpuVendor::nvidia, GpuVendor::amd, GpuVendor::intel}) {
    if (gpu.substr(0, end).ends_with(to_string(vendor))) return vendor;
  }
  return GpuVendor::unknown;
}

}  // namespace topowise
