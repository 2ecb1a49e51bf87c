// SPDX-License-Identifier: BSD-3-Clause
// All processes take their answers or none does: tried in every order of their steps, up to a number of interruptions.
// A step is an operation on files. Whenever a process asks whether its time is over, both answers are tried. Before
// each step one process may be killed. Then the others still agree, and what it has left disturbs neither the same job,
// when its launcher starts it again, nor does it stay for ever.
#include <topowise/job/meeting/rendezvous.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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
  std::size_t killed = 0;
  std::size_t taken_by_the_rest = 0;  ///< of a killed process
};

struct Outcome {
  std::vector<char> taken;  ///< whether each process got its answer; process 0 goes by what is returned, as the others
  std::size_t killed = kNobody;
  bool again = true;  ///< after a kill: the same job met once more
  static constexpr std::size_t kNobody = SIZE_MAX;

  /// Whether the processes that were not killed agree.
  [[nodiscard]] bool all_agree() const {
    std::vector<char> rest = taken;
    if (killed != kNobody) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(killed));
    return std::ranges::count(rest, rest.front()) == std::ssize(rest);
  }
};

/// Takes the locks from the files of a process, as the system does when a process ends.
void unlock_files_of(std::size_t rank) {
  const std::string number = std::to_string(rank);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::array<char, PATH_MAX> path{};
    if (::readlink(entry.path().c_str(), path.data(), path.size() - 1) <= 0) continue;
    const std::string name = std::filesystem::path(path.data()).filename();
    const auto is = [&](std::string_view kind) { return name.starts_with(kind); };
    const bool of_first = is("open.") || is("plan.") || is("dropped.");
    if (rank == 0 ? of_first : is("report." + number + ".") || is("taken." + number + "."))
      ::flock(std::stoi(entry.path().filename()), LOCK_UN);
  }
}

Meeting meeting_at(const std::string& place, std::uint64_t job, std::size_t rank, std::size_t size) {
  return {{place}, job, rank, size, 1s};
}

bool is_answered(const Meeting& meeting) try {
  return meet(meeting, "r", [](const std::vector<std::string>& reports) {
           return std::vector<std::string>(reports.size(), "the answer");
         }) == "the answer";
} catch (const Error&) {
  return false;
}

/// A meeting in which nobody is late, and processes act in turn.
bool meets(const std::string& place, std::uint64_t job, std::size_t size) {
  Choices choices;
  Scheduler scheduler(choices, size, 0);
  std::vector<char> taken(size, 0);
  scheduler.run([&](std::size_t rank) {
    Meeting meeting = meeting_at(place, job, rank, size);
    meeting.now = [] { return std::chrono::steady_clock::time_point(); };
    meeting.pause = [&](std::chrono::microseconds time) {
      time == 0us ? scheduler.step(rank) : static_cast<void>(scheduler.wait_a_while(rank));
    };
    taken[rank] = is_answered(meeting);
  });
  return std::ranges::count(taken, 1) == std::ssize(taken);
}

/// Makes all meetings look as if nobody had come for long.
void make_old(const std::string& place) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
    const std::array<timespec, 2> long_ago{};
    if (entry.is_directory()) ::utimensat(AT_FDCWD, entry.path().c_str(), long_ago.data(), 0);
  }
}

constexpr std::uint64_t kJob = 7;
constexpr std::uint64_t kNextJob = 8;

Outcome run(Choices& choices, const std::string& place, std::size_t size, int interruptions, bool with_kill) {
  constexpr int kLooks = 2;
  Scheduler scheduler(choices, size, interruptions);
  Outcome outcome{std::vector<char>(size, 0)};
  scheduler.run([&](std::size_t rank) {
    Timeout timeout(scheduler, kLooks);
    Meeting meeting = meeting_at(place, kJob, rank, size);
    const auto is_killed = [&] { return outcome.killed == rank; };
    auto after_death = std::chrono::steady_clock::time_point(1h);
    meeting.now = [&] { return is_killed() ? after_death += 1h : timeout.now(); };
    meeting.pause = [&](std::chrono::microseconds time) {
      if (is_killed()) return;  // what follows is seen by nobody
      if (with_kill && outcome.killed == Outcome::kNobody && scheduler.choose(2) == 1) {
        outcome.killed = rank;
        unlock_files_of(rank);
        scheduler.die(rank);  // until all others have ended
        outcome.again = meets(place, kJob, size);
        make_old(place);
        outcome.again = meets(place, kNextJob, size) && std::filesystem::is_empty(place) && outcome.again;
        return;
      }
      time == 0us ? scheduler.step(rank) : static_cast<void>(scheduler.wait_a_while(rank));
    };
    outcome.taken[rank] = is_answered(meeting);
  });
  return outcome;
}

Counts try_all(std::size_t size, int interruptions, bool with_kill = false) {
  const auto place = std::filesystem::temp_directory_path() / ("schedules-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(place);
  Choices choices;
  Counts counts;
  do {
    const Outcome outcome = run(choices, place.string(), size, interruptions, with_kill);
    const bool killed = outcome.killed != Outcome::kNobody;
    ++counts.runs;
    counts.taken += outcome.taken[0] ? 1 : 0;
    counts.killed += killed ? 1 : 0;
    if (killed) counts.taken_by_the_rest += outcome.taken[outcome.killed == 0 ? 1 : 0] ? 1 : 0;
    if (!outcome.all_agree()) FAIL("some processes took their answers, some did not");
    if (!outcome.again) FAIL("what a killed process has left disturbs the next meeting, or stays");
    if (!std::filesystem::is_empty(place)) FAIL("something is left");
  } while (choices.next());
  std::filesystem::remove_all(place);
  return counts;
}

void check_with_a_kill(std::size_t size, int interruptions) {
  const Counts counts = try_all(size, interruptions, true);
  MESSAGE(counts.runs << " orders of " << size << " processes, in " << counts.killed << " one is killed, in "
                      << counts.taken_by_the_rest << " of these the rest takes its answers");
  CHECK(counts.taken_by_the_rest > 0);
  CHECK(counts.taken_by_the_rest < counts.killed);
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

TEST_CASE("of processes of which one is killed in any step, the others agree, and what it leaves disturbs nobody") {
  check_with_a_kill(2, 1);
  check_with_a_kill(3, 0);
}

TEST_SUITE("wide") {
  TEST_CASE("the same with an interruption more") {
    check_with_a_kill(2, 2);
    check_with_a_kill(3, 1);
  }
}
