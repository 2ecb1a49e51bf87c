// SPDX-License-Identifier: BSD-3-Clause
// Calls that fail because a test wants them to.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::fake {

/// TOPOWISE_FAKE_FAULT=CALL:WHEN:ERROR[,...]. CALL is a name without _v2, or '*' for every call. WHEN is the number of
/// the one call that fails, from 1; '3+' for that and all later ones (a lost GPU); '*' for all. ERROR is a name of
/// result.cpp, or KILL: the process is killed at this call, or NOTHING: the call does nothing, and says that it went
/// well. Each process counts its own calls. An entry that cannot be
/// read is told on stderr: a test that injects nothing would pass.
class Faults {
 public:
  static constexpr int kNothing = -2;  ///< no result of a driver

  explicit Faults(const std::string& text);
  /// The error that this call has, or 0, or kNothing. Does not return where the process is to be killed.
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
