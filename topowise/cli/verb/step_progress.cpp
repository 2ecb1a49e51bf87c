// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/step_progress.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace topowise::cli {
namespace {

bool can_erase() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

ProgressForm progress_form(bool in_job) {
  if (::isatty(STDERR_FILENO) == 1 && can_erase()) return ProgressForm::redrawn;
  return in_job ? ProgressForm::lines : ProgressForm::none;
}

StepProgress::StepProgress(ProgressForm form, std::size_t steps, std::string_view verb, const Terminal& terminal,
                           Clock now)
    : form_(form), steps_(steps), verb_(verb), terminal_(terminal), now_(std::move(now)), next_(now_()) {
  next_ += kBeforeFirst;  // a shorter measurement needs no line
}

StepProgress::~StepProgress() {
  if (form_ == ProgressForm::redrawn) fmt::print(stderr, "\r\x1b[K");
}

void StepProgress::begin(const std::string& step) {
  if (form_ == ProgressForm::redrawn) fmt::print(stderr, "\r{} of {}: {} ...\x1b[K", done_ + 1, steps_, step);
}

void StepProgress::end(const std::string& step) {
  ++done_;
  if (form_ != ProgressForm::lines || now_() < next_) return;
  next_ = now_() + kBetweenLines;
  terminal_.note(fmt::format("{} of {} {}: {}", done_, steps_, verb_, step));
}

}  // namespace topowise::cli
