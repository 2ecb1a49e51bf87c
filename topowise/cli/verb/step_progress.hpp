// SPDX-License-Identifier: BSD-3-Clause
// How far a measurement of many steps is, on standard error. A launcher reads the ranks' standard error through a pipe
// and hands it on, so that no rank sees the user's terminal: there a line comes now and then and is never written over.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

enum class ProgressForm : unsigned char {
  none,
  redrawn,  ///< one line that is written over, and wiped away at the end
  lines,    ///< a line of its own after a step, no more than one in a few seconds
};

/// Redrawn on a terminal that can erase; lines in a process of a job, whose standard error is its launcher's; else
/// none.
[[nodiscard]] ProgressForm progress_form(bool in_job);

class StepProgress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::milliseconds kBeforeFirst{500};
  static constexpr std::chrono::seconds kBetweenLines{2};

  /// `verb`: what is done to a step: "measured".
  StepProgress(ProgressForm form, std::size_t steps, std::string_view verb, const Terminal& terminal,
               Clock now = std::chrono::steady_clock::now);
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;
  ~StepProgress();

  void begin(const std::string& step);
  void end(const std::string& step);

 private:
  ProgressForm form_;
  std::size_t steps_, done_ = 0;
  std::string_view verb_;
  const Terminal& terminal_;
  Clock now_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace topowise::cli
