// SPDX-License-Identifier: BSD-3-Clause
// How much memory this program holds, counted where it asks for it.
#pragma once

#include <cstddef>

namespace topowise::test {

/// The most that was held at once since begin(), beyond what was held then.
class MemoryPeak {
 public:
  MemoryPeak();
  [[nodiscard]] std::size_t bytes() const;
  /// What is held now, beyond what was held then.
  [[nodiscard]] std::size_t held() const;

 private:
  std::size_t before_;
};

}  // namespace topowise::test
