// SPDX-License-Identifier: BSD-3-Clause
// The environment variables that give a rank its GPU, for programs of every vendor.
//
// CUDA reads CUDA_VISIBLE_DEVICES (indices in the order of CUDA_DEVICE_ORDER). HIP on AMD reads HIP_VISIBLE_DEVICES, or
// CUDA_VISIBLE_DEVICES if that is not set; its indices count the GPUs that ROCR_VISIBLE_DEVICES, one layer below, has
// left. An order in both AMD variables would permute twice, so ROCR_VISIBLE_DEVICES is only read, as the set that a
// batch system chose, and never written.
//
// Level Zero on Intel GPUs reads ZE_AFFINITY_MASK, which hides devices and keeps their order: a rank gets only its own
// GPU. Programs of other vendors have a list as CUDA has (graph/gpu_vendor). Where a node has GPUs of several vendors,
// each vendor's variable counts the GPUs of that vendor, and only the variable for the rank's GPU is set.
//
// A program sees one part of a partitioned GPU (MIG) and then nothing else: a rank on such a GPU gets only its part,
// whatever the binding is, and the lists of the other ranks leave partitioned GPUs out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/launch/gpu_list.hpp>
#include <topowise/launch/gpu_variables.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise {

enum class GpuBinding : unsigned char {
  permute,     ///< all GPUs stay visible; the mapped one is at the position of the local rank
  only,        ///< only the mapped GPU is visible
  set_device,  ///< all stay visible as they are; the preloaded library makes the mapped one current when MPI starts
  none,
};
[[nodiscard]] std::optional<GpuBinding> parse_gpu_binding(std::string_view text);

using Variables = std::vector<std::pair<std::string, std::string>>;
/// Value of an inherited variable; nothing if it is not set.
using Inherited = std::function<std::optional<std::string>(const std::string&)>;

/// The GPUs of the node that HIP sees, named by their positions in the list of the layer below (ROCR_VISIBLE_DEVICES);
/// its own list (HIP_VISIBLE_DEVICES) picks from these positions. Throws Error(bad_input).
[[nodiscard]] VisibleGpus visible_gpus_of_hip(const PlacedNode& node, const std::optional<std::string>& rocr,
                                              const std::optional<std::string>& hip);

/// The name by which the preloaded library finds GPU `index` of the node, `gpu`, in the list that its process sees.
[[nodiscard]] std::string name_for_preloaded(const NodeGpu& gpu, const VisibleGpus& visible, std::size_t index);

/// The part of its GPU that a rank gets: the ranks of a GPU take them in turn. Nothing if the GPU is whole.
[[nodiscard]] std::optional<std::string> partition_of(const Placement& placement, std::size_t rank);

/// Variables to set for `rank`, whose process is number `local_rank` on its node. Empty if its place is no GPU, or
/// if the variable of its vendor is not known.
/// Throws Error(bad_input) if an inherited variable hides the mapped GPU or cannot be understood.
[[nodiscard]] Variables gpu_environment(const Placement& placement, std::size_t rank, std::size_t local_rank,
                                        GpuBinding binding, const Inherited& inherited);

/// Variables for one process that makes the workers of its node itself and gives worker k the device k: the GPUs of the
/// node's ranks in their order, then the other visible ones. Empty if no rank of the node is on a GPU.
/// Throws Error(bad_input) if a list cannot say that: two ranks share a GPU, a GPU is partitioned or of Level Zero
/// (whose devices keep their order), some ranks are on no GPU, or on GPUs of several vendors; and as gpu_environment()
/// does.
[[nodiscard]] Variables gpu_environment_of_parent(const Placement& placement, std::size_t node,
                                                  const Inherited& inherited);

}  // namespace topowise
