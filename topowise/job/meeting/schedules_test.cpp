// SPDX-License-Identifier: BSD-3-Clause
// All processes take their answers or none does: tried in every order of their steps, up to a number of interruptions.
// A step is an operation on files. Whenever a process asks whether its time is over, both answers are tried.
#include <topowise/job/meeting/rendezvous.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <tests/fixtures/schedules.hpp>
#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::job;
using fixtures::Choices;
using fixtures::Scheduler;
using namespace std::chrono_literals;

namespace {

/// One process's clock: after it has asked often enough, its time is over in any case.
class Timeout {
 public:
  Timeout(Scheduler& scheduler, int looks) : scheduler_(scheduler), looks_(looks) {}
  std::chrono::steady_clock::time_point now() {
    if (!begun_) {
      begun_ = true;
      return {};
    }
    const bool over = looks_-- <= 0 || scheduler_.choose(2) == 1;
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
  scheduler.run([&](std::size_t rank) {
    Timeout timeout(scheduler, kLooks);
    Meeting meeting{{place}, 7, rank, size, 1s};
    meeting.now = [&] { return timeout.now(); };
    meeting.pause = [&](std::chrono::microseconds time) {
      time == 0us ? scheduler.step(rank) : static_cast<void>(scheduler.wait_a_while(rank));
    };
    try {
      taken[rank] = meet(meeting, "r", [](const std::vector<std::string>& reports) {
                      return std::vector<std::string>(reports.size(), "the answer");
                    }) == "the answer";
    } catch (const Error&) {
      taken[rank] = 0;
    }
  });
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
