// SPDX-License-Identifier: BSD-3-Clause
// Sources: NVIDIA's and AMD's data sheets (peaks), NCCL src/graph/topo.h
// and topo.cc (sockets: AMD_BW 16, QPI_BW 6, SKL_QPI_BW 10, SRP 22, ERP 40, P9_BW 32, ARM_BW 6, ZPI 6 and 9).
#include <topowise/topology_source/node/link_rate.hpp>

#include <array>
#include <utility>

namespace topowise {

BytesPerSecond nvlink_bandwidth(int sm) {
  if (sm >= 100) return gigabytes_per_second(50);
  if (sm == 86) return gigabytes_per_second(14.0625);
  return gigabytes_per_second(sm > 0 && sm < 70 ? 20 : 25);
}

BytesPerSecond slot_bandwidth(int sm) {
  const auto rate = [&] {
    if (sm == 103) return rate::kPcie6x16;
    if (sm >= 90) return rate::kPcie5x16;
    return sm >= 80 ? rate::kPcie4x16 : rate::kPcie3x16;
  };
  return gigabytes_per_second(rate().gigabytes_per_second);
}

BytesPerSecond xgmi_bandwidth(std::string_view gcn) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kPeaks{
      {{"906", 46.0}, {"908", 46.0}, {"910", 50.0}, {"90a", 50.0}, {"94", 64.0}, {"95", 76.8}}};
  if (gcn.starts_with("gfx")) gcn.remove_prefix(3);
  for (const auto& [prefix, peak] : kPeaks) {
    if (gcn.starts_with(prefix)) return gigabytes_per_second(peak);
  }
  return {};
}

BytesPerSecond inter_socket_bandwidth(const Processor& processor) {
  const auto rate = [&] {
    if (processor.architecture.starts_with("ppc")) return 32.0;
    if (processor.architecture.starts_with("arm") || processor.architecture.starts_with("aarch")) return 6.0;
    if (processor.vendor == "AuthenticAMD" || processor.vendor == "HygonGenuine") return 16.0;
    if (processor.vendor == "GenuineIntel" && processor.family == 6) {
      if (processor.model >= 0xcf) return 40.0;  // Emerald Rapids and later
      if (processor.model >= 0x8f) return 22.0;  // Sapphire Rapids
      if (processor.model >= 0x55) return 10.0;  // Skylake, Cascade Lake, Ice Lake
    }
    return 6.0;
  };
  return gigabytes_per_second(rate());
}

}  // namespace topowise
