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

GpuVendor vendor_if_intel(std::string_view vendor) {
  return vendor == to_string(GpuVendor::intel) ? GpuVendor::intel : GpuVendor::unknown;
}

bool GpuNames::several() const {
  return std::ranges::any_of(vendors_, [&](const std::string& vendor) { return vendor != vendors_.front(); }) &&
         std::ranges::none_of(vendors_, [](const std::string& vendor) { return vendor.empty(); });
}

std::vector<std::string> GpuNames::names() const {
  const bool by_vendor = several();
  const auto vendor_of = [&](std::size_t i) { return by_vendor ? std::string_view(vendors_[i]) : std::string_view(); };
  std::map<std::string_view, std::multiset<int>> stated;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (numbers_[i] >= 0) stated[vendor_of(i)].insert(numbers_[i]);
  }
  std::vector<std::string> names;
  std::map<std::string_view, int> counted;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const std::multiset<int>& taken = stated[vendor_of(i)];
    int number = numbers_[i];
    if (number < 0 || taken.count(number) > 1) {
      int& next = counted[vendor_of(i)];
      while (taken.contains(next)) ++next;
      number = next++;
    }
    names.push_back(by_vendor ? fmt::format("{} GPU{}", vendor_of(i), number) : fmt::format("GPU{}", number));
  }
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
