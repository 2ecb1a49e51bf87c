// SPDX-License-Identifier: BSD-3-Clause
// Whether another process still runs. Its number alone does not show it: numbers are given out again, and a process
// that was killed keeps its number until its parent asks for its end.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace topowise::collective {

struct ProcessMark {
  pid_t pid = 0;
  std::uint64_t started = 0;  ///< clock ticks after the machine was booted
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

[[nodiscard]] ProcessMark this_process_mark();
[[nodiscard]] bool has_ended(const ProcessMark& mark);

/// A number that is the same in all processes that see each other's process numbers. It is made of this boot of the
/// machine, the host name and the PID namespace.
[[nodiscard]] std::uint64_t process_space();

}  // namespace topowise::collective
