// SPDX-License-Identifier: BSD-3-Clause
// The vendor of a GPU. Sources put it into the name where a node has GPUs of several vendors: "AMD GPU0", "NVIDIA
// GPU0", and in a cluster "n1:AMD GPU0".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {
/// Who made a GPU.
enum class GpuVendor : unsigned char {
  unknown,        ///< not known, as in nodes of NVIDIA's or AMD's GPUs alone, whose programs are served alike
  nvidia,         ///< NVIDIA
  amd,            ///< AMD
  intel,          ///< Intel
  huawei,         ///< Huawei, of the NPU Ascend
  hygon,          ///< Hygon, of the DCU
  cambricon,      ///< Cambricon, of the MLU
  iluvatar,       ///< Iluvatar
  moore_threads,  ///< Moore Threads
  metax,          ///< MetaX
  enflame,        ///< Enflame
  other,          ///< neither NVIDIA nor AMD, and not known
};

/// "NVIDIA", "AMD", "Intel", "Moore Threads", "another vendor"; empty for unknown.
[[nodiscard]] std::string_view to_string(GpuVendor vendor);
/// The reverse of to_string(); nothing for another word.
[[nodiscard]] std::optional<GpuVendor> parse_gpu_vendor(std::string_view text);
/// The variable that lists the GPUs which programs of a vendor see; empty if it is not known, or if there is no one
/// list (unknown).
[[nodiscard]] std::string_view visible_devices_of(GpuVendor vendor);
/// All variables that list GPUs for programs, each once: those of the vendors, and ROCR_VISIBLE_DEVICES, below AMD's
/// HIP.
[[nodiscard]] std::vector<std::string> visible_devices_variables();
/// The vendor that a GPU's name states.
[[nodiscard]] GpuVendor vendor_in_name(std::string_view gpu);

}  // namespace topowise
