// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/watch.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::reordering {
namespace {

struct Neighbor {
  int rank;
  int messages = 0;
};

struct Watch {
  Word old;
  Word made;
  int old_rank;
  std::vector<Neighbor> neighbors;  ///< of the old rank, in the old communicator
  std::string call;                 ///< "MPI_Cart_create at app+0x1d3f (setup+0x2b)"
  std::string place;
  bool asked = false;
  bool used = false;
};

/// A program that moves its data to the new places over the old communicator sends each neighbour one message at most.
constexpr int kRepeated = 2;

struct State {
  std::mutex mutex;
  std::vector<Watch> watches;
  std::vector<std::string> told;  ///< calls of which the user was told
};
State& state() {
  static State& the_one = *new State;  // never destroyed: threads may outlive the program's static objects
  return the_one;
}

void forget(State& all, const Watch& watch) {
  all.watches.erase(all.watches.begin() + (&watch - all.watches.data()));
  detail::watches.store(static_cast<int>(all.watches.size()), std::memory_order_relaxed);
}

void warn(State& all, const Watch& watch, const char* what) {
  if (std::ranges::find(all.told, watch.call) == all.told.end()) {
    all.told.push_back(watch.call);
    print_stderr(-1,
                 "warning: %s gave old rank %d another rank, but the program %s. If its results differ: "
                 "--reorder-except '%s'",
                 watch.call.c_str(), watch.old_rank, what, watch.place.c_str());
  }
  forget(all, watch);
}

/// Calls `body(state, watch)` for a watch of which `member` is this communicator.
template <class Body>
void with(Word Watch::*member, Word comm, Body body) noexcept {
  try {
    const std::scoped_lock lock(state().mutex);
    const auto found = std::ranges::find(state().watches, defined_part(comm), member);
    if (found != state().watches.end()) body(state(), *found);
  } catch (...) {  // no memory: nothing is printed
  }
}

Word handle_of(const GroupRef& ref) {
  return ref.language == Language::c ? ref.word : fortran::converted(ref);
}

void used(State& all, Watch& watch) {
  watch.used = true;
  if (watch.asked) return forget(all, watch);
  warn(all, watch, "uses the new communicator without having asked for its rank or its neighbours there");
}

}  // namespace

void watch(Word old, Word made, int old_rank, const Shape& shape, const CallSite& site) noexcept {
  try {
    const SiteNames names = names_of(site);
    Watch fresh{.old = defined_part(old),
                .made = defined_part(made),
                .old_rank = old_rank,
                .neighbors = {},
                .call = std::string(site.function) + " at " + names.text(),
                .place = names.place};
    for (const int neighbor : neighbors_of(shape, old_rank)) fresh.neighbors.push_back({neighbor});
    const std::scoped_lock lock(state().mutex);
    if (std::ranges::find(state().told, fresh.call) != state().told.end()) return;
    state().watches.push_back(std::move(fresh));
    detail::watches.store(static_cast<int>(state().watches.size()), std::memory_order_relaxed);
  } catch (...) {  // no memory: nobody looks
  }
}

void detail::message(const GroupRef& comm, int destination) noexcept {
  const Word handle = handle_of(comm);
  with(&Watch::made, handle, used);
  with(&Watch::old, handle, [&](State& all, Watch& watch) {
    for (Neighbor& neighbor : watch.neighbors) neighbor.messages += neighbor.rank == destination ? 1 : 0;
    const bool goes_on = !watch.neighbors.empty() && std::ranges::all_of(watch.neighbors, [](const Neighbor& neighbor) {
      return neighbor.messages >= kRepeated;
    });
    if (goes_on)
      warn(all, watch,
           "keeps sending to the neighbours of that rank in the old communicator, and nothing in the new one");
  });
}

void detail::neighborhood(const GroupRef& comm) noexcept {
  with(&Watch::made, handle_of(comm), used);
}

void detail::question(const GroupRef& comm) noexcept {
  with(&Watch::made, handle_of(comm), [](State&, Watch& watch) { watch.asked = true; });
}

void detail::coordinates(const GroupRef& comm, int rank) noexcept {
  with(&Watch::made, handle_of(comm), [&](State& all, Watch& watch) {
    if (!watch.asked && rank == watch.old_rank) warn(all, watch, "asks for the coordinates of the old one");
  });
}

void detail::freed(Word comm) noexcept {
  with(&Watch::made, comm, [](State& all, Watch& watch) { forget(all, watch); });
  with(&Watch::old, comm, [](State& all, Watch& watch) { forget(all, watch); });
}

}  // namespace topowise::interpose::reordering
