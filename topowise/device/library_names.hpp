// SPDX-License-Identifier: BSD-3-Clause
// Where the libraries of GPUs' vendors are, and how a user names another file.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace topowise::device {

/// One library of a vendor.
struct LibraryNames {
  const char* backend;               ///< "cuda", "hip", "nvml"
  const char* variable;              ///< names another library, if set and not empty
  std::array<const char*, 4> usual;  ///< tried in turn; the rest is null
};

inline constexpr LibraryNames kCudaLibrary{
    "cuda", "TOPOWISE_CUDA_LIBRARY", {"libcuda.so.1", nullptr, nullptr, nullptr}};
inline constexpr LibraryNames kHipLibrary{
    "hip", "TOPOWISE_HIP_LIBRARY", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}};
inline constexpr LibraryNames kNvmlLibrary{
    "nvml", "TOPOWISE_NVML_LIBRARY", {"libnvidia-ml.so.1", nullptr, nullptr, nullptr}};

/// The library that the variable names, else the usual ones.
[[nodiscard]] std::vector<std::string> names_to_try(const LibraryNames& names);
/// Whether the variable names a library.
[[nodiscard]] bool is_named_by_user(const LibraryNames& names);

}  // namespace topowise::device
