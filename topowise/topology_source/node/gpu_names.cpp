// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/gpu_names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include <topowise/graph/gpu_vendor.hpp>

namespace topowise {

std::string_view gpu_vendor(int pci_vendor) {
  switch (pci_vendor) {
    case 0x10de:
      return to_string(GpuVendor::nvidia);
    case 0x1002:
      return to_string(GpuVendor::amd);
    case 0x8086:
      return to_string(GpuVendor::intel);
    default:
      return {};
  }
}

std::string_view vendor_of_source(std::string_view source) {
  const auto begins = [&](std::string_view name) { return source.starts_with(name); };
  if (source.ends_with(kByHip)) return "AMD";
  for (const std::string_view nvidia :
       {"nvidia-smi", "nvml", "cuda", "measured:p2pBandwidthLatencyTest", "measured:nvbandwidth"}) {
    if (begins(nvidia)) return "NVIDIA";
  }
  return begins("rocm-smi") || begins("amd-smi") || begins("hip") ? "AMD" : "";
}

bool GpuNames::several() const {
  return std::ranges::any_of(vendors_, [&](const std::string& vendor) { return vendor != vendors_.front(); }) &&
         std::ranges::none_of(vendors_, [](const std::string& vendor) { return vendor.empty(); });
}

std::vector<std::string> GpuNames::names() const {
  std::vector<std::string> names;
  std::map<std::string_view, std::size_t> counted;
  const bool by_vendor = several();
  for (const std::string& vendor : vendors_)
    names.push_back(by_vendor ? fmt::format("{} GPU{}", vendor, counted[vendor]++)
                              : fmt::format("GPU{}", names.size()));
  return names;
}

std::optional<std::string> GpuNames::warning() const {
  if (!several()) return std::nullopt;
  return fmt::format(
      "GPUs of several vendors are in one node ({}): each vendor's variable counts its own alone, as their "
      "names do",
      fmt::join(std::set<std::string>(vendors_.begin(), vendors_.end()), ", "));
}

}  // namespace topowise
