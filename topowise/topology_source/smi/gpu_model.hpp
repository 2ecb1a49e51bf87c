// SPDX-License-Identifier: BSD-3-Clause
// The generations of NVLink and PCIe, by the names of GPUs that stand in a paste beside the matrix: a prompt,
// `nvidia-smi -L`, the summary of `nvidia-smi`.
#pragma once

#include <string_view>

#include <topowise/base/units.hpp>

namespace topowise {

/// One NVLink, one direction, of the GPUs that the text names; 0 if it names none, or some of different rates.
[[nodiscard]] BytesPerSecond nvlink_of_named_gpus(std::string_view text);

/// What the slots of the GPUs that the text names carry in one direction; 0 if it names none, or some of different
/// generations of PCIe.
[[nodiscard]] BytesPerSecond slot_of_named_gpus(std::string_view text);

/// The rate of one NVLink by any description of a machine: by names, else by what `nvidia-smi -q` calls the
/// architecture, by the compute capabilities of NCCL's XML, or by the PCI ids of NCCL's and hwloc's.
[[nodiscard]] BytesPerSecond nvlink_of_described_gpus(std::string_view text);

/// False if the text names GPUs and all of them are of models without NVLink (T4, L40S, GeForce).
[[nodiscard]] bool may_have_nvlink(std::string_view text);

}  // namespace topowise
