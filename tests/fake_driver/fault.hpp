// SPDX-License-Identifier: BSD-3-Clause
// Calls that fail on purpose, for a test.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::fake {

/// TOPOWISE_FAKE_FAULT=CALL:WHEN:ERROR[,...]. CALL is a name without _v2, or '*' for every call. WHEN is the number of
/// the one call that fails, counted from 1; '3+' is that call and all later ones (a lost GPU); '*' is all calls. ERROR
/// is a name of result.cpp, or KILL (the process is killed at this call), or NOTHING (the call does nothing, and
/// reports success). Each process counts its own calls. An entry that cannot be read is reported on stderr, because a
/// test that injects nothing would pass.
class Faults {
 public:
  static constexpr int kNothing = -2;  ///< no driver returns this

  explicit Faults(const std::string& text);
  /// The error of this call, or 0, or kNothing. Does not return if the process is to be killed.
  [[nodiscard]] int next(std::string_view call);

 private:
  struct Fault {
    std::string call;
    std::uint64_t first = 1;
    bool later_ones_too = false;
    int code = 0;
    std::atomic<std::uint64_t> calls{0};
  };
  std::vector<std::unique_ptr<Fault>> faults_;
};

}  // namespace topowise::fake
