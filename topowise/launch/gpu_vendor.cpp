// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_vendor.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
GpusOfVendor gpus_of_vendor(const PlacedNode& node, GpuVendor vendor) {
  GpusOfVendor own{{node.name, {}}, {}};
  for (std::size_t g = 0; g < node.gpus.size(); ++g) {
    if (vendor_of(node.gpus[g]) != vendor) continue;
    own.in_node.push_back(g);
  }
  std::ranges::stable_sort(own.in_node, {}, [&](std::size_t g) { return node.gpus[g].number; });
  for (const std::size_t g : own.in_node) own.node.gpus.push_back(node.gpus[g]);
  return own;
}

std::vector<GpuVendor> vendors_of(const PlacedNode& node) {
  std::vector<GpuVendor> vendors;
  for (const NodeGpu& gpu : node.gpus) {
    const GpuVendor vendor = vendor_of(gpu);
    if (std::ranges::find(vendors, vendor) == vendors.end()) vendors.push_back(vendor);
  }
  return vendors;
}

std::size_t own_number(const PlacedNode& node, std::size_t gpu) {
  const GpusOfVendor own = gpus_of_vendor(node, vendor_of(node.gpus[gpu]));
  const auto at = std::ranges::find(own.in_node, gpu) - own.in_node.begin();
  return number_of(own.node, static_cast<std::size_t>(at));
}

std::string affinity_mask(const PlacedNode& node, std::size_t gpu) {
  const std::string_view tile = tile_of(node.gpus[gpu].name);
  return tile.empty() ? std::to_string(own_number(node, gpu)) : std::string(tile);
}

bool lets_affinity_mask(std::string_view list, std::string_view mask) {
  return std::ranges::any_of(split(list, ','), [&](std::string_view part) {
    part = trim(part);
    return part == mask || part == mask.substr(0, mask.find('.'));
  });
}

std::string why_no_variable(const NodeGpu& gpu) {
  if (vendor_of(gpu) != GpuVendor::other) return {};
  return fmt::format("which variable lists the visible devices for programs of the vendor of '{}' is not known",
                     printable(gpu.name));
}

void require_known_variables(const Placement& placement) {
  for (const PlacedRank& rank : placement.ranks) {
    const std::string why = rank.gpu ? why_no_variable(placement.nodes[rank.node].gpus[*rank.gpu]) : std::string();
    if (!why.empty())
      throw bad_input(why, "--emit openmpi-rankfile binds processors, --emit rank-order orders processes");
  }
}

}  // namespace topowise
