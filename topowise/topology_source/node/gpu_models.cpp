// SPDX-License-Identifier: BSD-3-Clause
// Ids and names: the PCI ID repository, pci-ids.ucw.cz.
#include <topowise/topology_source/node/gpu_models.hpp>

#include <algorithm>
#include <array>

namespace topowise {
namespace {

struct Entry {
  int vendor, device;
  GpuModel model;
};

constexpr int kNvidia = 0x10de;
constexpr int kAmd = 0x1002;
constexpr auto kNvlink = LinkKind::nvlink;
constexpr auto kXgmi = LinkKind::xgmi;

constexpr std::array<Entry, 45> kModels{{{kNvidia, 0x15f9, {"P100 SXM2", kNvlink}},
                                         {kNvidia, 0x15f8, {"P100 PCIe", {}}},
                                         {kNvidia, 0x1db1, {"V100 SXM2 16GB", kNvlink}},
                                         {kNvidia, 0x1db3, {"V100 SXM2 16GB-LS", kNvlink}},
                                         {kNvidia, 0x1db5, {"V100 SXM2 32GB", kNvlink}},
                                         {kNvidia, 0x1db8, {"V100 SXM3 32GB", kNvlink}},
                                         {kNvidia, 0x1db4, {"V100 PCIe 16GB", {}}},
                                         {kNvidia, 0x1db6, {"V100 PCIe 32GB", {}}},
                                         {kNvidia, 0x1eb8, {"T4", {}}},
                                         {kNvidia, 0x20b0, {"A100 SXM4 40GB", kNvlink}},
                                         {kNvidia, 0x20b2, {"A100 SXM4 80GB", kNvlink}},
                                         {kNvidia, 0x20b3, {"A100 SXM 64GB", kNvlink}},
                                         {kNvidia, 0x20bd, {"A800 SXM4 40GB", kNvlink}},
                                         {kNvidia, 0x20f3, {"A800 SXM4 80GB", kNvlink}},
                                         {kNvidia, 0x20b1, {"A100 PCIe 40GB", {}}},
                                         {kNvidia, 0x20f1, {"A100 PCIe 40GB", {}}},
                                         {kNvidia, 0x20b5, {"A100 PCIe 80GB", {}}},
                                         {kNvidia, 0x2236, {"A10", {}}},
                                         {kNvidia, 0x2237, {"A10G", {}}},
                                         {kNvidia, 0x2684, {"RTX 4090", {}}},
                                         {kNvidia, 0x26b5, {"L40", {}}},
                                         {kNvidia, 0x26b9, {"L40S", {}}},
                                         {kNvidia, 0x27b8, {"L4", {}}},
                                         {kNvidia, 0x2330, {"H100 SXM5 80GB", kNvlink}},
                                         {kNvidia, 0x2336, {"H100 SXM5 64GB", kNvlink}},
                                         {kNvidia, 0x2339, {"H100 SXM5 94GB", kNvlink}},
                                         {kNvidia, 0x2324, {"H800", kNvlink}},
                                         {kNvidia, 0x2329, {"H20", kNvlink}},
                                         {kNvidia, 0x2335, {"H200 SXM 141GB", kNvlink}},
                                         {kNvidia, 0x2331, {"H100 PCIe", {}}},
                                         {kNvidia, 0x2321, {"H100L 94GB", {}}},
                                         {kNvidia, 0x2342, {"GH200 120GB / 480GB", {}}},
                                         {kNvidia, 0x2901, {"B200", kNvlink}},
                                         {kNvidia, 0x2941, {"GB200", kNvlink}},
                                         {kNvidia, 0x3182, {"B300 SXM6", kNvlink}},
                                         {kNvidia, 0x31c2, {"GB300", kNvlink}},
                                         {kAmd, 0x66a1, {"MI50, MI60", {}}},
                                         {kAmd, 0x738c, {"MI100", {}}},
                                         {kAmd, 0x740f, {"MI210", {}}},
                                         {kAmd, 0x7408, {"MI250X", kXgmi}},
                                         {kAmd, 0x740c, {"MI250", kXgmi}},
                                         {kAmd, 0x74a0, {"MI300A", kXgmi}},
                                         {kAmd, 0x74a1, {"MI300X", kXgmi}},
                                         {kAmd, 0x74a5, {"MI325X", kXgmi}},
                                         {kAmd, 0x75a0, {"MI350X", kXgmi}}}};

}  // namespace

std::optional<GpuModel> gpu_model(int vendor, int device) {
  const auto found = std::ranges::find_if(
      kModels, [&](const Entry& entry) { return entry.vendor == vendor && entry.device == device; });
  return found == kModels.end() ? std::nullopt : std::optional(found->model);
}

}  // namespace topowise
