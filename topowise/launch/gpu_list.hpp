// SPDX-License-Identifier: BSD-3-Clause
// Lists of visible GPUs, as in CUDA_VISIBLE_DEVICES and similar variables.
//
// A program that chooses "device = local rank" gets the mapped GPU if that GPU is at position `local rank` of the
// list. All others stay in the list, because a GPU that is hidden cannot be reached by peer copies or CUDA IPC.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// The numbers 0 .. count-1 with `mine` at position `local_rank` (modulo count) and the others in ascending order.
[[nodiscard]] std::vector<std::size_t> permuted_gpus(std::size_t count, std::size_t mine, std::size_t local_rank);

/// The numbers of a node's GPUs among all that are in the host: those in their names, if these ascend ("GPU3", "GPU5":
/// a part of the host), else 0, 1, ...
[[nodiscard]] std::vector<std::size_t> gpu_numbers(const PlacedNode& node);

/// A list of visible devices: entry i is called `names[i]` and is GPU `gpus[i]` of the node.
struct VisibleGpus {
  std::vector<std::string> names;
  std::vector<std::size_t> gpus;
};

/// What an inherited `variable` means on the node: indices, UUIDs ("GPU-...") or MIG instances, up to the first entry
/// that is none of them. If there are as many indices as the node has GPUs, the smallest index means the first GPU,
/// because a job that sees only some GPUs of a machine may have been given their numbers on the whole machine.
/// Otherwise an index is one of gpu_numbers(), and where a list has more than the machine, those of other GPUs are left
/// out. Throws Error(bad_input) for an entry whose GPU is not known, or that names a GPU twice.
[[nodiscard]] VisibleGpus visible_gpus(const PlacedNode& node, const std::string& variable, std::string_view inherited);

}  // namespace topowise
