// SPDX-License-Identifier: BSD-3-Clause
// NVML's functions as nvml.h declares them; that ABI is stable, and no header of NVIDIA's is needed.
#pragma once

#include <topowise/base/shared_library.hpp>

namespace topowise::nvml {

using Device = void*;

enum Status : int {
  kSuccess = 0,
  kNotSupported = 3,
  kInsufficientSize = 7,
};

/// nvmlPciInfo_t of version 3.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

/// nvmlMemory_t
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// nvmlProcessInfo_t since version 2.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

inline constexpr unsigned kMostLinks = 36;  ///< more than any GPU has; asking beyond the last is answered with an error
inline constexpr unsigned kReadCapability = 0;  ///< NVML_P2P_CAPS_INDEX_READ
inline constexpr unsigned kNumaScope = 0;       ///< NVML_AFFINITY_SCOPE_NODE
inline constexpr unsigned kTextLength = 96;     ///< names and UUIDs

/// All may be null except the first six: an old library lacks what is newer than it.
struct Functions {
  int (*init)();
  int (*shutdown)();
  const char* (*error_text)(int);
  int (*count)(unsigned*);
  int (*device)(unsigned, Device*);
  int (*pci)(Device, PciInfo*);

  int (*driver_version)(char*, unsigned);
  int (*uuid)(Device, char*, unsigned);
  int (*name)(Device, char*, unsigned);
  int (*ancestor)(Device, Device, int*);
  int (*p2p)(Device, Device, unsigned, int*);
  int (*link_state)(Device, unsigned, unsigned*);
  int (*link_version)(Device, unsigned, unsigned*);
  int (*link_remote)(Device, unsigned, PciInfo*);
  int (*link_remote_type)(Device, unsigned, unsigned*);
  int (*pcie_generation)(Device, unsigned*);
  int (*pcie_width)(Device, unsigned*);
  int (*cpus)(Device, unsigned, unsigned long*);
  int (*memory_nodes)(Device, unsigned, unsigned long*, unsigned);
  int (*mig_mode)(Device, unsigned*, unsigned*);
  int (*mig_most)(Device, unsigned*);
  int (*mig_device)(Device, unsigned, Device*);
  int (*memory)(Device, Memory*);
  int (*processes)(Device, unsigned*, ProcessInfo*);

  [[nodiscard]] bool usable() const {
    return init != nullptr && shutdown != nullptr && error_text != nullptr && count != nullptr && device != nullptr &&
           pci != nullptr;
  }
};

[[nodiscard]] Functions functions_of(const SharedLibrary& library);

}  // namespace topowise::nvml
