// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <topowise/base/hash.hpp>
#include <topowise/collective/collectives.hpp>

namespace topowise::collective {
namespace {

// Bits in the words by which the nodes agree: in the last word before a call, in the first one of a vote or after a
// call.
constexpr std::uint64_t kWants = 1, kAlike = 2, kWorks = 4;

std::uint64_t bit_of(std::size_t algorithm) {
  return std::uint64_t{1} << algorithm;
}

std::uint64_t name_of(const CallRecord& call) {
  Fnv1a name;
  for (const std::uint64_t word : {call.count, std::uint64_t{call.operation}, std::uint64_t{call.element}})
    name.add_word(word);
  return name.value();
}

}  // namespace

/// Whether the nodes agree before this call, asked by rank 0. It votes first if a vote is due.
bool Collectives::takes_part(bool on_gpu) {
  if (counted_call_ != call_) {
    counted_call_ = call_;
    if (activity_.begin(on_gpu)) {
      Across::Words words{activity_.mine() ? kWants : 0, 0, 0, 0};
      across_.bitwise_and(words);
      activity_.end_vote(words[0] != 0);
    }
  }
  return activity_.active();
}

/// Tells the other nodes that the vector of rank 0, which calls this, goes through MPI.
void Collectives::give_way() noexcept {
  try {
    if (takes_part(false)) static_cast<void>(decide_across({}, false));
  } catch (const std::exception& error) {
    ranks_->fail(0, call_, error.what());
  }
}

CallDecision Collectives::decide_across(CallDecision mine, bool failed) {
  const std::size_t staged = find_algorithm("staged-host");
  const bool on_gpu = mine.kind != CallDecision::Kind::through_mpi;
  const bool mismatch = mine.kind == CallDecision::Kind::mismatch;
  const std::uint64_t name = name_of(ranks_->mine().call);
  Across::Words words{0, ~std::uint64_t{0}, ~std::uint64_t{0}, 0};
  if (on_gpu && !mismatch) words = {bit_of(mine.algorithm) | bit_of(staged), name, ~name, 0};
  words[3] = (on_gpu ? kWants : 0) | (mismatch ? 0 : kAlike) | (failed ? 0 : kWorks);
  told_call_ = call_;
  across_.bitwise_and(words);
  if ((words[3] & kWorks) == 0) {
    ranks_->fail(0, call_, fmt::format("another node cannot go on in call {}", call_));
    throw PeerFailure(ranks_->failure_text());
  }
  if ((words[3] & kWants) == 0) return {};
  if ((words[3] & kAlike) == 0 || words[1] != ~words[2]) return {CallDecision::Kind::mismatch};
  if ((words[0] & bit_of(mine.algorithm)) != 0) return mine;
  return {CallDecision::Kind::run, staged};
}

/// The other nodes wait for what this one wants in a call, also where it has failed before it could say so.
void Collectives::tell_other_nodes() noexcept {
  if (across_.nodes == 1 || ranks_->rank() != 0 || told_call_ == call_) return;
  try {
    if (takes_part(true)) static_cast<void>(decide_across({}, true));
  } catch (const std::exception&) {  // the failure is known
  }
}

void Collectives::run_across(Prepared& one, const CollectiveCall& call) {
  across_pieces_ = 0;
  try {
    run(one, call);
  } catch (const PeerFailure&) {
    finish_pieces(one, call);
  } catch (const std::exception& error) {
    ranks_->fail(ranks_->rank(), call_,
                 fmt::format("rank {} cannot go on in call {}: {}", ranks_->rank(), call_, error.what()));
    finish_pieces(one, call);
  }
  end_across();
}

/// Takes part in the rest of MPI's reductions, to which this node has not come, because the other nodes are in them.
void Collectives::finish_pieces(const Prepared& one, const CollectiveCall& call) {
  if (ranks_->rank() != 0) return;
  const std::uint64_t most = piece_of(one.plan, call);
  for (std::uint64_t begin = across_pieces_ * most; begin < call.count; begin += most) {
    CollectiveCall piece = call;
    piece.count = std::min(most, call.count - begin);
    across_.reduce(staging_part(0), piece);  // there is room for a piece, and nobody uses the result
  }
}

/// Returns if all ranks of all nodes have done their part; else all of them throw.
void Collectives::end_across() {
  FlagWord& ended = ranks_->mine().phases[kEnded];
  if (ranks_->rank() != 0) {
    ranks_->set(ended, call_);
    ranks_->wait(0, ranks_->line(0).phases[kEnded], call_, "ended", call_);
  } else {
    bool good = true;
    try {
      for (int other = 1; other < ranks_->size(); ++other)
        ranks_->wait(other, ranks_->line(other).phases[kEnded], call_, "ended", call_);
    } catch (const PeerFailure&) {
      good = false;
    }
    Across::Words words{good && !ranks_->failed_by(call_) ? kWorks : 0, 0, 0, 0};
    across_.bitwise_and(words);
    if (words[0] == 0) ranks_->fail(0, call_, fmt::format("another node cannot go on in call {}", call_));
    ranks_->set(ended, call_);
  }
  if (ranks_->failed_by(call_)) throw PeerFailure(ranks_->failure_text());
}

}  // namespace topowise::collective
