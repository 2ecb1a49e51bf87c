// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/rendezvous.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/meeting/meeting_place.hpp>

namespace topowise::job {
namespace {

/// Signals that end a process: batch systems send SIGTERM some time before SIGKILL.
constexpr std::array kEndings{SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t ended_by = 0;

/// While it lives, a signal that would end the process ends only the waiting, so that no file of a meeting stays; its
/// destructor ends the process by that signal. A signal that the process ignores stays ignored. Threads share one.
class SignalsHeld {
 public:
  SignalsHeld() {
    const std::scoped_lock lock(mutex_);
    if (holders_++ > 0) return;
    struct sigaction note = {};
    note.sa_handler = [](int signal) { ended_by = signal; };
    for (std::size_t i = 0; i < kEndings.size(); ++i) {
      ::sigaction(kEndings[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) ::sigaction(kEndings[i], &note, nullptr);
    }
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() {
    const std::scoped_lock lock(mutex_);
    if (--holders_ > 0) return;
    for (std::size_t i = 0; i < kEndings.size(); ++i) ::sigaction(kEndings[i], &before_[i], nullptr);
    if (const int signal = std::exchange(ended_by, 0); signal != 0) ::raise(signal);
  }

 private:
  static inline std::mutex mutex_;
  static inline int holders_ = 0;
  static inline std::array<struct sigaction, kEndings.size()> before_{};
};

double seconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

constexpr std::chrono::microseconds kNone{0};

/// Asks again and again until `answer` gives something or the timeout is over or the launcher is gone.
template <class Answer>
auto wait_for(const Meeting& meeting, std::chrono::milliseconds timeout, Answer answer) -> decltype(answer()) {
  const auto end = meeting.now() + timeout;
  std::chrono::microseconds pause(200);
  constexpr std::chrono::microseconds kLongest(5000);
  for (;;) {
    if (auto found = answer()) return found;
    if (meeting.now() >= end || meeting.gone() || ended_by != 0) return {};
    meeting.pause(pause);
    pause = std::min(pause * 2, kLongest);
  }
}

constexpr std::string_view kReport = "report";
constexpr std::string_view kTaken = "taken";
constexpr std::string_view kOpen = "open";

/// The rank in the name of a report: 3 for "report.3.0123456789abcdef".
std::optional<std::size_t> rank_of(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() != 3 || parts[0] != kReport) return std::nullopt;
  const std::optional<std::int64_t> rank = parse_integer(parts[1]);
  return rank && *rank >= 0 ? std::optional(static_cast<std::size_t>(*rank)) : std::nullopt;
}

/// "taken.3.0123456789abcdef." for "report.3.0123456789abcdef"; the digits of process 0 follow.
std::string taken_name(const std::string& report) {
  return fmt::format("{}{}.", kTaken, report.substr(kReport.size()));
}

struct Report {
  std::string name;  ///< empty: not here
  std::string text;
};

/// Numbers of the processes that did not come.
std::vector<std::size_t> missing(const std::vector<Report>& reports) {
  std::vector<std::size_t> numbers;
  for (std::size_t rank = 1; rank < reports.size(); ++rank) {
    if (reports[rank].name.empty()) numbers.push_back(rank);
  }
  return numbers;
}

/// The reports of the other processes, by rank, as far as they came in time and their writers still wait.
std::vector<Report> gather(const Meeting& meeting, const PrivateFolder& folder) {
  std::vector<Report> reports;
  const auto all_here = [&] {
    reports.assign(meeting.size, {});
    meeting.pause(kNone);
    for (const std::string& name : folder.names()) {
      const std::optional<std::size_t> rank = rank_of(name);
      if (!rank || *rank == 0 || *rank >= meeting.size) continue;
      if (std::optional<std::string> text = living_text(folder, name)) reports[*rank] = {name, std::move(*text)};
    }
    return missing(reports).empty();
  };
  static_cast<void>(wait_for(meeting, meeting.timeout, all_here));
  return reports;
}

/// Each answer follows a line "report.RANK.NONCE BYTES".
std::string plan_of(const std::vector<Report>& reports, const std::vector<std::string>& answers) {
  std::string plan;
  for (std::size_t rank = 1; rank < reports.size(); ++rank)
    if (!reports[rank].name.empty())
      plan += fmt::format("{} {}\n{}", reports[rank].name, answers[rank].size(), answers[rank]);
  return plan;
}
std::optional<std::string> answer_in(std::string_view plan, const std::string& report) {
  while (!plan.empty()) {
    const std::size_t line_end = plan.find('\n');
    if (line_end == std::string_view::npos) return std::nullopt;
    const std::vector<std::string_view> words = split_blanks(plan.substr(0, line_end));
    const std::optional<std::int64_t> bytes = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
    plan.remove_prefix(line_end + 1);
    if (!bytes || *bytes < 0 || static_cast<std::size_t>(*bytes) > plan.size()) return std::nullopt;
    if (words[0] == report) return std::string(plan.substr(0, static_cast<std::size_t>(*bytes)));
    plan.remove_prefix(static_cast<std::size_t>(*bytes));
  }
  return std::nullopt;
}

/// The one decision of a meeting: it is open until somebody takes its name away.
class Ballot {
 public:
  Ballot(std::string lead, const Pause& pause) : lead_(std::move(lead)), pause_(pause) {}

  [[nodiscard]] const std::string& lead() const { return lead_; }
  [[nodiscard]] std::string open() const { return fmt::format("{}.{}", kOpen, lead_); }
  /// Whether the plan counts. If the system reports a failure although the name has changed, as NFS may, the name
  /// decides.
  [[nodiscard]] bool publish(const PrivateFolder& folder) const {
    pause_(kNone);
    return folder.rename(open(), plan()) || posted_text(folder, plan());
  }
  /// Whether it was this process that dropped it.
  [[nodiscard]] bool drop(const PrivateFolder& folder) const {
    pause_(kNone);
    return folder.rename(open(), dropped());
  }
  /// The answer to a report after the decision: empty if it was dropped; nothing before the decision.
  [[nodiscard]] std::optional<std::string> answer(const PrivateFolder& folder, const std::string& report) const {
    pause_(kNone);
    if (const std::optional<std::string> plan = posted_text(folder, this->plan())) return answer_in(*plan, report);
    pause_(kNone);
    return posted_text(folder, dropped()) ? std::optional<std::string>("") : std::nullopt;
  }

 private:
  [[nodiscard]] std::string plan() const { return "plan." + lead_; }
  [[nodiscard]] std::string dropped() const { return "dropped." + lead_; }

  std::string lead_;
  const Pause& pause_;
};

/// Removes the decisions for which no process waits any more.
void remove_decisions(const PrivateFolder& folder, const Pause& pause) {
  pause(kNone);
  const std::vector<std::string> names = folder.names();
  for (const std::string& decision : names) {
    if (!decision.starts_with("plan.") && !decision.starts_with("dropped.")) continue;
    const std::string end = decision.substr(decision.find('.'));
    const bool waits = std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with(kTaken) && name.ends_with(end) && living_text(folder, name).has_value();
    });
    pause(kNone);
    if (!waits) folder.remove(decision);
  }
}

/// Removes what jobs that died while they met have left.
void remove_old_meetings(const Meeting& meeting) {
  constexpr std::time_t kOld = 600;  // seconds, because a new file is not yet locked
  for (const PrivateFolder& user : user_folders(meeting.places)) {
    for (const std::string& job : user.names()) {
      const PrivateFolder folder = is_meeting(job) ? user.open_below(job) : PrivateFolder();
      if (!folder || std::time(nullptr) - folder.changed() < kOld) continue;
      for (const std::string& name : folder.names()) {
        const std::string kind = name.substr(name.starts_with('.') ? 1 : 0);
        if (std::ranges::any_of(std::array{kReport, kTaken, kOpen},
                                [&](auto known) { return kind.starts_with(known); }))
          static_cast<void>(living_text(folder, name));
      }
      remove_decisions(folder, meeting.pause);
      user.remove_below(job);
    }
  }
}

/// Takes the reports, after which their writers go by the ballot. False if a writer has given up meanwhile; its report
/// is left out.
bool take(const PrivateFolder& folder, const Ballot& ballot, std::vector<Report>& reports, const Pause& pause) {
  bool all = true;
  for (Report& report : reports) {
    if (report.name.empty()) continue;
    const std::string taken = taken_name(report.name) + ballot.lead();
    pause(kNone);
    if (folder.rename(report.name, taken) || posted_text(folder, taken)) continue;
    report = {};
    all = false;
  }
  return all;
}

/// Calls `last` at the end of a block, however that is left.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> last) : last_(std::move(last)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { last_(); }

 private:
  std::function<void()> last_;
};

/// Process 0 publishes the answers. False if a process dropped the decision before it was made.
bool publish(const Ballot& ballot, const PostedFile& file, const std::vector<Report>& reports,
             const std::vector<std::string>& answers) {
  if (file.fill(plan_of(reports, answers))) return ballot.publish(file.folder());
  const int error = errno;
  static_cast<void>(ballot.drop(file.folder()));
  throw not_available(fmt::format("the plan of this node cannot be written: {}", std::strerror(error)));
}

std::string lead(const Meeting& meeting, const std::string& mine, const Decision& decide) {
  if (meeting.size == 1) return decide({mine}).front();
  remove_old_meetings(meeting);
  const Ballot ballot(unforeseeable_digits(), meeting.pause);
  const PostedFile file =
      post([&] { return open_meeting(meeting.places, meeting.job); }, ballot.open(), {}, meeting.pause);
  const AtEnd leave([&] {
    static_cast<void>(ballot.drop(file.folder()));  // does nothing after a decision
    remove_decisions(file.folder(), meeting.pause);
    meeting.pause(kNone);
    close_meeting(meeting.places, meeting.job);
  });
  std::vector<Report> reports = gather(meeting, file.folder());
  const std::vector<std::size_t> absent = missing(reports);
  const bool all = take(file.folder(), ballot, reports, meeting.pause) && absent.empty();
  std::vector<std::string> texts{mine};
  for (std::size_t rank = 1; rank < reports.size(); ++rank) texts.push_back(reports[rank].text);
  const std::vector<std::string> answers = all ? decide(texts) : std::vector<std::string>(meeting.size);
  const bool published = publish(ballot, file, reports, answers);
  if (all && published) return answers.front();
  if (!absent.empty())
    throw not_available(fmt::format("local rank{} {} of this node did not come within {:.3g} s",
                                    absent.size() == 1 ? "" : "s", fmt::join(absent, ", "), seconds(meeting.timeout)));
  throw not_available(
      fmt::format("a rank of this node waited {:.3g} s for the first one and gave up", seconds(meeting.timeout * 2)));
}

/// A process that waits for process 0.
class Follower {
 public:
  Follower(const PrivateFolder& folder, std::string report, const Pause& pause)
      : folder_(folder), report_(std::move(report)), pause_(pause) {}

  /// The answer; empty if nobody's answers count; nothing before the decision.
  [[nodiscard]] std::optional<std::string> answer() {
    find_ballot();
    return ballot_ ? ballot_->answer(folder_, report_) : std::nullopt;
  }

  /// Gives up, unless the decision has been made: then that is returned.
  [[nodiscard]] std::optional<std::string> give_up() {
    pause_(kNone);
    folder_.remove(report_);
    find_ballot();
    if (!ballot_ || ballot_->drop(folder_)) return std::nullopt;
    return ballot_->answer(folder_, report_);
  }

  void leave() const {
    if (!ballot_) return;
    pause_(kNone);
    folder_.remove(taken_name(report_) + ballot_->lead());
    remove_decisions(folder_, pause_);
  }

 private:
  void find_ballot() {
    if (ballot_) return;
    const std::string taken = taken_name(report_);
    pause_(kNone);
    for (const std::string& name : folder_.names()) {
      if (name.starts_with(taken)) ballot_.emplace(name.substr(taken.size()), pause_);
    }
  }

  const PrivateFolder& folder_;
  std::string report_;
  const Pause& pause_;
  std::optional<Ballot> ballot_;  ///< none: process 0 has not counted this process
};

std::string follow(const Meeting& meeting, const std::string& mine) {
  const std::string name = fmt::format("{}.{}.{}", kReport, meeting.rank, unforeseeable_digits());
  const auto timeout = meeting.timeout * 2;  // the first one may have come later, and then waits for the last
  std::optional<std::string> answer;
  {
    const PostedFile report =
        post([&] { return open_meeting(meeting.places, meeting.job); }, name, mine, meeting.pause);
    Follower self(report.folder(), name, meeting.pause);
    answer = wait_for(meeting, timeout, [&] { return self.answer(); });
    if (!answer) answer = self.give_up();
    self.leave();
  }
  meeting.pause(kNone);
  close_meeting(meeting.places, meeting.job);
  if (answer) return *answer;
  throw not_available(fmt::format("the first rank of this node gave no answer within {:.3g} s", seconds(timeout)));
}

}  // namespace

std::string meet(const Meeting& meeting, const std::string& report, const Decision& decide) try {
  const SignalsHeld held;
  std::string answer = meeting.rank == 0 ? lead(meeting, report, decide) : follow(meeting, report);
  if (meeting.gone()) throw LauncherGone();
  return answer;
} catch (const Error&) {
  if (meeting.gone()) throw LauncherGone();
  throw;
}

}  // namespace topowise::job
