// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace topowise::cli {

/// Whether the NVIDIA GPUs of this machine can read each other's memory.
struct PeerAccess {
  bool possible = false;  ///< every pair can
  std::string detail;     ///< "8 GPUs, all 56 pairs", or what is in the way
};

/// Asks NVML, which is opened at run time.
[[nodiscard]] PeerAccess peer_access();

}  // namespace topowise::cli
