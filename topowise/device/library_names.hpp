// SPDX-License-Identifier: BSD-3-Clause
// Where the drivers of GPUs are, and how a user names another file.
#pragma once

#include <array>

namespace topowise::device {

/// One vendor's driver library.
struct LibraryNames {
  const char* backend;               ///< "cuda", "hip"
  const char* variable;              ///< names another library, if set and not empty
  std::array<const char*, 3> usual;  ///< tried in turn; the rest is null
};

inline constexpr LibraryNames kCudaLibrary{"cuda", "TOPOWISE_CUDA_LIBRARY", {"libcuda.so.1", nullptr, nullptr}};
inline constexpr LibraryNames kHipLibrary{
    "hip", "TOPOWISE_HIP_LIBRARY", {"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}};

}  // namespace topowise::device
