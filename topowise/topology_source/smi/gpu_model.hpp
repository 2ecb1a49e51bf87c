// SPDX-License-Identifier: BSD-3-Clause
// The generations of NVLink and PCIe, by the names of GPUs that are beside the matrix in a pasted text: a prompt,
// `nvidia-smi -L`, the summary of `nvidia-smi`.
#pragma once

#include <string_view>

#include <topowise/base/units.hpp>

namespace topowise {

/// The rate of one NVLink in one direction for the GPUs that the text names; 0 if it names none, or GPUs with different
/// rates.
[[nodiscard]] BytesPerSecond nvlink_of_named_gpus(std::string_view text);

/// The rate of a slot in one direction for the GPUs that the text names; 0 if it names none, or GPUs of different
/// generations of PCIe.
[[nodiscard]] BytesPerSecond slot_of_named_gpus(std::string_view text);

/// The rate of one NVLink by any description of a machine: by names, else by the architecture that `nvidia-smi -q`
/// prints, by the compute capabilities in NCCL's XML, or by the PCI ids in NCCL's and hwloc's XML.
[[nodiscard]] BytesPerSecond nvlink_of_described_gpus(std::string_view text);

/// False if the text names GPUs and all of them are of models without NVLink (T4, L40S, GeForce).
[[nodiscard]] bool may_have_nvlink(std::string_view text);

}  // namespace topowise
