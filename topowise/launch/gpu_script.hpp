// SPDX-License-Identifier: BSD-3-Clause
// Parts of the scripts that start a program with the GPU of its rank.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// Throws Error(bad_input) if a rank is mapped to a place that is no GPU, or to a GPU of whose vendor no variable is
/// known.
void require_gpus(const Placement& placement);

/// Throws Error(bad_input) if a node has GPUs of several vendors, where `format` has one number for each GPU.
void refuse_several_vendors(const Placement& placement, std::string_view format);

/// Assignments of sh: `gpu=1 gpus=4` are the number of a rank's GPU among those of its vendor, and how many these are.
/// `gpus=0,2,3` where these numbers have gaps. Where the vendor is known, `vendor=AMD` follows, and for Intel
/// also the mask of Level Zero.
[[nodiscard]] std::string gpu_in_shell(const PlacedNode& node, std::size_t gpu);

/// The end of a script of sh. It puts `$gpu` of `$gpus` at the position of `$local_rank` in the list of all GPUs, and
/// then becomes the program. It sets only the variable of `$vendor`.
[[nodiscard]] std::string gpu_list_in_shell(const Placement& placement);

}  // namespace topowise
