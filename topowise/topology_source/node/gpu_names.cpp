// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/gpu_names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 3> kVendors{"NVIDIA", "AMD", "Intel"};

}  // namespace

std::string_view gpu_vendor(int pci_vendor) {
  switch (pci_vendor) {
    case 0x10de:
      return "NVIDIA";
    case 0x1002:
      return "AMD";
    case 0x8086:
      return "Intel";
    default:
      return {};
  }
}

std::string_view vendor_in_name(std::string_view gpu) {
  const std::size_t end = gpu.find(" GPU");
  if (end == std::string_view::npos) return {};
  const auto found = std::ranges::find_if(kVendors, [&](std::string_view name) { return gpu.substr(0, end) == name; });
  return found == kVendors.end() ? std::string_view() : *found;
}

std::string_view vendor_of_source(std::string_view source) {
  const auto begins = [&](std::string_view name) { return source.starts_with(name); };
  if (begins("nvidia-smi") || begins("nvml") || begins("cuda")) return "NVIDIA";
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
