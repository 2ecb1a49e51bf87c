// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains from which this process gets its memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace topowise::job {

struct MemoryPolicy {
  std::string mode;          ///< "default", "preferred", "bind", "interleave", "local", ...
  std::vector<int> nodes;    ///< NUMA domains that the policy names, ascending; empty for "default" and "local"
  std::vector<int> allowed;  ///< NUMA domains that the control group allows, ascending; empty if not known

  /// The policy in words: "default", "bind 0-1".
  [[nodiscard]] std::string words() const;
  /// True if this process may use memory of that domain.
  [[nodiscard]] bool reaches(int node) const;
};

/// The policy of this process; nothing if the kernel does not say.
[[nodiscard]] std::optional<MemoryPolicy> memory_policy();

}  // namespace topowise::job
