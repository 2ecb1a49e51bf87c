// SPDX-License-Identifier: BSD-3-Clause
// From which NUMA domains this process gets its memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace topowise::job {

struct MemoryPolicy {
  std::string mode;          ///< "default", "preferred", "bind", "interleave", "local", ...
  std::vector<int> nodes;    ///< that the policy names, ascending; empty for "default" and "local"
  std::vector<int> allowed;  ///< by the control group, ascending; empty if not known

  /// "default", "bind 0-1"
  [[nodiscard]] std::string words() const;
  /// Whether memory of that domain may be used.
  [[nodiscard]] bool reaches(int node) const;
};

/// Nothing where the kernel does not tell.
[[nodiscard]] std::optional<MemoryPolicy> memory_policy();

}  // namespace topowise::job
