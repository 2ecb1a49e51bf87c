// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/peer_access.hpp>

#include <fmt/format.h>

#include <array>
#include <vector>

#include <topowise/base/shared_library.hpp>

namespace topowise::cli {
namespace {

// Of nvml.h, whose ABI is stable.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kReadCapability = 0;  ///< NVML_P2P_CAPS_INDEX_READ
constexpr int kStatusOk = 0;        ///< NVML_P2P_STATUS_OK

struct Nvml {
  int (*init)();
  int (*shutdown)();
  int (*count)(unsigned*);
  int (*device)(unsigned, Device*);
  int (*p2p)(Device, Device, int, int*);
};

PeerAccess ask(const Nvml& nvml) {
  unsigned count = 0;
  if (nvml.count(&count) != kSuccess) return {false, "NVML does not tell the number of GPUs"};
  std::vector<Device> devices(count);
  for (unsigned i = 0; i < count; ++i) {
    if (nvml.device(i, &devices[i]) != kSuccess) return {false, fmt::format("NVML does not give access to GPU {}", i)};
  }
  if (count < 2) return {false, fmt::format("{} GPU", count)};
  unsigned possible = 0;
  for (const Device a : devices) {
    for (const Device b : devices) {
      int status = -1;
      if (a != b && nvml.p2p(a, b, kReadCapability, &status) == kSuccess && status == kStatusOk) ++possible;
    }
  }
  const unsigned pairs = count * (count - 1);
  return {possible == pairs, fmt::format("{} GPUs, {} of {} pairs", count, possible, pairs)};
}

}  // namespace

PeerAccess peer_access() {
  std::string reason;
  const std::array<std::string, 1> names{"libnvidia-ml.so.1"};
  const std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (!library) return {false, "no NVIDIA driver"};
  const Nvml nvml{library->function<int()>("nvmlInit_v2"), library->function<int()>("nvmlShutdown"),
                  library->function<int(unsigned*)>("nvmlDeviceGetCount_v2"),
                  library->function<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2"),
                  library->function<int(Device, Device, int, int*)>("nvmlDeviceGetP2PStatus")};
  if (nvml.init == nullptr || nvml.shutdown == nullptr || nvml.count == nullptr || nvml.device == nullptr ||
      nvml.p2p == nullptr)
    return {false, "NVML is too old"};
  if (nvml.init() != kSuccess) return {false, "NVML finds no driver"};
  PeerAccess answer = ask(nvml);
  nvml.shutdown();
  return answer;
}

}  // namespace topowise::cli
