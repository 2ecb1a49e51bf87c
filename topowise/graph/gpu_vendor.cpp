// SPDX-License-Identifier: BSD-3-Clause
// Sources of the variables: CUDA and HIP programming guides, Level Zero's specification, CANN
// (ASCEND_RT_VISIBLE_DEVICES), CNToolkit (MLU_VISIBLE_DEVICES), the MUSA runtime, MACA, TopsRider. Hygon's DTK is a
// HIP, Iluvatar's CoreX a CUDA.
#include <topowise/graph/gpu_vendor.hpp>

#include <algorithm>
#include <array>

namespace topowise {
namespace {

struct Entry {
  std::string_view name;
  std::string_view variable;
};

/// By vendor.
constexpr std::array<Entry, 12> kVendors{{{"", ""},
                                          {"NVIDIA", "CUDA_VISIBLE_DEVICES"},
                                          {"AMD", "HIP_VISIBLE_DEVICES"},
                                          {"Intel", "ZE_AFFINITY_MASK"},
                                          {"Huawei", "ASCEND_RT_VISIBLE_DEVICES"},
                                          {"Hygon", "HIP_VISIBLE_DEVICES"},
                                          {"Cambricon", "MLU_VISIBLE_DEVICES"},
                                          {"Iluvatar", "CUDA_VISIBLE_DEVICES"},
                                          {"Moore Threads", "MUSA_VISIBLE_DEVICES"},
                                          {"MetaX", "MACA_VISIBLE_DEVICES"},
                                          {"Enflame", "TOPS_VISIBLE_DEVICES"},
                                          {"another vendor", ""}}};

}  // namespace

std::string_view to_string(GpuVendor vendor) {
  return kVendors[static_cast<std::size_t>(vendor)].name;
}

std::optional<GpuVendor> parse_gpu_vendor(std::string_view text) {
  const auto found = std::ranges::find(kVendors, text, &Entry::name);
  if (found == kVendors.end() || text.empty()) return std::nullopt;
  return static_cast<GpuVendor>(found - kVendors.begin());
}

std::string_view visible_devices_of(GpuVendor vendor) {
  return kVendors[static_cast<std::size_t>(vendor)].variable;
}

std::vector<std::string> visible_devices_variables() {
  std::vector<std::string> names;
  for (const Entry& vendor : kVendors)
    if (!vendor.variable.empty() && std::ranges::find(names, vendor.variable) == names.end())
      names.emplace_back(vendor.variable);
  names.emplace_back("ROCR_VISIBLE_DEVICES");
  return names;
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
