// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/end_report.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/interpose/recording/file_lock.hpp>
#include <topowise/interpose/recording/older_jobs.hpp>

namespace topowise::interpose {
namespace {

/// A file of a profile. Its process may still append to it, and never moves what is there. It is read and not mapped,
/// because in a folder where others can write it may be another's file, which is cut while it is read.
class SegmentFile {
 public:
  explicit SegmentFile(const std::string& path) : file_(open_regular(path.c_str(), O_RDONLY)) {
    struct stat status {};
    if (file_ && ::fstat(file_.number(), &status) == 0) bytes_ = static_cast<std::uint64_t>(status.st_size);
  }

  /// Calls `visit(segment, rows)` for all that are whole, in use and of one of these kinds; `rows` are their bytes.
  template <class Visit>
  void for_each_segment(std::span<const profile::SegmentKind> kinds, Visit visit) const {
    constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;  // of a segment with such rows; writers stay far below
    profile::Header header{};
    if (!read(0, &header, sizeof(header))) return;
    std::vector<char> rows;
    profile::Segment segment{};
    for (std::uint64_t at = header.header_bytes; at >= profile::kPage && at % profile::kPage == 0;
         at += segment.bytes) {
      if (at >= bytes_ || !read(at, &segment, sizeof(segment))) return;
      const std::uint64_t room = segment.bytes - sizeof(profile::Segment);
      const bool whole = segment.kind != profile::SegmentKind::none && segment.bytes >= profile::kPage &&
                         segment.bytes <= bytes_ - at && segment.row_bytes > 0 &&
                         segment.used <= room / segment.row_bytes;
      if (!whole) return;
      const std::uint64_t used = segment.used * segment.row_bytes;
      if (std::ranges::find(kinds, segment.kind) == kinds.end() || used > kLargest) continue;
      rows.resize(used);
      if (!read(at + sizeof(segment), rows.data(), rows.size())) return;
      visit(segment, std::span<const char>(rows));
    }
  }

 private:
  bool read(std::uint64_t at, void* to, std::size_t bytes) const {
    return ::pread(file_.number(), to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }

  Descriptor file_;
  std::uint64_t bytes_ = 0;
};

template <class Row, class Visit>
void for_each_row(const profile::Segment& segment, std::span<const char> rows, profile::SegmentKind kind, Visit visit) {
  if (segment.kind != kind || segment.row_bytes != sizeof(Row)) return;
  for (std::size_t at = 0; at + sizeof(Row) <= rows.size(); at += sizeof(Row)) {
    Row row;
    std::memcpy(&row, rows.data() + at, sizeof(Row));
    visit(row);
  }
}

using Pairs = std::set<std::pair<std::int32_t, std::int32_t>>;

void add_file(const std::string& path, std::int32_t rank, Recorded& sum, Pairs& pairs) {
  using profile::SegmentKind;
  constexpr std::array kCounted{SegmentKind::peers, SegmentKind::communicator_sends, SegmentKind::collectives,
                                SegmentKind::communicator_calls};
  SegmentFile(path).for_each_segment(kCounted, [&](const profile::Segment& segment, std::span<const char> rows) {
    for_each_row<profile::PeerRow>(segment, rows, SegmentKind::peers, [&](const profile::PeerRow& row) {
      if (row.channel == profile::Channel::receive || row.messages == 0) return;
      sum.messages += row.messages;
      sum.bytes += row.bytes;
      const bool reversed = row.channel == profile::Channel::get;
      if (row.peer >= 0 && row.peer != rank) pairs.emplace(reversed ? row.peer : rank, reversed ? rank : row.peer);
    });
    for_each_row<profile::CommunicatorSendRow>(segment, rows, SegmentKind::communicator_sends, [&](const auto& row) {
      sum.messages += row.messages;
      sum.bytes += row.bytes;
    });
    for_each_row<profile::CollectiveRow>(segment, rows, SegmentKind::collectives,
                                         [&](const auto& row) { sum.calls += row.calls; });
    for_each_row<profile::CommunicatorCallRow>(segment, rows, SegmentKind::communicator_calls,
                                               [&](const auto& row) { sum.calls += row.calls; });
  });
}

std::string count(std::uint64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// As topowise prints sizes elsewhere: three digits and powers of ten.
std::string size_text(std::uint64_t bytes) {
  constexpr double kStep = 1000;
  auto value = static_cast<double>(bytes);
  const char* const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (value >= kStep - 0.5 && unit + 1 < std::size(units)) {
    value /= kStep;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.3g %s", value, units[unit]);
  return text;
}

bool is_of_this_user(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

/// A directory as a shell reads it.
std::string quoted(const std::string& directory) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@,=%";
  if (directory.find_first_not_of(kPlain) == std::string::npos) return directory;
  std::string text = "'";
  for (const char c : directory) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// How this process ended, if not as it should.
std::string bad_end(const profile::Header& own) {
  if (own.state == profile::State::finalized) return {};
  const std::string who = "rank " + std::to_string(own.rank);
  if (own.state == profile::State::aborted) return who + " called MPI_Abort";
  return who + (std::strcmp(own.mpi, "none") == 0 ? " ended with an error" : " ended without MPI_Finalize");
}

std::string no_room(const Recorded& recorded) {
  return "no room for the profile of " + count(recorded.full, "rank");
}

std::string next_command(const std::string& directory) {
  return ": topowise traffic " + quoted(directory);
}

std::string amounts(const Recorded& recorded) {
  std::string text;
  if (recorded.messages > 0) {
    text = size_text(recorded.bytes) + " in " + count(recorded.messages, "message");
    if (recorded.pairs > 0) text += " between " + count(recorded.pairs, "pair");
  }
  if (recorded.calls > 0) text += (text.empty() ? "" : "; ") + count(recorded.calls, "call") + " of collectives";
  return text;
}

/// What is not complete, and where that is not seen.
std::string limits(const Recorded& recorded, const profile::Header& first, const char* not_ended) {
  std::string text;
  const auto some = [&](std::int32_t ranks) {
    return std::to_string(ranks) + " of " + count(first.world_size, "rank");
  };
  if (recorded.ranks < first.world_size)
    text += "; no file of " + some(first.world_size - recorded.ranks) + " is here: not recorded, or on another host";
  if (recorded.ended < recorded.ranks) text += "; " + some(recorded.ranks - recorded.ended) + " " + not_ended;
  if (!recorded.one_host) text += "; as " + std::string(first.host) + " sees the files";
  if (recorded.full > 0) text += " (incomplete: " + no_room(recorded) + ")";
  return text;
}

/// One library that is loaded, by the begin of its name.
struct Search {
  std::string_view begin;
  std::string found;
};

int look_at_name(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::string_view path = library->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(search.begin) || name.starts_with("libtopowise")) return 0;
  search.found = name;
  return 1;
}

std::string loaded(std::initializer_list<const char*> begins) {
  for (const char* begin : begins) {
    Search search{begin, {}};
    if (dl_iterate_phdr(look_at_name, &search) != 0) return search.found;
  }
  return {};
}

}  // namespace

Recorded add_up(const std::string& directory, const profile::Header& own) {
  constexpr std::int32_t kMostRead = 1024;
  Recorded sum{.counted = own.world_size <= kMostRead};
  Pairs pairs;
  for (std::int32_t rank = 0; rank < std::min(own.world_size, kMostRead); ++rank) {
    const std::string path = directory + "/" + profile::profile_file_name(own.job, rank);
    profile::Header header{};
    if (!read_profile_header(path, header)) continue;
    ++sum.ranks;
    sum.ended += header.state == profile::State::finalized ? 1 : 0;
    sum.full += header.rows_lost > 0 ? 1 : 0;
    sum.one_host = sum.one_host && std::strncmp(header.host, own.host, sizeof(own.host)) == 0;
    add_file(path, rank, sum, pairs);
  }
  sum.pairs = pairs.size();
  return sum;
}

std::string summary(const Recorded& recorded, const std::string& directory, const profile::Header& own,
                    std::size_t launched) {
  const std::string next = next_command(directory);
  const std::string end = bad_end(own);
  if (!recorded.counted) return "recorded a job of " + count(own.world_size, "rank") + next;
  if (own.world_size == 1 && launched > 1)
    return "recorded one rank alone, although the launcher started " + std::to_string(launched) +
           " processes: the program's MPI library is not the launcher's, or does not understand it";
  // Such processes are jobs of their own, each of which removes the files of older ones: so this comes behind them.
  if (recorded.ranks == 0) return "the recording is gone: there is no file of this job in " + quoted(directory);
  if (recorded.messages == 0 && recorded.calls == 0 && recorded.full > 0)
    return "nothing was recorded: " + no_room(recorded);
  if (recorded.messages == 0 && recorded.calls == 0)
    return "nothing was recorded: " + (end.empty()
                                           ? count(recorded.ranks, "rank") + " sent no message and called no collective"
                                           : end + " before any message");
  // Processes of NCCL end one after the other, and those of MPI together.
  return "recorded " + count(recorded.ranks, "rank") + (end.empty() ? "" : " until " + end) + ": " + amounts(recorded) +
         limits(recorded, own, "had not ended then") + next;
}

std::string summary_of_others(const Recorded& recorded, const std::string& directory, const RecordedByOthers& others) {
  const profile::Header& first = others.first;
  if (!recorded.counted) return "recorded a job of " + count(first.world_size, "rank") + next_command(directory);
  const std::string ranks = count(recorded.ranks, "rank") + " in processes that this one started";
  if (recorded.messages == 0 && recorded.calls == 0)
    return "nothing was recorded: " + ranks +
           (recorded.full > 0 ? ": " + no_room(recorded) : " sent no message and called no collective");
  return "recorded " + ranks + ": " + amounts(recorded) +
         limits(recorded, first, "ended by _exit() or with an error, or not yet") +
         (others.jobs > 1 ? "; besides, " + count(others.jobs - 1, "other job") : "") + next_command(directory);
}

std::string reason_for_nothing() {
  const std::string mpi = loaded({"libmpi.so", "libmpich", "libmpi_"});
  if (!mpi.empty()) return "the program loaded " + mpi + " and did not call MPI_Init";
  const std::string nccl = loaded({"libnccl.so", "librccl.so"});
  if (!nccl.empty()) return "the program loaded " + nccl + " and did not use it; no MPI library was loaded";
  if (!loaded({"libtorch", "libc10"}).empty())
    return "the program loaded PyTorch and neither MPI nor NCCL; PyTorch's own backend, gloo, is not recorded";
  return "the program loaded neither an MPI library nor NCCL";
}

std::optional<RecordedByOthers> recorded_by_others(const std::string& directory, std::uint64_t since_ns) {
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return std::nullopt;
  std::optional<RecordedByOthers> found;
  std::set<std::uint64_t> jobs;
  std::uint64_t youngest = 0;
  while (const dirent* entry = readdir(listing)) {
    profile::Header header{};
    const std::string_view name = entry->d_name;
    if (!name.ends_with(profile::kFileSuffix) || !read_profile_header(directory + "/" + entry->d_name, header))
      continue;
    if (header.start_ns < since_ns || header.started != static_cast<std::uint32_t>(getpid())) continue;
    jobs.insert(header.job);
    // Processes of other hosts have numbers of their own, so the one that has started them may be another.
    // Nor is a file of another user certainly what it says.
    const bool told = header.told != 0 || !is_this_host(header) || !is_of_this_user(directory + "/" + entry->d_name) ||
                      (found && found->told);
    const bool same_job = found && header.job == found->first.job;
    if (same_job ? header.rank < found->first.rank : header.start_ns > youngest)
      found = RecordedByOthers{.first = header, .told = told};
    found->told = told;
    youngest = std::max(youngest, header.start_ns);
  }
  closedir(listing);
  if (found) found->jobs = jobs.size();
  return found;
}

}  // namespace topowise::interpose
