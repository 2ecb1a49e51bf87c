// SPDX-License-Identifier: BSD-3-Clause
// Work that another thread does later, in order: this makes a GPU asynchronous.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <topowise/base/random.hpp>

#include "shared_state.hpp"

namespace topowise::fake {

/// Gets the time at which the task could begin by the stream's own clock, which does not see the delays of this
/// machine. Returns the time at which the task ended by that clock.
using Task = std::function<Nanoseconds(Nanoseconds start)>;

class Stream;
/// A point in a stream's work.
struct Ticket {
  std::shared_ptr<Stream> stream;
  std::uint64_t number = 0;
  void wait() const;
};

/// A queue with a thread. Tasks begin after a random delay if `most_delay` is above 0.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(int device, bool blocking, Nanoseconds most_delay, std::uint64_t seed)
      : device_(device), blocking_(blocking), most_delay_(most_delay), random_(seed) {}

  void push(Task task);
  /// A ticket for all tasks pushed so far.
  [[nodiscard]] Ticket ticket();
  [[nodiscard]] bool idle();
  void wait_for(std::uint64_t number);

  [[nodiscard]] int device() const { return device_; }
  /// False for a stream that never waits for the default stream.
  [[nodiscard]] bool blocking() const { return blocking_; }

 private:
  struct Entry {
    Task task;
    Nanoseconds pushed = 0;
  };
  void run();

  const int device_;
  const bool blocking_;
  const Nanoseconds most_delay_;
  Random random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  std::uint64_t pushed_ = 0, done_ = 0;
  Nanoseconds clock_ = 0;  ///< the time at which the last task ended
  bool running_ = false;   ///< the thread exists; it ends when the queue is empty
};

/// An event. An event between processes has its counters in shared memory.
class Event {
 public:
  Event(EventCounters& shared, bool timing, int device) : counters_(&shared), timing_(timing), device_(device) {}
  Event(bool timing, int device)
      : own_(std::make_unique<EventCounters>()), counters_(own_.get()), timing_(timing), device_(device) {}

  /// Counts a record; reached() needs the number later, in the stream.
  std::uint64_t record();
  void reached(std::uint64_t number, Nanoseconds time);
  [[nodiscard]] std::uint64_t latest() const { return counters_->recorded; }
  [[nodiscard]] bool has_reached(std::uint64_t number) const { return counters_->completed >= number; }
  /// Waits until a record has been reached; a killed recorder counts as having reached everything. Returns the event's
  /// time.
  Nanoseconds wait(std::uint64_t number) const;

  [[nodiscard]] Nanoseconds stamp() const { return counters_->stamp; }
  [[nodiscard]] EventCounters& counters() const { return *counters_; }
  [[nodiscard]] bool shared() const { return own_ == nullptr; }
  [[nodiscard]] bool timing() const { return timing_; }
  [[nodiscard]] int device() const { return device_; }

 private:
  std::unique_ptr<EventCounters> own_;
  EventCounters* counters_;
  bool timing_;
  int device_;
};

}  // namespace topowise::fake
