// SPDX-License-Identifier: BSD-3-Clause
// The progress of a measurement of pairs, on standard error: first how much there is to do, then how long it will take.
#pragma once

#include <chrono>
#include <cstddef>

#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/step_progress.hpp>
#include <topowise/probe/measure.hpp>

namespace topowise::cli {

class PairProgress {
 public:
  /// Says what the plan asks for. Its time is only a guess by the counts, for a rate that is named; in a job, a plan
  /// that is short by this guess needs no line.
  PairProgress(ProgressForm form, const probe::Plan& plan, const Terminal& terminal,
               StepProgress::Clock now = std::chrono::steady_clock::now);
  PairProgress(const PairProgress&) = delete;
  PairProgress& operator=(const PairProgress&) = delete;
  ~PairProgress();

  /// So many pairs are done. What is left takes as long a pair as these did.
  void measured(std::size_t pairs);

 private:
  using Time = std::chrono::steady_clock::time_point;

  ProgressForm form_;
  std::size_t pairs_;
  const Terminal& terminal_;
  StepProgress::Clock now_;
  Time begin_, next_;
};

}  // namespace topowise::cli
