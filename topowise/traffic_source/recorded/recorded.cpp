// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/recorded.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/traffic_source/recorded/communicators.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/expand.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise {
namespace {

using profile::Header;
using profile::State;

class ProfileMerge {
 public:
  ProfileMerge(const std::string& where, std::vector<Diagnostic>& warnings) : where_(where), warnings_(warnings) {}

  Traffic merge(std::span<const ProfileFile> files, const collective::Model& model, recorded::Ends ends) {
    std::size_t ranks = 0;
    std::set<std::int32_t> without_mpi;
    std::vector<const ProfileFile*> readable;
    recorded::Communicators communicators;
    for (const ProfileFile& file : files) {
      std::string why_not;
      const std::optional<Header> header = recorded::read_header(file.text, why_not);
      if (!header) {
        warnings_.push_back({file.where, {}, why_not + ": left out", {}, {}});
        continue;
      }
      readable.push_back(&file);
      if (recorded::is_without_mpi(*header)) without_mpi.insert(header->rank);
      communicators.add(header->rank, recorded::communicators_in(file.text));
      ranks =
          std::max({ranks, static_cast<std::size_t>(header->world_size), static_cast<std::size_t>(header->rank) + 1});
    }
    if (readable.empty()) throw nothing_readable();
    if (without_mpi.size() < readable.size()) without_mpi.clear();
    communicators.number(ranks, without_mpi);
    present_.assign(ranks, communicators.counted_in_gpus());
    recorded::CollectiveRows collectives(ranks, model, ends);
    recorded::CommunicatorTraffic nccl(communicators, model, ends);
    for (const ProfileFile* file : readable) {
      const recorded::File content = recorded::read_file(file->where, file->text, warnings_);
      note_state(content.header);
      receivers_.add(content);
      add_peers(content);
      if (model.name != "none") {
        add_vectors(content, ends);
        collectives.add(content);
      }
      nccl.add(content);
    }
    add_sent(ends);
    RankGroupsByShape of_processes;
    collectives.expand(entries_, left_out_, of_processes);
    if (communicators.several()) renumber(communicators);
    RankGroupsByShape groups;
    groups.add(of_processes, [&](std::uint32_t process) {
      return communicators.several()
                 ? static_cast<std::uint32_t>(communicators.rank_of(static_cast<std::int32_t>(process)))
                 : process;
    });
    nccl.expand(entries_, left_out_.unknown_bytes, groups);
    communicators.warn(where_, left_out_.unknown_bytes, warnings_);
    warn_of_states();
    return Traffic::from_entries(communicators.ranks(), std::move(entries_)).with_groups(groups.list());
  }

 private:
  /// The error also says why each file was left out.
  [[nodiscard]] Error nothing_readable() const {
    std::vector<Diagnostic> found{Diagnostic{
        where_, {}, "no recorded profile in it", {}, "record one: mpirun -n 16 topowise run --profile DIR -- ./app"}};
    found.insert(found.end(), warnings_.begin(), warnings_.end());
    return {ExitStatus::bad_input, std::move(found)};
  }

  void add(std::int32_t source, std::int32_t destination, std::uint64_t bytes, std::uint64_t messages) {
    if (source == profile::kOutside || destination == profile::kOutside) {
      left_out_.outside_bytes += static_cast<double>(bytes);
      return;
    }
    entries_.push_back({Rank(static_cast<std::size_t>(source)), Rank(static_cast<std::size_t>(destination)),
                        Bytes(static_cast<double>(bytes)), messages});
  }

  /// Replaces processes by ranks. The entries so far are of processes.
  void renumber(const recorded::Communicators& communicators) {
    const auto rank_of = [&](Rank process) {
      return Rank(static_cast<std::size_t>(communicators.rank_of(static_cast<std::int32_t>(process.index()))));
    };
    for (TrafficEntry& entry : entries_) {
      entry.source = rank_of(entry.source);
      entry.destination = rank_of(entry.destination);
    }
  }

  void add_peers(const recorded::File& file) {
    for (const profile::PeerRow& row : file.peers) {
      if (row.channel == profile::Channel::receive) continue;
      const bool towards_here = row.channel == profile::Channel::get;
      sent_.push_back({towards_here ? row.peer : file.header.rank, towards_here ? file.header.rank : row.peer,
                       row.channel, row.memory, row.bytes, row.messages});
    }
  }

  /// Adds what was sent; it runs last, because only then are all receivers known.
  void add_sent(recorded::Ends ends) {
    for (const Sent& sent : sent_) {
      const double part = sent.channel == profile::Channel::send
                              ? receivers_.part(ends, sent.source, sent.destination, sent.memory)
                              : static_cast<double>(recorded::counts(ends, sent.memory));
      if (part <= 0) continue;
      const auto share = [part](std::uint64_t count) {
        return part >= 1 ? count : static_cast<std::uint64_t>(std::llround(part * static_cast<double>(count)));
      };
      add(sent.source, sent.destination, share(sent.bytes), share(sent.messages));
    }
  }

  /// Leaves out a process's own block of an all-to-all, which is a copy. A neighbour that is the process itself (a
  /// periodic grid of extent 1) is sent to and counts.
  void add_vectors(const recorded::File& file, recorded::Ends ends) {
    for (const profile::VectorRow& row : file.vectors) {
      const bool copy = row.peer == file.header.rank && row.operation < profile::Operation::neighbor_allgather;
      if (recorded::counts(ends, row.memory) && !copy && row.operation != profile::Operation::reduce_scatter)
        add(file.header.rank, row.peer, row.bytes, row.messages);
    }
  }

  void note_state(const Header& header) {
    const auto rank = static_cast<std::size_t>(header.rank);
    present_[rank] = true;
    if (header.state == State::recording)
      (recorded::is_without_mpi(header) ? ended_early_ : unfinished_).push_back(rank);
    if (header.state == State::aborted) aborted_.push_back(rank);
    if (header.rows_lost == 0) return;
    lossy_.push_back(rank);
    lost_.rows += header.rows_lost;
    lost_.messages += header.messages_lost;
    lost_.bytes += header.bytes_lost;
    lost_.calls += header.calls_lost;
  }

  void warn(std::vector<std::size_t> ranks, std::string_view what, std::string hint = {}) {
    if (ranks.empty()) return;
    std::ranges::sort(ranks);
    warnings_.push_back({where_, {}, fmt::format("{} {}", list_of_ranks(ranks), what), {}, std::move(hint)});
  }

  void warn_of_states() {
    std::vector<std::size_t> missing;
    for (std::size_t rank = 0; rank < present_.size(); ++rank)
      if (!present_[rank]) missing.push_back(rank);
    warn(missing, "left no file: traffic from there is missing");
    warn(unfinished_,
         "did not reach MPI_Finalize: killed, still running, or left without it; what was counted until then is used");
    warn(ended_early_,
         "did not end with status 0: killed, still running, or ended by an error; what was counted until then is used");
    warn(aborted_, "called MPI_Abort; what was counted until then is used");
    warn(lossy_, fmt::format("could not store everything, as the disk was full: {}", lost_.text()),
         "record to a directory with more room");
    if (left_out_.outside_bytes > 0)
      warnings_.push_back(
          {where_,
           {},
           fmt::format("{} to or from processes of other jobs (spawned or connected) are not in the matrix",
                       to_string(Bytes(left_out_.outside_bytes))),
           {},
           {}});
    if (left_out_.calls_without_members > 0)
      warnings_.push_back(
          {where_,
           {},
           fmt::format("{:.0f} collective calls on communicators whose members are in no file are left out",
                       left_out_.calls_without_members),
           {},
           {}});
  }

  /// What found no room on the disk. Files of earlier versions count only the rows.
  struct Lost {
    std::uint64_t rows = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t calls = 0;

    [[nodiscard]] std::string text() const {
      std::string result = fmt::format("{} row{} missing", rows, rows == 1 ? " is" : "s are");
      if (messages > 0)
        result += fmt::format(", with {} message{} of {} in all", messages, messages == 1 ? "" : "s",
                              to_string(Bytes(static_cast<double>(bytes))));
      if (calls > 0)
        result +=
            fmt::format("{} {} collective call{}", messages > 0 ? " and" : ", with", calls, calls == 1 ? "" : "s");
      return result;
    }
  };

  /// A row of a sender.
  struct Sent {
    std::int32_t source;
    std::int32_t destination;
    profile::Channel channel;
    profile::Memory memory;
    std::uint64_t bytes;
    std::uint64_t messages;
  };

  const std::string& where_;
  std::vector<Diagnostic>& warnings_;
  recorded::Receivers receivers_;
  std::vector<Sent> sent_;
  std::vector<TrafficEntry> entries_;
  recorded::LeftOut left_out_;
  std::vector<bool> present_;
  std::vector<std::size_t> unfinished_;
  std::vector<std::size_t> ended_early_;  ///< like unfinished_, for processes without MPI
  std::vector<std::size_t> aborted_;
  std::vector<std::size_t> lossy_;
  Lost lost_;
};

/// The header of a file in a profile's directory, where anybody may have put anything.
/// Nothing, with a warning, if the file cannot be read or is no profile.
std::optional<Header> header_of(std::optional<Input>& file, const std::string& path,
                                std::vector<Diagnostic>& warnings) try {
  std::string why_not;
  file.emplace(Input::of_found_file(path));
  const std::optional<Header> header = recorded::read_header(file->head(sizeof(Header)), why_not);
  if (!header) warnings.push_back({path, {}, why_not + ": left out", {}, {}});
  return header;
} catch (const Error& error) {
  warnings.push_back({{}, {}, error.diagnostics().front().what + ": left out", {}, {}});  // it names the file
  return std::nullopt;
}

struct Candidate {
  std::string path;
  Header header;
  std::optional<Input> file;
};

/// The name of each run, as its launcher gave it ("slurm 7.1"). Runs of one name, or without, are told apart by when
/// they began, in seconds of Unix time.
std::map<std::uint64_t, std::string> names_of_runs(const std::vector<Candidate>& candidates) {
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> runs;  // with the earliest begin
  for (const Candidate& candidate : candidates) {
    const Header& header = candidate.header;
    const std::string name(header.job_name, ::strnlen(header.job_name, sizeof(header.job_name)));
    auto& [known, begin] = runs.try_emplace(header.job, printable(name), header.start_ns).first->second;
    begin = std::min(begin, header.start_ns);
  }
  std::map<std::uint64_t, std::string> names;
  for (const auto& [job, run] : runs) {
    const std::string& name = run.first;
    const auto same = std::ranges::count_if(runs, [&](const auto& other) { return other.second.first == name; });
    const bool alone = same == 1 && !name.empty() && name != "unnamed";
    names[job] = alone ? name : fmt::format("{}{}{}", name, name.empty() ? "" : " ", run.second / 1'000'000'000);
  }
  return names;
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 8;
  for (std::string& name : names) name = fmt::format("'{}'", name);
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::uint64_t run_called(const std::string& where, const std::string& run,
                         const std::map<std::uint64_t, std::string>& runs) {
  std::optional<std::uint64_t> found;
  for (const auto& [job, name] : runs) {
    if (name != run && !name.ends_with(" " + run)) continue;
    if (found)
      throw Error(ExitStatus::bad_input, {{where,
                                           {},
                                           fmt::format("several runs are called '{}'", printable(run)),
                                           {},
                                           fmt::format("--run '{}'", name)}});
    found = job;
  }
  if (found) return *found;
  std::vector<std::string> names;
  for (const auto& [job, name] : runs) names.push_back(name);
  throw Error(ExitStatus::bad_input, {{where,
                                       {},
                                       fmt::format("no run is called '{}'", printable(run)),
                                       {},
                                       fmt::format("the runs are {}", listed(names))}});
}

}  // namespace

bool looks_like_profile_file(std::string_view head) {
  return head.starts_with(std::string_view(profile::kMagic, sizeof(profile::kMagic)));
}

Traffic merge_profile(const std::string& where, std::span<const ProfileFile> files, std::string_view collectives,
                      std::string_view memory, std::vector<Diagnostic>& warnings) {
  return ProfileMerge(where, warnings).merge(files, collective::model_named(collectives), recorded::ends_named(memory));
}

std::vector<ProfileFile> files_of_run(const std::string& where, std::span<const std::string> paths,
                                      const std::string& run, std::vector<Diagnostic>& warnings) {
  constexpr std::size_t kMostOpen = 512;  // more than that are opened a second time: a process may open 1,024
  std::vector<Candidate> candidates;
  for (const std::string& path : paths) {
    std::optional<Input> file;
    if (const std::optional<Header> header = header_of(file, path, warnings)) {
      if (candidates.size() >= kMostOpen) file.reset();
      candidates.push_back({path, *header, std::move(file)});
    }
  }
  const std::map<std::uint64_t, std::string> runs = names_of_runs(candidates);
  std::optional<std::uint64_t> chosen;
  if (!run.empty()) {
    chosen = run_called(where, run, runs);
  } else if (!candidates.empty()) {
    // Prefers jobs that were not spawned, then the latest begin. The job's number only decides a tie.
    const auto key = [](const Candidate& c) {
      return std::tuple(c.header.spawned == 0, c.header.start_ns, c.header.job);
    };
    chosen = std::ranges::max_element(candidates, {}, key)->header.job;
  }
  std::vector<ProfileFile> files;
  for (Candidate& candidate : candidates) {
    if (candidate.header.job != chosen) continue;
    if (!candidate.file) candidate.file.emplace(Input::of_found_file(candidate.path));
    files.push_back({candidate.path, (*std::exchange(candidate.file, {})).whole()});
  }
  if (runs.size() > 1 && run.empty()) {
    std::vector<std::string> others;
    for (const auto& [job, name] : runs)
      if (job != chosen) others.push_back(name);
    warnings.push_back(
        {where,
         {},
         fmt::format("{} of other runs or spawned jobs left out: '{}' is read, not {}",
                     counted(candidates.size() - files.size(), "file"), runs.at(*chosen), listed(others)),
         {},
         fmt::format("--run '{}' reads another one", others.front())});
  }
  return files;
}

}  // namespace topowise
