// SPDX-License-Identifier: BSD-3-Clause
// The rate of a link if a source names only its kind: peaks of the standards, and NCCL's constants.
#pragma once

#include <string_view>

#include <topowise/base/units.hpp>
#include <topowise/graph/pcie_link.hpp>
#include <topowise/graph/provenance.hpp>

namespace topowise {

/// A rate inside one processor package or GPU, which is never the narrowest part of a route (NCCL's LOC_BW,
/// src/graph/topo.h).
inline constexpr BytesPerSecond kInsidePackage = gigabytes_per_second(5000);

/// The rate of one link in one direction, by ten times the compute capability (70 for V100). NVLink 1: 20 GB/s, 2 to 4:
/// 25, 5: 50; GA10x (86) has NVLink 3 links of half the width.
[[nodiscard]] BytesPerSecond nvlink_bandwidth(int sm);

/// The rate of a slot of sixteen lanes in one direction, by ten times the compute capability: PCIe 3 up to Turing, 4
/// with Ampere and Ada, 5 with Hopper and Blackwell, 6 with Blackwell Ultra (103).
[[nodiscard]] BytesPerSecond slot_bandwidth(int sm);

/// The rate of one link in one direction, by the architecture as RCCL writes it: "906", "908", "910" (gfx90a), "940",
/// "gfx942". 0 if unknown.
[[nodiscard]] BytesPerSecond xgmi_bandwidth(std::string_view gcn);

/// A processor as NCCL's XML and hwloc name it.
struct Processor {
  std::string_view architecture;  ///< "x86_64", "ppc64", "arm64"
  std::string_view vendor;        ///< "GenuineIntel", "AuthenticAMD", ...
  int family = 0;
  int model = 0;
};

/// The rate between sockets in practice, by NCCL's constants: it is far below the peak of the wires.
[[nodiscard]] BytesPerSecond inter_socket_bandwidth(const Processor& processor);

/// One direction of one link, and where the number comes from.
struct Rate {
  double gigabytes_per_second = 0.0;
  double microseconds = 0.0;
  Basis basis{};
};

/// Bandwidths are peaks of one direction. Latencies are usual figures for crossing the link and what it enters (a PCIe
/// switch forwards in 0.1 to 0.15 us). They order the classes; only a measurement gives a machine's own latencies.
namespace rate {
inline constexpr Rate kPcie3x16{15.754, 0.15, Basis::nominal};
inline constexpr Rate kPcie4x16{31.508, 0.15, Basis::nominal};
inline constexpr Rate kPcie5x16{63.015, 0.15, Basis::nominal};
inline constexpr Rate kPcie6x16{121.0, 0.15, Basis::nominal};
inline constexpr Rate kNvlink1{20.0, 0.70, Basis::nominal};
inline constexpr Rate kNvlink2{25.0, 0.70, Basis::nominal};  // also NVLink 3 and 4: more links of the same rate
inline constexpr Rate kNvlink5{50.0, 0.70, Basis::nominal};
inline constexpr Rate kNvlinkToSwitch2{25.0, 0.40, Basis::nominal};
inline constexpr Rate kNvlinkToSwitch5{50.0, 0.40, Basis::nominal};
inline constexpr Rate kXgmi50{50.0, 0.70, Basis::nominal};      // MI250, MI250X: 25 GT/s x 16
inline constexpr Rate kXgmi64{64.0, 0.70, Basis::nominal};      // MI300, MI325X: 32 GT/s x 16
inline constexpr Rate kXgmi76{76.8, 0.70, Basis::nominal};      // MI350X, MI355X: 38.4 GT/s x 16
inline constexpr Rate kXgmiMi50{46.0, 0.70, Basis::nominal};    // MI50, MI100: 23 GT/s x 16
inline constexpr Rate kNvlinkC2c{450.0, 0.30, Basis::nominal};  // Grace
// Ports of NICs are narrower than the slot above them. Data that enters a NIC leaves it by its ports.
inline constexpr Rate kPort100{12.5, 0.15, Basis::nominal};
inline constexpr Rate kPort200{25.0, 0.15, Basis::nominal};
inline constexpr Rate kPort400{50.0, 0.15, Basis::nominal};
inline constexpr Rate kPort800{100.0, 0.15, Basis::nominal};
inline constexpr Rate kInside{100.0, 0.10, Basis::nominal};  // inside one package: never the narrowest
// The rate between sockets in practice is far below the peak of the wires; these are NCCL's constants
// (src/graph/topo.h).
inline constexpr Rate kQpi{6.0, 0.50, Basis::nccl};
inline constexpr Rate kUpiSkylake{10.0, 0.50, Basis::nccl};
inline constexpr Rate kUpiSapphireRapids{22.0, 0.50, Basis::nccl};
inline constexpr Rate kAmdSocket{16.0, 0.50, Basis::nccl};
inline constexpr Rate kPower9Socket{32.0, 0.50, Basis::nccl};
inline constexpr Rate kArmSocket{6.0, 0.50, Basis::nccl};
}  // namespace rate

}  // namespace topowise
