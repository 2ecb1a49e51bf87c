// SPDX-License-Identifier: BSD-3-Clause
// What a link carries where a source names only its kind: peaks of the standards, and NCCL's constants.
#pragma once

#include <string_view>

#include <topowise/base/units.hpp>

namespace topowise {

/// Inside one processor package or GPU: never the narrowest part of a route (NCCL's LOC_BW, src/graph/topo.h).
inline constexpr BytesPerSecond kInsidePackage = gigabytes_per_second(5000);

/// Peak of one direction after line coding: 8b/10b up to 5 GT/s, 128b/130b to 32 GT/s, 242/256 FLITs beyond. 0 for 0.
[[nodiscard]] BytesPerSecond pcie_bandwidth(double gigatransfers_per_second, int lanes);

/// One link, one direction, by ten times the compute capability (70 for V100). NVLink 1: 20 GB/s, 2 to 4: 25, 5: 50;
/// GA10x (86) has NVLink 3 links of half the width.
[[nodiscard]] BytesPerSecond nvlink_bandwidth(int sm);

/// One link, one direction, by architecture as RCCL writes it: "906", "908", "910" (gfx90a), "940", "gfx942". 0 if
/// unknown.
[[nodiscard]] BytesPerSecond xgmi_bandwidth(std::string_view gcn);

/// A processor as NCCL's XML and hwloc name it.
struct Processor {
  std::string_view architecture;  ///< "x86_64", "ppc64", "arm64"
  std::string_view vendor;        ///< "GenuineIntel", "AuthenticAMD", ...
  int family = 0;
  int model = 0;
};

/// What crosses the sockets in practice, by NCCL's constants: far below the peak of the wires.
[[nodiscard]] BytesPerSecond inter_socket_bandwidth(const Processor& processor);

}  // namespace topowise
