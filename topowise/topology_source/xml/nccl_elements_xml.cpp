// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/xml/nccl_elements_xml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/pci_class.hpp>

namespace topowise {

void NcclErrors::add(const pugi::xml_node& element, std::string what, std::string_view cell) {
  constexpr std::size_t kEnough = 100;
  found_.add(xml_.at(element, std::move(what), {}, cell));
  if (found_.all().size() == kEnough) found_.throw_if_any();
}

std::optional<PciAddress> NcclErrors::address(const pugi::xml_node& element, const char* attribute) {
  const std::string_view text = element.attribute(attribute).value();
  const std::optional<PciAddress> pci = PciAddress::parse(text);
  if (pci) return pci;
  if (text.empty())
    add(element, fmt::format("<{}> has no {}", element.name(), attribute));
  else
    add(element, fmt::format("'{}' is not a PCI bus id", printable(text.substr(0, 80))), text);
  return std::nullopt;
}

BytesPerSecond NcclErrors::pcie_link(const pugi::xml_node& pci) {
  constexpr double kMostTransfers = 1000;
  constexpr double kMostLanes = 64;
  // "Unknown", "" and "255" lanes of the kernel are no mistake.
  const auto number = [&](const char* attribute, double most) {
    const std::string_view text = pci.attribute(attribute).value();
    const std::string_view first = text.substr(0, text.find(' '));
    const std::optional<double> value = parse_double(first);
    if (value && *value >= 0 && std::isfinite(*value)) return *value <= most ? *value : 0.0;
    if (!first.empty() && lower(first) != "unknown")
      add(pci, fmt::format("{} '{}' is no number", attribute, printable(text.substr(0, 80))), text);
    return 0.0;
  };
  const double transfers = number("link_speed", kMostTransfers);
  return pcie_bandwidth(transfers, static_cast<int>(number("link_width", kMostLanes)));
}

int NcclErrors::whole(const pugi::xml_node& element, const char* attribute, int otherwise) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::string_view text = element.attribute(attribute).value();
  if (text.empty()) return otherwise;
  const std::optional<std::int64_t> number = parse_integer(text);
  if (number && *number >= -1 && *number <= kMost) return static_cast<int>(*number);
  add(element, fmt::format("{} '{}' is no number of that kind", attribute, printable(text.substr(0, 80))), text);
  return otherwise;
}

bool is_classless_gpu(const pugi::xml_node& pci, int vendor) {
  return !pci.child("pci") && !pci.child("nic") && (vendor == 0 || vendor == 0x10de || vendor == 0x1002);
}

std::string_view nccl_gpu_vendor(const pugi::xml_node& gpu, const pugi::xml_node& pci) {
  const std::string_view vendor = gpu_vendor(parse_pci_class({}, pci.attribute("vendor").value()).vendor);
  if (!vendor.empty()) return vendor;
  if (gpu.attribute("gcn")) return "AMD";
  return gpu.attribute("sm") ? "NVIDIA" : "";
}

bool is_virtual_net(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"br-", "cali", "cni",  "docker", "dummy", "flannel", "kube", "lo",
                                            "tap", "tun",  "veth", "virbr",  "vmnet", "vnet",    "vxlan"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

BytesPerSecond nccl_net_bandwidth(const pugi::xml_node& net) {
  double speed = net.attribute("speed").as_double();
  if (!(speed > 0) || speed > 1e12) return {};
  if (speed > 1e7) speed /= 1000.0;
  return BytesPerSecond(speed * 1e6 / 8.0);
}

}  // namespace topowise
