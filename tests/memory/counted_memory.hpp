// SPDX-License-Identifier: BSD-3-Clause
// The memory that this program holds, counted at each request.
#pragma once

#include <cstddef>

namespace topowise::test {

/// The peak of held memory since begin(), beyond the memory held at begin().
class MemoryPeak {
 public:
  MemoryPeak();
  [[nodiscard]] std::size_t bytes() const;
  /// The memory held now, beyond the memory held at begin().
  [[nodiscard]] std::size_t held() const;

 private:
  std::size_t before_;
};

}  // namespace topowise::test
