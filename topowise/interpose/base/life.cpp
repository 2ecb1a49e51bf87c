// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/life.hpp>

#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/feature.hpp>
#include <topowise/interpose/base/world.hpp>

namespace topowise::interpose {
namespace {

template <class... Arguments>
void tell(void (*Feature::*hook)(Arguments...) noexcept, Arguments... arguments) noexcept {
  for (const Feature* feature : features())
    if (feature->*hook != nullptr) (feature->*hook)(arguments...);
}

/// Runs `body`, which only throws for lack of memory: what it was to note is not known then, and the program goes on.
template <class Body>
void guarded(Body body) noexcept {
  try {
    body();
  } catch (...) {
  }
}

int keep_nothing(Word, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return 0;
}
int self_is_going(Word, int, void*, void*) {
  finalizing();
  return 0;
}

}  // namespace

void about_to_begin() noexcept {
  tell(&Feature::before_begin);
}

void initialized() noexcept {
  guarded([] { models().begin_world(); });
  tell(&Feature::begun);
}

void session_opened(Word session) noexcept {
  guarded([&] { models().open_session(session); });
  tell(&Feature::begun);
}

void session_closing(Word session) noexcept {
  guarded([&] {
    forget_communicators();
    if (models().close_session(session)) tell(&Feature::ending);
  });
}

void finalizing() noexcept {
  guarded([] {
    forget_communicators();
    const bool last = models().end_world();
    tell(&Feature::world_ending);
    if (last) tell(&Feature::ending);
  });
}

void aborting() noexcept {
  tell(&Feature::aborting);
}

void profiling_control(int level) noexcept {
  tell(&Feature::controlled, level);
}

void ranks_reordered() noexcept {
  tell(&Feature::reordered);
}

/// MPI_Finalize first deletes the attributes of MPI_COMM_SELF.
void watch_finalize(const Mpi& m) noexcept {
  int key = 0;
  if (m.Comm_create_keyval(reinterpret_cast<void*>(keep_nothing), reinterpret_cast<void*>(self_is_going), &key,
                           nullptr) == 0)
    m.Comm_set_attr(m.family.comm_self, key, nullptr);
}

}  // namespace topowise::interpose
