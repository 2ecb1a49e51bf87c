// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/recorded_ranks.hpp>

#include <map>
#include <mutex>

namespace topowise::interpose::reordering {
namespace {

struct State {
  std::mutex mutex;
  std::map<Word, int> rank_in;
};

State& state() {
  static State& the_one = *new State;  // never destroyed: threads may outlive the program's static objects
  return the_one;
}

/// Runs `body(rank_in)` under the lock.
template <class Body>
void with_ranks(Body body) noexcept {
  try {
    const std::scoped_lock lock(state().mutex);
    body(state().rank_in);
    detail::recorded_ranks.store(static_cast<int>(state().rank_in.size()), std::memory_order_relaxed);
  } catch (...) {  // no memory: the rank in the job counts
  }
}

}  // namespace

void set_recorded_rank(Word comm, int rank) noexcept {
  with_ranks([&](auto& rank_in) { rank_in[defined_part(comm)] = rank; });
}

int recorded_rank(Word comm, int job_rank) noexcept {
  int rank = job_rank;
  if (detail::recorded_ranks.load(std::memory_order_relaxed) == 0) return rank;
  with_ranks([&](const auto& rank_in) {
    const auto found = rank_in.find(defined_part(comm));
    if (found != rank_in.end()) rank = found->second;
  });
  return rank;
}

void detail::made_of(const GroupRef& comm, Word made) noexcept {
  const Mpi* m = mpi();
  if (m == nullptr || m->family.handle(made) == m->family.comm_null) return;
  const Word old = comm.language == Language::c ? comm.word : fortran::converted(comm);
  with_ranks([&](auto& rank_in) {
    const auto found = rank_in.find(defined_part(old));
    if (found == rank_in.end())
      rank_in.erase(defined_part(made));
    else
      rank_in[defined_part(made)] = found->second;
  });
}

void detail::forget_recorded_rank(Word comm) noexcept {
  with_ranks([&](auto& rank_in) { rank_in.erase(defined_part(comm)); });
}

}  // namespace topowise::interpose::reordering
