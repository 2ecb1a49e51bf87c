// SPDX-License-Identifier: BSD-3-Clause
// A simulation (predict/congestion/simulate.cpp) that is played while it happens. All processes of the node share one
// table of copies. Between two events (the begin or the end of a copy), every copy moves with the rate that the
// congestion model gives it. A port sends one copy at a time, first come, first served. A process that begins a copy,
// or wakes because its own copy should be complete, plays the table up to that time under the lock. No process has to
// stay alive for this.
//
// The table's time lags behind the clock on purpose: the table is played only as far as some process needs. A process
// that wakes late can still begin its next copy at the time at which its last one ended, if the table has not been
// played past that time.
#include "pace.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <mutex>
#include <set>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise::fake {
namespace {

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
/// A copy that waits for its port looks again after this time, in case the process before it was killed.
constexpr Nanoseconds kLookAgain = 20'000'000;
/// So few bytes do not count: times are rounded to nanoseconds.
constexpr double kNothing = 1e-6;

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, Nanoseconds time) {
  if (time <= 0) return;
  const timespec limit{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
  ++word;
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool on_the_way(const PacedCopy& copy) {
  return copy.state == PacedCopy::State::latent || copy.state == PacedCopy::State::active;
}

}  // namespace

bool Pace::connected(Place from, Place to) {
  try {
    static_cast<void>(model_.flow(from, to));
    return true;
  } catch (const Error&) {
    return false;  // only numbers are known of the machine
  }
}

Nanoseconds Pace::next_event() const {
  Nanoseconds next = kNever;
  for (const PacedCopy& copy : state_.copies) {
    if (copy.state == PacedCopy::State::active) next = std::min(next, copy.finish);
    if (copy.state == PacedCopy::State::latent) next = std::min(next, copy.latent_until);
  }
  return next;
}

/// On every port that sends nothing, the oldest waiting copy begins.
void Pace::start_waiting() {
  std::set<std::uint32_t> busy;
  std::vector<PacedCopy*> waiting;
  for (PacedCopy& copy : state_.copies) {
    if (on_the_way(copy)) busy.insert(model_.port(flow(copy)));
    if (copy.state == PacedCopy::State::waiting) waiting.push_back(&copy);
  }
  std::sort(waiting.begin(), waiting.end(), [](auto* a, auto* b) { return a->order < b->order; });
  for (PacedCopy* copy : waiting) {
    if (!busy.insert(model_.port(flow(*copy))).second) continue;
    copy->state = PacedCopy::State::latent;
    copy->latent_until = state_.pace_time + std::llround(model_.latency(flow(*copy)).value() * scale_ * 1e9);
    wake(copy->wake);
  }
}

void Pace::set_rates() {
  std::vector<PacedCopy*> active;
  std::vector<CongestionModel::Flow> flows;
  for (PacedCopy& copy : state_.copies) {
    if (copy.state != PacedCopy::State::active) continue;
    active.push_back(&copy);
    flows.push_back(flow(copy));
  }
  std::vector<double> rates(flows.size());
  model_.rates(flows, rates);
  for (std::size_t i = 0; i < active.size(); ++i) {
    active[i]->rate = rates[i] / (scale_ * 1e9);
    const double needed = active[i]->rate > 0 ? active[i]->remaining / active[i]->rate : 1e18;
    const Nanoseconds finish = state_.pace_time + static_cast<Nanoseconds>(std::ceil(std::min(needed, 1e18)));
    const bool sooner = finish < active[i]->finish;
    active[i]->finish = finish;
    if (sooner) wake(active[i]->wake);
  }
}

/// Plays the events of exactly this time. False if there are none.
bool Pace::play_events(Nanoseconds time) {
  bool any = false;
  for (PacedCopy& copy : state_.copies) {
    if (copy.state == PacedCopy::State::active && (copy.finish <= time || copy.remaining <= kNothing)) {
      copy.state = PacedCopy::State::done;
      copy.finish = time;
      wake(copy.wake);
      any = true;
    } else if (copy.state == PacedCopy::State::latent && copy.latent_until <= time) {
      copy.state = PacedCopy::State::active;
      copy.finish = kNever;
      any = true;
    }
  }
  return any;
}

/// The caller holds the lock.
void Pace::play_until(Nanoseconds time) {
  while (true) {
    const Nanoseconds next = std::min(next_event(), time);
    if (next > state_.pace_time) {
      for (PacedCopy& copy : state_.copies) {
        if (copy.state == PacedCopy::State::active) {
          copy.remaining -= copy.rate * static_cast<double>(next - state_.pace_time);
        }
      }
      state_.pace_time = next;
    }
    start_waiting();
    if (play_events(state_.pace_time)) {
      start_waiting();
      set_rates();
    } else if (state_.pace_time >= time) {
      return;
    }
  }
}

/// A free slot of the table, or that of a killed process. The caller holds the lock.
PacedCopy& Pace::add(Place from, Place to, std::uint64_t bytes, Nanoseconds start) {
  play_until(std::max(start, state_.pace_time));
  for (PacedCopy& copy : state_.copies) {
    if (copy.state == PacedCopy::State::done && !alive(copy.owner)) copy.state = PacedCopy::State::free;
    if (copy.state != PacedCopy::State::free) continue;
    copy.state = PacedCopy::State::waiting;
    copy.owner = ::getpid();
    copy.from = static_cast<std::uint32_t>(from.index());
    copy.to = static_cast<std::uint32_t>(to.index());
    copy.order = state_.pace_order++;
    copy.remaining = static_cast<double>(bytes);
    copy.rate = 0;
    copy.finish = kNever;
    play_until(state_.pace_time);
    return copy;
  }
  throw not_available("too many copies at once");
}

PacedCopy* Pace::begin(Place from, Place to, std::uint64_t bytes, Nanoseconds start) {
  const std::lock_guard lock(state_.pace_mutex);
  return connected(from, to) ? &add(from, to, bytes, std::min(start, now())) : nullptr;
}

Nanoseconds Pace::finish(PacedCopy& copy) {
  std::unique_lock lock(state_.pace_mutex);
  while (true) {
    const Nanoseconds clock = now();
    while (copy.state != PacedCopy::State::done && next_event() <= clock) play_until(next_event());
    if (copy.state == PacedCopy::State::done) break;
    const Nanoseconds until = copy.state == PacedCopy::State::active   ? copy.finish
                              : copy.state == PacedCopy::State::latent ? copy.latent_until
                                                                       : clock + kLookAgain;
    const std::uint32_t value = copy.wake;
    lock.unlock();
    sleep_while(copy.wake, value, until - now());
    lock.lock();
  }
  copy.state = PacedCopy::State::free;
  return copy.finish;
}

}  // namespace topowise::fake
