// SPDX-License-Identifier: BSD-3-Clause
// Writes to files what the start of a mapped job reads, so that reading them can be timed.
#pragma once

#include <filesystem>

#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::benchmark {

/// Writes the files to a new folder among the temporary files, and removes it when this object goes. Throws
/// Error(bad_input).
class StartFiles {
 public:
  StartFiles(const Traffic& traffic, const Topology& machine);
  ~StartFiles();
  StartFiles(const StartFiles&) = delete;
  StartFiles& operator=(const StartFiles&) = delete;

  // Each function reads its file again, as `topowise map` does.
  [[nodiscard]] Traffic read_traffic() const;
  [[nodiscard]] Topology read_machine() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace topowise::benchmark
