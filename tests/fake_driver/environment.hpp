// SPDX-License-Identifier: BSD-3-Clause
// The variables TOPOWISE_FAKE_... of the process's environment say which node is simulated, and how.
#pragma once

#include <cstdint>
#include <string>

namespace topowise::fake {

/// A variable that should be a number but is none counts as absent: a driver cannot report it.
[[nodiscard]] std::string text_variable(const char* name, const char* otherwise = "");
[[nodiscard]] double number_variable(const char* name, double otherwise);
[[nodiscard]] bool flag_variable(const char* name);  ///< set, and neither empty nor "0"

/// The variable that names the node. The library of HIP has its own variable, for nodes with GPUs of two vendors.
[[nodiscard]] const char* node_variable();
/// Whether the first call initialises the driver, and a thread that has selected no device works on the first one, as
/// with HIP.
[[nodiscard]] bool is_ready_by_itself();

/// Read once, at the first call to the driver.
struct Environment {
  std::string node = text_variable(node_variable(), "preset:helios-k80");  ///< TOPOLOGY of docs/cli.md
  std::string session = text_variable("TOPOWISE_FAKE_SESSION");  ///< processes with the same node and session share it
  std::string folder = text_variable("TOPOWISE_FAKE_FOLDER", "/dev/shm");  ///< where device memory lies
  std::string peers = text_variable("TOPOWISE_FAKE_PEER", "all");          ///< "all", "none" or "0-1,2-3"
  std::string faults = text_variable("TOPOWISE_FAKE_FAULT");
  std::string instances = text_variable("TOPOWISE_FAKE_MIG");  ///< "0:2,3:7": GPU 0 is cut in two, GPU 3 in seven
  double memory_mib = number_variable("TOPOWISE_FAKE_MEMORY_MIB", 1024);  ///< of each GPU
  double delay_us = number_variable("TOPOWISE_FAKE_DELAY_US", 0);  ///< greatest wait of a stream before each task
  double timeslice_us = number_variable("TOPOWISE_FAKE_TIMESLICE_US", 0);  ///< cost of a change of process on a GPU
  double pace_scale = number_variable("TOPOWISE_FAKE_PACE_SCALE", 1);  ///< seconds of the clock per second of the model
  int compute = static_cast<int>(number_variable("TOPOWISE_FAKE_COMPUTE", 5));  ///< compute capability: 5.0
  std::uint64_t seed = static_cast<std::uint64_t>(number_variable("TOPOWISE_FAKE_SEED", 1));
  bool coherent = flag_variable("TOPOWISE_FAKE_COHERENT");  ///< the host may read and write device memory
  bool mps = flag_variable("TOPOWISE_FAKE_MPS");
  bool pace = flag_variable("TOPOWISE_FAKE_PACE");
};

[[nodiscard]] const Environment& environment();

}  // namespace topowise::fake
