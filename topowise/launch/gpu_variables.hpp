// SPDX-License-Identifier: BSD-3-Clause
// How `topowise run` gives the preloaded library the GPU of a rank. Also compiled into that library: uses the
// standard library only.
#pragma once

namespace topowise {

/// The GPU to make current: a PCI bus id, a UUID, or a position in the visible devices.
inline constexpr const char* kGpuVariable = "TOPOWISE_GPU";
/// The GPU that is to be current when MPI ends, by one of the same names.
inline constexpr const char* kVerifiedGpuVariable = "TOPOWISE_VERIFY_GPU";

}  // namespace topowise
