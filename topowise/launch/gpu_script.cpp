// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_script.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/launch/gpu_vendor.hpp>

namespace topowise {

void require_gpus(const Placement& placement) {
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    if (placement.ranks[rank].gpu) continue;
    throw bad_input(fmt::format("rank {} is mapped to {}, which is no GPU", rank, placement.ranks[rank].place),
                    "--places gpu, or --emit openmpi-rankfile");
  }
}

void refuse_several_vendors(const Placement& placement, std::string_view format) {
  for (const PlacedNode& node : placement.nodes) {
    if (vendors_of(node).size() < 2) continue;
    throw bad_input(fmt::format("{} has GPUs of several vendors, each of which counts its own, and {} has one number "
                                "for each GPU",
                                node.name.empty() ? "the node" : node.name, format),
                    "--emit shell, or 'topowise run --mapping FILE' in front of the program");
  }
}

std::string gpu_in_shell(const PlacedNode& node, std::size_t gpu) {
  const auto [number, count] = own_number(node, gpu);
  std::string text = fmt::format("gpu={} gpus={}", number, count);
  const GpuVendor vendor = vendor_of(node.gpus[gpu]);
  if (vendor != GpuVendor::unknown) text += fmt::format(" vendor={}", to_string(vendor));
  if (vendor == GpuVendor::intel) text += fmt::format(" mask={}", affinity_mask(node, gpu));
  return text;
}

std::string gpu_list_in_shell(const Placement& placement) {
  const std::string list =
      "list= next=0 position=0\n"
      "while [ $position -lt $gpus ]; do\n"
      "  if [ $position -eq $((local_rank % gpus)) ]; then\n"
      "    item=$gpu\n"
      "  else\n"
      "    [ $next -eq $gpu ] && next=$((next + 1))\n"
      "    item=$next next=$((next + 1))\n"
      "  fi\n"
      "  list=$list${list:+,}$item position=$((position + 1))\n"
      "done\n";
  const bool known = std::ranges::any_of(placement.nodes, [](const PlacedNode& node) {
    return std::ranges::any_of(node.gpus, [](const NodeGpu& gpu) { return vendor_of(gpu) != GpuVendor::unknown; });
  });
  const std::string both = "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$list HIP_VISIBLE_DEVICES=$list";
  if (!known) return fmt::format("{}{}\nexec \"$@\"\n", list, both);
  return fmt::format(
      "{}case \"$vendor\" in\n"
      "NVIDIA) export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$list ;;\n"
      "AMD) export HIP_VISIBLE_DEVICES=$list ;;\n"
      "Intel) export ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE ZE_ENABLE_PCI_ID_DEVICE_ORDER=1 ZE_AFFINITY_MASK=$mask ;;\n"
      "*) {} ;;\n"
      "esac\n"
      "exec \"$@\"\n",
      list, both);
}

}  // namespace topowise
