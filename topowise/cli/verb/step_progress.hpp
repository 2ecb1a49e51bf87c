// SPDX-License-Identifier: BSD-3-Clause
// The progress of a measurement of many steps, on standard error. A launcher reads the standard error of the ranks
// through a pipe and passes it on, so no rank sees the user's terminal: in a job, a new line comes now and then and is
// never overwritten.
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
  redrawn,  ///< one line that is overwritten, and erased at the end
  lines,    ///< a new line after a step, at most one in a few seconds
};

/// `redrawn` on a terminal that can erase; else `lines` in a process of a job, whose launcher reads its standard error;
/// else `none`.
[[nodiscard]] ProgressForm progress_form(bool in_job);

class StepProgress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::milliseconds kBeforeFirst{500};
  static constexpr std::chrono::seconds kBetweenLines{2};

  /// `verb` says what is done in a step: "measured".
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
