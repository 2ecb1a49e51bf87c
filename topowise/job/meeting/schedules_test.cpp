// SPDX-License-Identifier: BSD-3-Clause
// All processes take their answers or none does: tried in every order of their steps, up to a number of interruptions.
// The processes are threads, of which one runs at a time. Before each operation on files it either goes on or another
// one does, and whenever it asks whether its time is over, both answers are tried.
#include <topowise/job/meeting/rendezvous.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::job;
using namespace std::chrono_literals;

namespace {

/// Choices in the order in which they are met; next() goes on to a combination that has not been tried.
class Choices {
 public:
  std::size_t choose(std::size_t options) {
    if (at_ == made_.size()) made_.push_back({0, options});
    return made_[at_++].choice;
  }
  bool next() {
    made_.resize(at_);
    at_ = 0;
    while (!made_.empty() && made_.back().choice + 1 == made_.back().options) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().choice;
    return true;
  }

 private:
  struct Made {
    std::size_t choice;
    std::size_t options;
  };
  std::vector<Made> made_;
  std::size_t at_ = 0;
};

class Scheduler {
 public:
  Scheduler(Choices& choices, std::size_t threads, int interruptions)
      : choices_(choices), alive_(threads, true), interruptions_(interruptions) {}

  /// A thread's turn comes for the first time.
  void begin(std::size_t me) {
    std::unique_lock lock(mutex_);
    wait(lock, me);
  }
  void end(std::size_t me) {
    std::unique_lock lock(mutex_);
    alive_[me] = false;
    if (const std::vector<std::size_t> others = others_than(me); !others.empty()) turn_ = others.front();
    changed_.notify_all();
  }
  /// Before an operation: here another thread may go on.
  void step(std::size_t me) {
    std::unique_lock lock(mutex_);
    const std::vector<std::size_t> others = others_than(me);
    if (interruptions_ == 0 || others.empty()) return;
    const std::size_t choice = choices_.choose(1 + others.size());
    if (choice == 0) return;
    --interruptions_;
    give(lock, me, others[choice - 1]);
  }
  /// While a thread waits, the next one goes on.
  void wait_a_while(std::size_t me) {
    std::unique_lock lock(mutex_);
    if (const std::vector<std::size_t> others = others_than(me); !others.empty()) give(lock, me, others.front());
  }
  bool is_over() {
    const std::scoped_lock lock(mutex_);
    return choices_.choose(2) == 1;
  }

 private:
  /// In turn, from the one after `me`.
  [[nodiscard]] std::vector<std::size_t> others_than(std::size_t me) const {
    std::vector<std::size_t> others;
    for (std::size_t i = 1; i < alive_.size(); ++i) {
      const std::size_t other = (me + i) % alive_.size();
      if (alive_[other]) others.push_back(other);
    }
    return others;
  }
  void give(std::unique_lock<std::mutex>& lock, std::size_t me, std::size_t other) {
    turn_ = other;
    changed_.notify_all();
    wait(lock, me);
  }
  void wait(std::unique_lock<std::mutex>& lock, std::size_t me) {
    changed_.wait(lock, [&] { return turn_ == me; });
  }

  Choices& choices_;
  std::vector<bool> alive_;
  int interruptions_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
};

/// One process's clock: after it has asked often enough, its time is over in any case.
class Timeout {
 public:
  Timeout(Scheduler& scheduler, int looks) : scheduler_(scheduler), looks_(looks) {}
  std::chrono::steady_clock::time_point now() {
    if (!begun_) {
      begun_ = true;
      return {};
    }
    const bool over = looks_-- <= 0 || scheduler_.is_over();
    return std::chrono::steady_clock::time_point(over ? 1h : 0h);
  }

 private:
  Scheduler& scheduler_;
  int looks_;
  bool begun_ = false;
};

struct Counts {
  std::size_t runs = 0;
  std::size_t taken = 0;
};

/// Whether each process got its answer. Process 0 goes by what is returned, as the others do.
std::vector<bool> run(Choices& choices, const std::string& place, std::size_t size, int interruptions) {
  constexpr int kLooks = 2;
  Scheduler scheduler(choices, size, interruptions);
  std::vector<char> taken(size, 0);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Timeout timeout(scheduler, kLooks);
      Meeting meeting{{place}, 7, rank, size, 1s};
      meeting.now = [&] { return timeout.now(); };
      meeting.pause = [&](std::chrono::microseconds time) {
        time == 0us ? scheduler.step(rank) : scheduler.wait_a_while(rank);
      };
      scheduler.begin(rank);
      try {
        taken[rank] = meet(meeting, "r", [](const std::vector<std::string>& reports) {
                        return std::vector<std::string>(reports.size(), "the answer");
                      }) == "the answer";
      } catch (const Error&) {
        taken[rank] = 0;
      }
      scheduler.end(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return {taken.begin(), taken.end()};
}

Counts try_all(std::size_t size, int interruptions) {
  const auto place = std::filesystem::temp_directory_path() / ("schedules-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(place);
  Choices choices;
  Counts counts;
  do {
    const std::vector<bool> taken = run(choices, place.string(), size, interruptions);
    ++counts.runs;
    counts.taken += taken[0] ? 1 : 0;
    if (std::ranges::count(taken, taken[0]) != std::ssize(taken))
      FAIL("some processes took their answers, some did not");
    if (!std::filesystem::is_empty(place)) FAIL("something is left");
  } while (choices.next());
  std::filesystem::remove_all(place);
  return counts;
}

}  // namespace

TEST_CASE("two processes both take their answers, or neither does, in whatever order they act") {
  const Counts counts = try_all(2, 4);
  MESSAGE(counts.runs << " orders, " << counts.taken << " with answers");
  CHECK(counts.taken > 0);
  CHECK(counts.taken < counts.runs);
}

TEST_CASE("of three processes all take their answers, or none does, in whatever order they act") {
  const Counts counts = try_all(3, 2);
  MESSAGE(counts.runs << " orders, " << counts.taken << " with answers");
  CHECK(counts.taken > 0);
  CHECK(counts.taken < counts.runs);
}
