// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/pair_progress.hpp>

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <topowise/base/plural.hpp>
#include <topowise/base/units.hpp>

namespace topowise::cli {
namespace {

constexpr BytesPerSecond kGuessedRate(10e9);
constexpr Seconds kShort(5);

/// All bytes of the plan. A repetition sends four messages: forth, back, and one each way at the same time.
Bytes bytes_of(const probe::Plan& plan) {
  constexpr double kMessages = 4;
  double of_pair = 0;
  for (const std::size_t size : plan.sizes) of_pair += static_cast<double>(size);
  return Bytes(kMessages * of_pair * (plan.repetitions + plan.warm_up) * static_cast<double>(plan.pairs.size()));
}

}  // namespace

PairProgress::PairProgress(ProgressForm form, const probe::Plan& plan, const Terminal& terminal,
                           StepProgress::Clock now)
    : form_(form), pairs_(plan.pairs.size()), terminal_(terminal), now_(std::move(now)), begin_(now_()), next_(begin_) {
  next_ += StepProgress::kBeforeFirst;
  const Bytes bytes = bytes_of(plan);
  const Seconds guess = bytes / kGuessedRate;
  if (form_ == ProgressForm::none || (form_ == ProgressForm::lines && guess < kShort)) return;
  terminal_.note(fmt::format("{}, {}, {} messages of each and {} to warm up, there, back and both ways: {}, {} at {}",
                             counted(pairs_, "pair"), counted(plan.sizes.size(), "size"), plan.repetitions,
                             plan.warm_up, to_string(bytes), to_string(guess), to_string(kGuessedRate)));
}

PairProgress::~PairProgress() {
  if (form_ == ProgressForm::redrawn) fmt::print(stderr, "\r\x1b[K");
}

void PairProgress::measured(std::size_t pairs) {
  if (form_ == ProgressForm::none || pairs == 0 || (form_ == ProgressForm::lines && now_() < next_)) return;
  const Seconds elapsed(std::chrono::duration<double>(now_() - begin_).count());
  const Seconds left = elapsed * (static_cast<double>(pairs_ - pairs) / static_cast<double>(pairs));
  const std::string text = fmt::format("{} of {} pairs measured in {}{}", pairs, pairs_, to_string(elapsed),
                                       pairs < pairs_ ? fmt::format(", about {} to go", to_string(left)) : "");
  if (form_ == ProgressForm::redrawn) {
    fmt::print(stderr, "\r{}\x1b[K", text);
    return;
  }
  next_ = now_() + StepProgress::kBetweenLines;
  terminal_.note(text);
}

}  // namespace topowise::cli
