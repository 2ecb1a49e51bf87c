// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/forked_ranks.hpp>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <topowise/base/plural.hpp>

namespace topowise::collective {
namespace {

constexpr std::size_t kMostText = 1024;  ///< bytes of what a rank throws, with the final zero

/// Lies in memory that parent and children share.
struct Meeting {
  std::atomic<std::uint32_t> arrived{0};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<bool> broken{false};  ///< set by the parent: somebody is gone
};

class Common {
 public:
  Common(int ranks, std::size_t most_bytes)
      : ranks_(ranks),
        most_bytes_(most_bytes),
        bytes_(sizeof(Meeting) + static_cast<std::size_t>(ranks) * (most_bytes + kMostText)) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw not_available(fmt::format("no memory for {} processes", ranks));
    meeting_ = new (memory) Meeting;
  }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;
  ~Common() { ::munmap(meeting_, bytes_); }

  void exchange(int rank, const void* mine, void* all, std::size_t bytes) const {
    if (bytes > most_bytes_) throw Error(ExitStatus::internal, "an exchange of too many bytes");
    std::memcpy(part(rank), mine, bytes);
    meet();
    for (int other = 0; other < ranks_; ++other)
      std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(other) * bytes, part(other), bytes);
    meet();
  }
  void break_up() const { meeting_->broken.store(true); }
  void say(int rank, std::string_view text) const { text.copy(text_of(rank), kMostText - 1); }

  /// What the ranks have said: "ranks 0, 1: no driver". Other texts than the first one are only counted.
  [[nodiscard]] std::string said() const {
    std::string_view first;
    std::vector<std::size_t> same;
    std::size_t others = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::string_view text = text_of(rank);
      if (text.empty()) continue;
      if (first.empty()) first = text;
      if (text == first)
        same.push_back(static_cast<std::size_t>(rank));
      else
        ++others;
    }
    if (first.empty()) return {};
    const std::string more = others > 0 ? fmt::format("; and {} with other errors", counted(others, "rank")) : "";
    return fmt::format("{}: {}{}", list_of_ranks(same), first, more);
  }

 private:
  [[nodiscard]] char* part(int rank) const {
    return reinterpret_cast<char*>(meeting_ + 1) + static_cast<std::size_t>(rank) * most_bytes_;
  }
  [[nodiscard]] char* text_of(int rank) const { return part(ranks_) + static_cast<std::size_t>(rank) * kMostText; }
  void meet() const {
    const std::uint32_t generation = meeting_->generation.load();
    if (meeting_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks_)) {
      meeting_->arrived.store(0);
      meeting_->generation.fetch_add(1);
      return;
    }
    constexpr int kYields = 5000;  // so that ranks with processors of their own go on together
    for (int look = 0; meeting_->generation.load() == generation; ++look) {
      if (meeting_->broken.load()) throw PeerFailure("another rank has ended");
      look < kYields ? ::sched_yield() : ::usleep(50);
    }
  }

  int ranks_;
  std::size_t most_bytes_, bytes_;
  Meeting* meeting_ = nullptr;
};

/// What a rank throws. Those that miss another one have nothing to add where the texts are collected.
using Listener = std::function<void(std::string_view text, bool of_peer)>;

[[noreturn]] void be_rank(int rank, pid_t parent, const RankBody& body, const Common& common,
                          const Listener& listener) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitStatus::internal));  // the parent is gone already
  int status = static_cast<int>(ExitStatus::internal);
  try {
    status =
        body(rank, [&](const void* mine, void* all, std::size_t bytes) { common.exchange(rank, mine, all, bytes); });
  } catch (const Error& error) {
    listener(error.what(), dynamic_cast<const PeerFailure*>(&error) != nullptr);
    status = static_cast<int>(error.status());
  } catch (const std::exception& error) {
    listener(error.what(), false);
  }
  std::exit(status);  // a driver wants to hear of the end
}

}  // namespace

std::vector<int> run_forked(int ranks, const RankBody& body, std::size_t most_bytes, std::string* why) {
  const Common common(ranks, most_bytes);
  const pid_t parent = ::getpid();
  std::vector<pid_t> children;
  std::fflush(nullptr);
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = ::fork();
    if (child == 0)
      be_rank(rank, parent, body, common, [&](std::string_view text, bool of_peer) {
        if (why == nullptr)
          fmt::print(stderr, "rank {}: {}\n", rank, text);
        else if (!of_peer)
          common.say(rank, text);
      });
    if (child < 0) common.break_up();
    children.push_back(child);
  }
  std::vector<int> statuses(children.size(), static_cast<int>(ExitStatus::not_available));
  for (auto left = std::ranges::count_if(children, [](pid_t child) { return child > 0; }); left > 0; --left) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    const auto which = std::ranges::find(children, ended);
    if (which == children.end()) continue;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    statuses[static_cast<std::size_t>(which - children.begin())] = code;
    if (code != 0) common.break_up();
  }
  if (why != nullptr) *why = common.said();
  return statuses;
}

}  // namespace topowise::collective
