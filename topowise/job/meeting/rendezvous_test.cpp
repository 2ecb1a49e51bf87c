// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/rendezvous.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::job;
using namespace std::chrono_literals;

namespace {

/// A folder for one test.
class Folder {
 public:
  explicit Folder(const std::string& name = "rendezvous-test-")
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

constexpr std::chrono::minutes kGuard(10);  ///< a guard against a hang

/// The folder of job 7.
std::string job_folder_in(const Folder& folder) {
  return folder.path() + "/topowise-" + std::to_string(::geteuid()) + "/0000000000000007";
}

/// Each answer names the rank and all reports.
std::vector<std::string> decide(const std::vector<std::string>& reports) {
  std::string all;
  for (const std::string& report : reports) all += report + "\n";
  std::vector<std::string> answers;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) answers.push_back(std::to_string(rank) + ":" + all);
  return answers;
}

/// The answers for the ranks in `who`.
std::vector<std::string> meet_as(const Meeting& meeting, const std::vector<std::size_t>& who) {
  std::vector<std::string> answers(meeting.size);
  std::vector<std::thread> threads;
  for (const std::size_t rank : who) {
    threads.emplace_back([&, rank] {
      Meeting mine = meeting;
      mine.rank = rank;
      try {
        answers[rank] = meet(mine, "from " + std::to_string(rank), decide);
      } catch (const Error& error) {
        answers[rank] = error.diagnostics().front().what;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return answers;
}

/// Whether some process waits for its answer: a report gets its name only when it is complete and locked.
bool holds_report(const std::string& job_folder) {
  std::error_code failure;
  for (std::filesystem::directory_iterator file(job_folder, failure), end; !failure && file != end;
       file.increment(failure)) {
    if (file->path().filename().string().starts_with("report.")) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("everybody gets his answer to all reports, again and again, and nothing is left") {
  const Folder folder;
  const Meeting meeting{{folder.path()}, 7, 0, 4, kGuard};
  for (int round = 0; round < 20; ++round) {
    const std::vector<std::string> answers = meet_as(meeting, {3, 1, 0, 2});
    for (std::size_t rank = 0; rank < 4; ++rank)
      CHECK(answers[rank] == std::to_string(rank) + ":from 0\nfrom 1\nfrom 2\nfrom 3\n");
  }
  CHECK(folder.empty());
}

TEST_CASE("alone there is nobody to wait for, and nothing to write") {
  CHECK(meet({{"/nonexistent"}, 7, 0, 1, 1ms}, "mine", decide) == "0:mine\n");
}

TEST_CASE("who does not come is named, and those who came are let go at once") {
  const Folder folder;
  const Meeting waiting{{folder.path()}, 7, 2, 4, kGuard};
  std::string answer = "none yet";
  std::thread second([&] { answer = meet(waiting, "from 2", decide); });
  while (!holds_report(job_folder_in(folder))) std::this_thread::sleep_for(1ms);
  // The timeout has passed as soon as the reports were looked at. Then time stands still until the answer is taken.
  Meeting first{{folder.path()}, 7, 0, 4, 2s};
  first.now = [looks = 0]() mutable { return std::chrono::steady_clock::time_point(std::min(++looks, 3) * 2s); };
  std::string told;
  try {
    (void)meet(first, "from 0", decide);
  } catch (const Error& error) {
    told = error.diagnostics().front().what;
  }
  second.join();
  CHECK(told == "local ranks 1, 3 of this node did not come within 2 s");
  CHECK(answer.empty());
  CHECK(folder.empty());
  CHECK(meet_as({{folder.path()}, 7, 0, 2, 50ms}, {1})[1] == "the first rank of this node gave no answer within 0.1 s");
  CHECK(folder.empty());
}

TEST_CASE("what dead processes left behind does not count") {
  const Folder folder;
  const Meeting meeting{{folder.path()}, 7, 0, 2, kGuard};
  const std::string job_folder = job_folder_in(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    Meeting mine = meeting;
    mine.rank = 1;
    static_cast<void>(meet(mine, "from the dead", decide));
    ::_exit(0);
  }
  while (!holds_report(job_folder)) std::this_thread::sleep_for(1ms);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  std::ofstream(job_folder + "/plan.0123456789abcdef") << "report.1.0 5\nwrong";
  REQUIRE_FALSE(std::filesystem::is_empty(job_folder));
  const std::vector<std::string> answers = meet_as(meeting, {0, 1});
  CHECK(answers[1] == "1:from 0\nfrom 1\n");
  CHECK(folder.empty());
}

TEST_CASE("if the first process is killed while it decides, the others get no answer, and nothing is left") {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto end = [](const std::vector<std::string>& reports) {
      ::raise(SIGKILL);
      return reports;
    };
    static_cast<void>(meet({{folder.path()}, 7, 0, 2, kGuard}, "from 0", end));
    ::_exit(0);
  }
  Meeting meeting{{folder.path()}, 7, 1, 2, 1s};
  bool gone = false;
  meeting.now = [&] {  // the time is over as soon as the first process is gone
    gone = gone || ::waitpid(child, nullptr, WNOHANG) == child;
    return std::chrono::steady_clock::time_point(gone ? 1h : 0h);
  };
  CHECK_THROWS_AS((void)meet(meeting, "from 1", decide), Error);
  CHECK(gone);
  CHECK(folder.empty());
}

TEST_CASE("a process that is told to end while it waits leaves nothing, and ends by that signal") {
  for (const std::size_t rank : {0, 1}) {
    const Folder folder;
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGTERM, SIG_DFL);  // not that of the test program
      try {
        static_cast<void>(meet({{folder.path()}, 7, rank, 3, kGuard}, "mine", decide));
      } catch (const Error&) {
      }
      ::_exit(0);
    }
    const auto waits = [&] {
      std::error_code failure;
      const std::filesystem::directory_iterator files(job_folder_in(folder), failure);
      return !failure && std::ranges::any_of(files, [](const auto& file) {
        const std::string name = file.path().filename().string();
        return name.starts_with("report.") || name.starts_with("open.");
      });
    };
    while (!waits()) std::this_thread::sleep_for(1ms);
    ::kill(child, SIGTERM);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    CHECK(folder.empty());
  }
}

TEST_CASE("if a process is killed after it has been counted, nothing of it is left") {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(meet({{folder.path()}, 7, 1, 2, kGuard}, "from 1", decide));
    ::_exit(0);
  }
  const auto kill_it = [&](const std::vector<std::string>& reports) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return decide(reports);
  };
  CHECK(meet({{folder.path()}, 7, 0, 2, kGuard}, "from 0", kill_it) == "0:from 0\nfrom 1\n");
  CHECK(folder.empty());
}

TEST_CASE("where somebody else has taken a name, all processes meet under the next one") {
  const Folder folder;
  const std::string user = "topowise-" + std::to_string(::geteuid());
  const auto taken = [&](const std::string& name) { return folder.path() + "/" + name; };
  std::filesystem::create_directory(taken(user));  // others can look into it
  std::filesystem::permissions(taken(user), std::filesystem::perms::all);
  std::ofstream(taken(user + "-1")) << "a file";
  std::filesystem::create_symlink(folder.path(), taken(user + "-2"));
  CHECK(meet_as({{folder.path()}, 7, 0, 2, kGuard}, {1, 0})[1] == "1:from 0\nfrom 1\n");
  CHECK(std::filesystem::is_empty(taken(user)));
  REQUIRE(::mkfifo(taken(user + "-3").c_str(), 0600) == 0);
  const std::string told = meet_as({{folder.path()}, 7, 0, 2, 1ms}, {1})[1];
  CHECK(told == "the ranks of this node cannot meet in '" + taken(user) + "': others can use it");
  const Folder other("rendezvous-other-");
  CHECK(meet_as({{"/nonexistent", folder.path(), other.path()}, 7, 0, 2, kGuard}, {1, 0})[0] == "0:from 0\nfrom 1\n");
  CHECK(other.empty());
}

TEST_CASE("of old meetings only what is certainly theirs is removed") {
  const Folder folder;
  const auto write = [](const std::string& path) { std::ofstream(path) << "x"; };
  const std::string user = folder.path() + "/topowise-" + std::to_string(::geteuid());
  const Folder far("rendezvous-far-");
  write(far.path() + "/plan.0");
  for (const std::string& path : {user, user + "/0000000000000001", user + "/0000000000000002"}) {
    std::filesystem::create_directory(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  write(user + "/0000000000000001/report.1.0");
  write(user + "/0000000000000001/plan.0");
  write(user + "/0000000000000002/a file of somebody else");
  std::filesystem::create_symlink(far.path(), user + "/0000000000000003");
  REQUIRE(::mkfifo((user + "/0000000000000002/report.fifo").c_str(), 0600) == 0);
  constexpr timespec kLongAgo[2]{};
  for (const char* name : {"1", "2"})
    REQUIRE(::utimensat(AT_FDCWD, (user + "/000000000000000" + name).c_str(), kLongAgo, 0) == 0);
  CHECK(meet_as({{folder.path()}, 7, 0, 2, kGuard}, {1, 0})[0] == "0:from 0\nfrom 1\n");
  CHECK_FALSE(std::filesystem::exists(user + "/0000000000000001"));
  CHECK(std::filesystem::exists(user + "/0000000000000002/a file of somebody else"));
  CHECK(std::filesystem::exists(far.path() + "/plan.0"));
}
