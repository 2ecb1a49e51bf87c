// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_vendor.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// The "3.1" of "GPU3.1", the form of a tile's name; empty for another name.
std::string_view tile_of(std::string_view name) {
  const std::size_t begin = name.rfind("GPU");
  if (begin == std::string_view::npos) return {};
  const std::string_view number = name.substr(begin + 3);
  const std::size_t dot = number.find('.');
  const auto digits = [](std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); };
  if (dot == std::string_view::npos || !digits(number.substr(0, dot)) || !digits(number.substr(dot + 1))) return {};
  return number;
}

}  // namespace

GpuVendor vendor_of(const NodeGpu& gpu) {
  const GpuVendor named = vendor_in_name(gpu.name);
  return named == GpuVendor::unknown && !tile_of(gpu.name).empty() ? GpuVendor::intel : named;
}

GpusOfVendor gpus_of_vendor(const PlacedNode& node, GpuVendor vendor) {
  GpusOfVendor own{{node.name, {}}, {}};
  for (std::size_t g = 0; g < node.gpus.size(); ++g) {
    if (vendor_of(node.gpus[g]) != vendor) continue;
    own.node.gpus.push_back(node.gpus[g]);
    own.in_node.push_back(g);
  }
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

OwnNumber own_number(const PlacedNode& node, std::size_t gpu) {
  OwnNumber own;
  const GpuVendor vendor = vendor_of(node.gpus[gpu]);
  for (std::size_t g = 0; g < node.gpus.size(); ++g) {
    if (vendor_of(node.gpus[g]) != vendor) continue;
    if (g < gpu) ++own.number;
    ++own.count;
  }
  return own;
}

std::string affinity_mask(const PlacedNode& node, std::size_t gpu) {
  const std::string_view tile = tile_of(node.gpus[gpu].name);
  return tile.empty() ? std::to_string(own_number(node, gpu).number) : std::string(tile);
}

}  // namespace topowise
