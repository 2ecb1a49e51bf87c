// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/rendezvous.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string_view>
#include <thread>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/meeting/posted_file.hpp>

namespace topowise::job {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The job's own folder below the meeting's.
fs::path job_folder(const Meeting& meeting) {
  return fs::path(meeting.folder) / fmt::format("topowise-{}-{:016x}", ::geteuid(), meeting.job);
}

std::string nonce() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

double seconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

/// Asks again and again until `answer` gives something or the timeout is over.
template <class Answer>
auto wait_for(const Meeting& meeting, std::chrono::milliseconds timeout, Answer answer) -> decltype(answer()) {
  const auto end = meeting.now() + timeout;
  std::chrono::microseconds pause(200);
  constexpr std::chrono::microseconds kLongest(5000);
  for (;;) {
    if (auto found = answer()) return found;
    if (meeting.now() >= end) return {};
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongest);
  }
}

/// The rank in the name of a report: 3 for "report.3.0123456789abcdef".
std::optional<std::size_t> rank_of(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() != 3 || parts[0] != "report") return std::nullopt;
  const std::optional<std::int64_t> rank = parse_integer(parts[1]);
  return rank && *rank >= 0 ? std::optional(static_cast<std::size_t>(*rank)) : std::nullopt;
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
std::vector<Report> gather(const Meeting& meeting, const fs::path& folder) {
  std::vector<Report> reports;
  const auto all_here = [&] {
    reports.assign(meeting.size, {});
    for (const std::string& name : names_in(folder)) {
      const std::optional<std::size_t> rank = rank_of(name);
      if (!rank || *rank == 0 || *rank >= meeting.size) continue;
      if (std::optional<std::string> text = living_text(folder / name)) reports[*rank] = {name, std::move(*text)};
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

/// Hands the answers out, and waits until every process has its answer or is gone.
void hand_out(const Meeting& meeting, const fs::path& folder, const std::vector<Report>& reports,
              const std::vector<std::string>& answers) {
  const PostedFile plan = post(folder, "plan." + nonce(), plan_of(reports, answers));
  static_cast<void>(wait_for(meeting, meeting.timeout, [&] {
    return std::ranges::none_of(reports, [&](const Report& report) {
      return !report.name.empty() && living_text(folder / report.name).has_value();
    });
  }));
}

/// Removes folders of jobs that died while they met.
void remove_old_folders(const Meeting& meeting) {
  const std::string ours = fmt::format("topowise-{}-", ::geteuid());
  std::error_code failure;
  for (const std::string& name : names_in(meeting.folder)) {
    const fs::path folder = fs::path(meeting.folder) / name;
    if (!name.starts_with(ours)) continue;
    const auto changed = fs::last_write_time(folder, failure);
    if (failure || fs::file_time_type::clock::now() - changed < std::chrono::minutes(10)) continue;
    for (const std::string& file : names_in(folder)) static_cast<void>(living_text(folder / file));
    ::rmdir(folder.c_str());
  }
}

std::string lead(const Meeting& meeting, const std::string& mine, const Decision& decide) {
  if (meeting.size == 1) return decide({mine}).front();
  remove_old_folders(meeting);
  const fs::path folder = job_folder(meeting);
  make_own_folder(folder);
  const std::vector<Report> reports = gather(meeting, folder);
  const std::vector<std::size_t> absent = missing(reports);
  std::vector<std::string> texts{mine};
  for (std::size_t rank = 1; rank < reports.size(); ++rank) texts.push_back(reports[rank].text);
  const std::vector<std::string> answers = absent.empty() ? decide(texts) : std::vector<std::string>(meeting.size);
  hand_out(meeting, folder, reports, answers);
  ::rmdir(folder.c_str());  // stays if the job's next meeting has begun
  if (absent.empty()) return answers.front();
  throw not_available(fmt::format("local rank{} {} of this node did not come within {:.3g} s",
                                  absent.size() == 1 ? "" : "s", fmt::join(absent, ", "), seconds(meeting.timeout)));
}

std::optional<std::string> answer_to(const fs::path& folder, const std::string& report) {
  for (const std::string& name : names_in(folder)) {
    if (!name.starts_with("plan.")) continue;
    const std::optional<std::string> plan = living_text(folder / name);
    if (std::optional<std::string> found = plan ? answer_in(*plan, report) : std::nullopt) return found;
  }
  return std::nullopt;
}

std::string follow(const Meeting& meeting, const std::string& mine) {
  const std::string name = fmt::format("report.{}.{}", meeting.rank, nonce());
  const auto timeout = meeting.timeout * 2;  // the first one may have come later, and then waits for the last
  const fs::path folder = job_folder(meeting);
  std::optional<std::string> answer;
  {
    const PostedFile report = post(folder, name, mine);
    answer = wait_for(meeting, timeout, [&] { return answer_to(folder, name); });
  }
  if (answer) return *answer;
  ::rmdir(folder.c_str());  // stays if others still wait
  throw not_available(fmt::format("the first rank of this node gave no answer within {:.3g} s", seconds(timeout)));
}

}  // namespace

std::string meeting_folder() {
  for (const char* folder : {"/dev/shm", static_cast<const char*>(std::getenv("TMPDIR")), "/tmp"}) {
    if (folder != nullptr && ::access(folder, W_OK | X_OK) == 0) return folder;
  }
  return "/tmp";
}

std::string meet(const Meeting& meeting, const std::string& report, const Decision& decide) {
  return meeting.rank == 0 ? lead(meeting, report, decide) : follow(meeting, report);
}

}  // namespace topowise::job
