// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_environment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/gpu_vendor.hpp>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 4> kBindings{"permute", "only", "set-device", "none"};

VisibleGpus all_gpus(const PlacedNode& node) {
  VisibleGpus all;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
    all.names.push_back(std::to_string(number_of(node, gpu)));
    all.gpus.push_back(gpu);
  }
  return all;
}

std::string list_for(const VisibleGpus& visible, std::size_t gpu, std::size_t local_rank, GpuBinding binding) {
  const auto mine = static_cast<std::size_t>(std::ranges::find(visible.gpus, gpu) - visible.gpus.begin());
  if (binding == GpuBinding::only) return visible.names[mine];
  std::vector<std::string> names;
  for (const std::size_t position : permuted_gpus(visible.names.size(), mine, local_rank))
    names.push_back(visible.names[position]);
  return fmt::format("{}", fmt::join(names, ","));
}

/// Removes partitioned GPUs. True if there was one.
bool take_out_partitioned(VisibleGpus& visible, const PlacedNode& node) {
  VisibleGpus whole;
  for (std::size_t i = 0; i < visible.gpus.size(); ++i) {
    if (!node.gpus[visible.gpus[i]].partitions.empty()) continue;
    whole.names.push_back(visible.names[i]);
    whole.gpus.push_back(visible.gpus[i]);
  }
  std::swap(visible, whole);
  return visible.gpus.size() < whole.gpus.size();
}

Error hidden(const Placement& placement, std::size_t rank, std::string_view by) {
  const PlacedRank& placed = placement.ranks[rank];
  const NodeGpu& gpu = placement.nodes[placed.node].gpus[*placed.gpu];
  return bad_input(fmt::format("rank {} is mapped to {}{}, but {} hides it", rank, gpu.name,
                               gpu.pci ? " (" + gpu.pci->to_string() + ")" : "", by),
                   "let every rank see all GPUs of the job (srun --gpus-per-node=N without --gpus-per-task), or map "
                   "with --allow to those that it sees");
}

void require_visible(const VisibleGpus& visible, const Placement& placement, std::size_t rank, std::string_view what) {
  if (std::ranges::find(visible.gpus, *placement.ranks[rank].gpu) == visible.gpus.end())
    throw hidden(placement, rank, what);
}

}  // namespace

std::string name_for_preloaded(const NodeGpu& gpu, const VisibleGpus& visible, std::size_t index) {
  const bool partition = gpu.uuid.starts_with("MIG-");  // several parts of a GPU share one bus id
  if (gpu.pci && !partition) return gpu.pci->to_string();
  if (!gpu.uuid.empty()) return gpu.uuid;
  return std::to_string(std::ranges::find(visible.gpus, index) - visible.gpus.begin());
}

std::optional<GpuBinding> parse_gpu_binding(std::string_view text) {
  const auto found = std::ranges::find(kBindings, text);
  if (found == kBindings.end()) return std::nullopt;
  return static_cast<GpuBinding>(found - kBindings.begin());
}

VisibleGpus visible_gpus_of_hip(const PlacedNode& node, const std::optional<std::string>& rocr,
                                const std::optional<std::string>& hip) {
  VisibleGpus below = rocr ? visible_gpus(node, "ROCR_VISIBLE_DEVICES", *rocr) : all_gpus(node);
  for (std::size_t i = 0; rocr && i < below.names.size(); ++i) below.names[i] = std::to_string(i);
  if (!hip) return below;
  PlacedNode left{node.name, {}};
  for (std::size_t i = 0; i < below.gpus.size(); ++i) {
    left.gpus.push_back(node.gpus[below.gpus[i]]);
    left.gpus.back().number = static_cast<int>(rocr ? i : number_of(node, below.gpus[i]));
  }
  VisibleGpus visible = visible_gpus(left, "HIP_VISIBLE_DEVICES", *hip);
  for (std::size_t& gpu : visible.gpus) gpu = below.gpus[gpu];
  return visible;
}

std::optional<std::string> partition_of(const Placement& placement, std::size_t rank) {
  const PlacedRank& placed = placement.ranks[rank];
  if (!placed.gpu) return std::nullopt;
  const std::vector<std::string>& parts = placement.nodes[placed.node].gpus[*placed.gpu].partitions;
  if (parts.empty()) return std::nullopt;
  const auto before = std::ranges::count_if(
      placement.ranks.begin(), placement.ranks.begin() + static_cast<std::ptrdiff_t>(rank),
      [&](const PlacedRank& other) { return other.node == placed.node && other.gpu == placed.gpu; });
  return parts[static_cast<std::size_t>(before) % parts.size()];
}

namespace {

/// Which vendors' variables are wanted.
struct Wanted {
  bool cuda = true;
  bool hip = true;
};

Variables variables_for(const Placement& placement, std::size_t rank, std::size_t local_rank, GpuBinding binding,
                        const Inherited& inherited, Wanted wanted) {
  const PlacedRank& placed = placement.ranks[rank];
  const PlacedNode& node = placement.nodes[placed.node];
  const auto inherited_if = [&](bool vendor_wanted, const char* name) {
    return vendor_wanted ? inherited(name) : std::nullopt;
  };
  const std::optional<std::string> cuda = inherited_if(wanted.cuda, "CUDA_VISIBLE_DEVICES");
  const std::optional<std::string> hip = inherited_if(wanted.hip, "HIP_VISIBLE_DEVICES");
  const std::optional<std::string> rocr = inherited_if(wanted.hip, "ROCR_VISIBLE_DEVICES");
  // If only one vendor's list is set, it names the vendor.
  const bool for_hip =
      wanted.hip && (hip || rocr || !cuda || cuda->find_first_not_of("0123456789, ") == std::string::npos);
  const bool for_cuda = wanted.cuda && (cuda || !(hip || rocr));
  Variables variables;
  if (wanted.cuda) variables.emplace_back("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  if (for_cuda) {
    VisibleGpus visible = cuda ? visible_gpus(node, "CUDA_VISIBLE_DEVICES", *cuda) : all_gpus(node);
    require_visible(visible, placement, rank, fmt::format("CUDA_VISIBLE_DEVICES='{}'", cuda.value_or("")));
    if (const std::optional<std::string> part = partition_of(placement, rank)) {
      variables.emplace_back("CUDA_VISIBLE_DEVICES", *part);
      return variables;
    }
    const bool shortened = take_out_partitioned(visible, node);
    if (binding == GpuBinding::set_device) {
      if (shortened) variables.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(visible.names, ",")));
      variables.emplace_back(kGpuVariable, name_for_preloaded(node.gpus[*placed.gpu], visible, *placed.gpu));
      return variables;
    }
    variables.emplace_back("CUDA_VISIBLE_DEVICES", list_for(visible, *placed.gpu, local_rank, binding));
    if (for_hip && !hip && !rocr) variables.emplace_back("HIP_VISIBLE_DEVICES", variables.back().second);
  }
  if (hip || rocr || !wanted.cuda) {
    const VisibleGpus visible = visible_gpus_of_hip(node, rocr, hip);
    require_visible(
        visible, placement, rank,
        fmt::format("ROCR_VISIBLE_DEVICES='{}' with HIP_VISIBLE_DEVICES='{}'", rocr.value_or(""), hip.value_or("")));
    if (binding == GpuBinding::set_device) {
      variables.emplace_back(kGpuVariable, name_for_preloaded(node.gpus[*placed.gpu], visible, *placed.gpu));
      return variables;
    }
    variables.emplace_back("HIP_VISIBLE_DEVICES", list_for(visible, *placed.gpu, local_rank, binding));
  }
  return variables;
}

/// The placement as the runtime of one vendor counts: the node has only the GPUs of that vendor.
Placement only_of_vendor(const Placement& placement, std::size_t node, GpuVendor vendor) {
  Placement own = placement;
  GpusOfVendor gpus = gpus_of_vendor(placement.nodes[node], vendor);
  std::vector<std::optional<std::size_t>> number(placement.nodes[node].gpus.size());
  for (std::size_t g = 0; g < gpus.in_node.size(); ++g) number[gpus.in_node[g]] = g;
  own.nodes[node] = std::move(gpus.node);
  for (PlacedRank& rank : own.ranks) {
    if (rank.node == node && rank.gpu) rank.gpu = number[*rank.gpu];
  }
  return own;
}

/// Level Zero keeps the order of its devices whatever the mask says, so a rank sees only its own GPU.
Variables variables_of_level_zero(const Placement& placement, std::size_t rank, const Inherited& inherited) {
  const PlacedRank& placed = placement.ranks[rank];
  const PlacedNode& node = placement.nodes[placed.node];
  const std::string mask = affinity_mask(node, *placed.gpu);
  const std::optional<std::string> allowed = inherited("ZE_AFFINITY_MASK");
  if (allowed && !allowed->empty() && !lets_affinity_mask(*allowed, mask))
    throw hidden(placement, rank, fmt::format("ZE_AFFINITY_MASK='{}'", printable(*allowed)));
  return {
      {"ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE"}, {"ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"}, {"ZE_AFFINITY_MASK", mask}};
}

/// Programs of the vendors that have one list, whose entries they count. The preloaded library cannot make one of their
/// GPUs current, so `set-device` orders the list, too.
Variables variables_of_list(const Placement& placement, std::size_t rank, std::size_t local_rank, GpuBinding binding,
                            const Inherited& inherited, const std::string& variable) {
  const PlacedRank& placed = placement.ranks[rank];
  const PlacedNode& node = placement.nodes[placed.node];
  const std::optional<std::string> allowed = inherited(variable);
  const VisibleGpus visible = allowed ? visible_gpus(node, variable, *allowed) : all_gpus(node);
  require_visible(visible, placement, rank, fmt::format("{}='{}'", variable, printable(allowed.value_or(""))));
  return {{variable, list_for(visible, *placed.gpu, local_rank, binding)}};
}

}  // namespace

Variables gpu_environment(const Placement& placement, std::size_t rank, std::size_t local_rank, GpuBinding binding,
                          const Inherited& inherited) {
  const PlacedRank& placed = placement.ranks[rank];
  if (!placed.gpu || binding == GpuBinding::none) return {};
  const GpuVendor vendor = vendor_of(placement.nodes[placed.node].gpus[*placed.gpu]);
  if (vendor == GpuVendor::unknown) return variables_for(placement, rank, local_rank, binding, inherited, {});
  if (vendor == GpuVendor::intel) return variables_of_level_zero(placement, rank, inherited);
  const Placement own = only_of_vendor(placement, placed.node, vendor);
  if (vendor == GpuVendor::nvidia || vendor == GpuVendor::amd)
    return variables_for(own, rank, local_rank, binding, inherited,
                         {vendor == GpuVendor::nvidia, vendor == GpuVendor::amd});
  const std::string variable(visible_devices_of(vendor));
  if (variable.empty()) return {};
  return variables_of_list(own, rank, local_rank, binding, inherited, variable);
}

}  // namespace topowise
