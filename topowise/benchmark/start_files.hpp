// SPDX-License-Identifier: BSD-3-Clause
// What the start of a mapped job reads, as files, so that reading them can be timed.
#pragma once

#include <filesystem>

#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::benchmark {

/// In a folder of their own among the temporary files, which goes with the object. Throws Error(bad_input).
class StartFiles {
 public:
  StartFiles(const Traffic& traffic, const Topology& machine);
  ~StartFiles();
  StartFiles(const StartFiles&) = delete;
  StartFiles& operator=(const StartFiles&) = delete;

  // Each reads its file anew, as `topowise map` does.
  [[nodiscard]] Traffic read_traffic() const;
  [[nodiscard]] Topology read_machine() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace topowise::benchmark
