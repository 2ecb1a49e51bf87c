// SPDX-License-Identifier: BSD-3-Clause
#include "stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace topowise::fake {

void Ticket::wait() const {
  stream->wait_for(number);
}

void Stream::push(Task task) {
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(task), now()});
  ++pushed_;
  changed_.notify_all();
  if (running_) return;
  running_ = true;
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

Ticket Stream::ticket() {
  const std::lock_guard lock(mutex_);
  return {shared_from_this(), pushed_};
}

bool Stream::idle() {
  const std::lock_guard lock(mutex_);
  return done_ == pushed_;
}

void Stream::wait_for(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Stream::run() {
  constexpr std::chrono::milliseconds kStay(50);  // a thread ends after so long without work
  std::unique_lock lock(mutex_);
  while (changed_.wait_for(lock, kStay, [&] { return !queue_.empty(); })) {
    const Entry entry = std::move(queue_.front());
    queue_.pop_front();
    const Nanoseconds start = std::max(entry.pushed, clock_);
    const auto delay = static_cast<Nanoseconds>(random_.unit() * static_cast<double>(most_delay_));
    lock.unlock();
    if (delay > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(delay));
    const Nanoseconds end = entry.task(start);
    lock.lock();
    clock_ = end;
    ++done_;
    changed_.notify_all();
  }
  running_ = false;
}

std::uint64_t Event::record() {
  counters_->recorder = ::getpid();
  return ++counters_->recorded;
}

void Event::reached(std::uint64_t number, Nanoseconds time) {
  counters_->stamp = time;
  std::uint64_t completed = counters_->completed;
  while (completed < number && !counters_->completed.compare_exchange_weak(completed, number)) {
  }
}

Nanoseconds Event::wait(std::uint64_t number) const {
  constexpr int kYields = 100;
  constexpr int kLookAfter = 2000;  // then checks whether the recorder still lives
  for (int round = 0; !has_reached(number); ++round) {
    if (round < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (round % kLookAfter == 0 && !alive(counters_->recorder)) break;
    }
  }
  return stamp();
}

}  // namespace topowise::fake
