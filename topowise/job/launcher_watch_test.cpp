// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/launcher_watch.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include <topowise/job/meeting/rendezvous.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
  [[nodiscard]] char read() const {
    char letter = '-';  // stays if the writer ends
    static_cast<void>(::read(ends[0], &letter, 1));
    return letter;
  }
  void write(char letter) const { static_cast<void>(::write(ends[1], &letter, 1)); }
  std::array<int, 2> ends{};
};

/// What a rank reports whose launcher is killed while the rank waits for another one, which never comes: 'g' if it
/// notices, 'a' if it gets an answer or gives up. Between the two there are `scripts` processes.
char rank_of_killed_launcher(std::size_t rank, int scripts) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("launcher-watch-" + std::to_string(::getpid()))).string();
  std::filesystem::create_directory(folder);
  const Pipe news;
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    const pid_t self = ::getpid();
    for (int i = 0; i <= scripts; ++i) {
      const pid_t child = ::fork();
      if (child == 0) continue;
      ::waitpid(child, nullptr, 0);
      ::_exit(0);
    }
    const LauncherWatch watch([&](pid_t process) { return process != self; });
    bool waits = false;
    Meeting meeting{{folder}, 7, rank, 2, std::chrono::hours(1)};
    meeting.gone = [&] {
      if (!waits) news.write('w');
      waits = true;
      return watch.gone();
    };
    try {
      static_cast<void>(meet(meeting, "report", [](const auto& reports) { return reports; }));
      news.write('a');
    } catch (const LauncherGone&) {
      news.write('g');
    } catch (...) {
      news.write('a');
    }
    ::_exit(0);
  }
  ::close(news.ends[1]);
  CHECK(news.read() == 'w');
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
  const char noticed = news.read();
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
  ::close(news.ends[0]);
  return noticed;
}

}  // namespace

TEST_CASE("a rank that waits for others notices that its launcher was killed") {
  for (const std::size_t rank : {0U, 1U})
    for (const int scripts : {0, 2}) {
      CAPTURE(rank);
      CAPTURE(scripts);
      CHECK(rank_of_killed_launcher(rank, scripts) == 'g');
    }
}

TEST_CASE("a launcher that is there is not gone") {
  CHECK_FALSE(LauncherWatch([](pid_t) { return false; }).gone());
  CHECK_FALSE(LauncherWatch([](pid_t) { return true; }).gone());  // up to the first process
  CHECK_FALSE(launcher_watch().gone());
}
