// SPDX-License-Identifier: BSD-3-Clause
// How a call ends: nothing of this rank is under way any more, and all ranks return the same.
//
// Each rank says that it has settled: that it has done its part, or that it has written down its failure. So a rank
// that knows it from all others, or knows that one has ended without a word, knows what all of them will return.
// Where one rank does the work, its flag is the outcome, and nobody waits again.
#include <fmt/format.h>

#include <topowise/collective/collectives.hpp>
#include <topowise/device/scope.hpp>

namespace topowise::collective {

Outcome Collectives::perform(const CollectiveCall& call, std::string& message) {
  runs_ = tries_ = needs_others_ = false;
  Outcome outcome = perform_or_settle(call, message);
  if (!open_.empty()) {  // something has failed, and the program's context is current again
    try {
      const device::DeviceScope scope(gpu().driver, device_);
      close_opened();
    } catch (const std::exception&) {  // a lost GPU
      open_.clear();
    }
  }
  FlagWord& settled = ranks_->mine().phases[kSettled];
  const bool is_awaited = tries_ || needs_others_;
  is_awaited ? ranks_->set(settled, call_) : ranks_->set_quickly(settled, call_);
  if (outcome == Outcome::done && needs_others_) outcome = outcome_of_all(message);
  const bool opened = outcome != Outcome::failed && tries_;  // the others close them before this rank may free them
  if (opened || (outcome == Outcome::failed && runs_)) let_others_settle();
  return outcome;
}

Outcome Collectives::perform_or_settle(const CollectiveCall& call, std::string& message) {
  try {
    return try_perform(call, message);
  } catch (const PeerFailure& failure) {
    settle();
    tell_other_nodes();
    message = failure.what();
    // All ranks of this call know what failed in an earlier one, or will know it before this call is decided.
    return ranks_->head().failure.call < call_ ? Outcome::through_mpi : Outcome::failed;
  } catch (const std::exception& error) {
    settle();
    message = fmt::format("rank {} cannot go on in call {}: {}", ranks_->rank(), call_, error.what());
    ranks_->fail(ranks_->rank(), call_, message);
    tell_other_nodes();
    return Outcome::failed;
  }
}

/// Waits for the outcome of all ranks. This rank has done its part and said so.
Outcome Collectives::outcome_of_all(std::string& message) const {
  try {
    for (int other = 0; other < ranks_->size(); ++other)
      if (other != ranks_->rank()) ranks_->wait(other, ranks_->line(other).phases[kSettled], call_, "settled", call_);
  } catch (const PeerFailure&) {  // in this call, or in the next call of a rank that knows of all in this one
  }
  if (!ranks_->failed_by(call_)) return Outcome::done;
  message = ranks_->failure_text();
  return Outcome::failed;
}

/// Waits, after an error, until nothing of this rank is under way any more.
void Collectives::settle() noexcept {
  for (const auto& [device, stream] : streams_) device::settle(gpu().driver, stream.get());
}

/// Closes what was opened, on the device of the call. If the driver refuses, the result stays, because others know it
/// already, and what is open stays open until a later call.
void Collectives::close_opened() noexcept {
  if (open_.empty() && !tries_) return;
  open_.clear();
  try {
    gpu().imports.end_call();
  } catch (const std::exception&) {  // see above
  }
}

/// Waits until the program's buffers are its own again. Another rank's kernel may still write there, or begin to, as
/// long as that rank is in the call. All have come to a call that runs, so nobody waits here for a rank that computes;
/// and a rank that waits in the call for one that has failed leaves it.
void Collectives::let_others_settle() const noexcept {
  for (int other = 0; other < ranks_->size(); ++other)
    if (other != ranks_->rank()) ranks_->outlast(other, ranks_->line(other).phases[kSettled], call_);
}

}  // namespace topowise::collective
