// SPDX-License-Identifier: BSD-3-Clause
// What NVIDIA's management library (NVML) reports about the GPUs of this machine. It is opened at run time; one that is
// missing, too old, or not allowed to answer ends in words, never in a crash. NVML ignores CUDA_VISIBLE_DEVICES; a
// container or control group hides devices from it, or lets it name devices that it may not open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/shared_library.hpp>

namespace topowise::nvml {

/// Where the paths of two GPUs meet (nvmlGpuTopologyLevel_t).
enum class Ancestor : unsigned char { unknown, internal, single_switch, several_switches, host_bridge, node, system };

/// What is at the other end of an NVLink.
enum class Remote : unsigned char { gpu, npu, nvswitch, unknown };

/// One active link of a GPU.
struct NvLink {
  unsigned number = 0;
  unsigned version = 0;  ///< of the protocol; 0 if not known
  Remote remote = Remote::unknown;
  std::string remote_bus_id;  ///< as NVML prints it: "00000000:07:00.0"; empty if not known
};

struct Gpu {
  unsigned index = 0;  ///< NVML's own number, in the order of the bus ids
  std::string bus_id;  ///< "00000000:06:00.0"
  std::string uuid;
  std::string name;
  std::optional<int> numa;           ///< nearest memory of the host
  std::vector<std::size_t> cpus;     ///< nearest processors, ascending; empty if not known
  unsigned pcie_generation = 0;      ///< the most that device and slot reach together, not the resting one; 0 unknown
  unsigned pcie_lanes = 0;           ///< likewise
  std::optional<bool> mig;           ///< partitioned now; nothing if it cannot be
  std::vector<std::string> mig_ids;  ///< UUIDs of its partitions
  std::uint64_t memory_used = 0;     ///< bytes
  unsigned processes = 0;            ///< processes that compute on it now, without the server of MPS
  std::vector<NvLink> links;
};

/// Whether one GPU can read the other's memory (nvmlDeviceGetP2PStatus, read).
enum class PeerRead : unsigned char { unknown, possible, refused };

struct Report {
  std::string library;  ///< the file that answered
  std::string driver;   ///< version of the driver
  std::vector<Gpu> gpus;
  std::vector<Ancestor> ancestors;    ///< gpus.size() squared, row-major
  std::vector<PeerRead> peers;        ///< likewise; the row reads the column
  std::vector<std::string> problems;  ///< what could not be asked, each with NVML's own reason

  [[nodiscard]] Ancestor ancestor(std::size_t a, std::size_t b) const { return ancestors[a * gpus.size() + b]; }
  [[nodiscard]] PeerRead peer(std::size_t a, std::size_t b) const { return peers[a * gpus.size() + b]; }
};

/// libnvidia-ml.so.1, or the library that TOPOWISE_NVML_LIBRARY names. Throws Error(not_available) if it is missing.
[[nodiscard]] SharedLibrary open_library();

/// GPUs that may not be opened or that are lost are left out with a problem. Throws Error(not_available) if the library
/// does not start.
[[nodiscard]] Report ask(const SharedLibrary& library);
/// The same with open_library().
[[nodiscard]] Report ask();

}  // namespace topowise::nvml
