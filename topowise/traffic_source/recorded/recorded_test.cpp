// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/recorded.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include <topowise/base/file.hpp>
#include <topowise/profile/format.hpp>
#include <topowise/traffic_source/recorded/summary.hpp>

using namespace topowise;
using profile::Channel;
using profile::Memory;
using profile::Operation;

namespace {

/// Writes the file of one process as the recorder would.
class Writer {
 public:
  Writer(std::int32_t rank, std::int32_t world_size) : header_(profile::new_header(rank, world_size)) {
    header_.job = 7;
    header_.state = profile::State::finalized;
    header_.start_ns = 1000;
  }

  profile::Header& header() { return header_; }

  template <class Row>
  Writer& add(profile::SegmentKind kind, std::vector<Row> rows) {
    profile::Segment segment{kind, sizeof(Row), 0, rows.size(), {}};
    const std::size_t needed = sizeof(segment) + rows.size() * sizeof(Row);
    segment.bytes = (needed + profile::kPage - 1) / profile::kPage * profile::kPage;
    std::string bytes(segment.bytes, '\0');
    std::memcpy(bytes.data(), &segment, sizeof(segment));
    std::memcpy(bytes.data() + sizeof(segment), rows.data(), rows.size() * sizeof(Row));
    segments_ += bytes;
    return *this;
  }
  Writer& peer(std::int32_t peer, std::uint64_t bytes, Channel channel = Channel::send, Memory memory = Memory::host) {
    return add(profile::SegmentKind::peers, std::vector<profile::PeerRow>{{peer, channel, memory, 0, bytes, 2, {}}});
  }
  Writer& collective(std::uint64_t group, Operation operation, std::int32_t root, std::uint64_t bytes,
                     std::uint64_t calls) {
    const std::uint8_t bin = static_cast<std::uint8_t>(profile::size_bin(calls > 0 ? bytes / calls : 0));
    return add(profile::SegmentKind::collectives,
               std::vector<profile::CollectiveRow>{{group, root, operation, bin, Memory::host, calls, bytes}});
  }
  Writer& vector(std::uint64_t group, Operation operation, std::int32_t peer, std::uint64_t bytes) {
    return add(profile::SegmentKind::vectors,
               std::vector<profile::VectorRow>{{group, peer, operation, 0, Memory::host, 1, bytes}});
  }
  Writer& group(std::uint64_t key, std::vector<profile::Run> local, std::vector<profile::Run> remote = {}) {
    std::string bytes(sizeof(profile::GroupRecord), '\0');
    const profile::GroupRecord record{key, static_cast<std::uint32_t>(local.size()),
                                      static_cast<std::uint32_t>(remote.size()), 0, 0};
    std::memcpy(bytes.data(), &record, sizeof(record));
    for (const profile::Run& run : local) bytes.append(reinterpret_cast<const char*>(&run), sizeof(run));
    for (const profile::Run& run : remote) bytes.append(reinterpret_cast<const char*>(&run), sizeof(run));
    return add(profile::SegmentKind::groups, std::vector<char>(bytes.begin(), bytes.end()));
  }
  [[nodiscard]] std::string text() const {
    std::string bytes(profile::kPage, '\0');
    std::memcpy(bytes.data(), &header_, sizeof(header_));
    return bytes + segments_;
  }

 private:
  profile::Header header_{};
  std::string segments_;
};

struct Merged {
  Traffic traffic;
  std::vector<Diagnostic> warnings;
};

Merged merge(const std::vector<std::string>& texts, std::string_view collectives = "linear",
             std::string_view memory = "all") {
  std::vector<ProfileFile> files;
  for (std::size_t i = 0; i < texts.size(); ++i) files.push_back({fmt::format("{}.twprof", i), texts[i]});
  std::vector<Diagnostic> warnings;
  Traffic traffic = merge_profile("run", files, collectives, memory, warnings);
  return {std::move(traffic), std::move(warnings)};
}

Bytes bytes(const Merged& merged, std::size_t source, std::size_t destination) {
  return merged.traffic.bytes(Rank(source), Rank(destination));
}

bool warns(const Merged& merged, std::string_view of) {
  for (const Diagnostic& warning : merged.warnings)
    if (warning.render("warning").find(of) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("point-to-point and one-sided rows; a get is traffic towards the process") {
  const Merged merged =
      merge({Writer(0, 2).peer(1, 100).peer(1, 5).peer(1, 30, Channel::put).peer(1, 7, Channel::get).text(),
             Writer(1, 2).peer(0, 50).peer(1, 9).text()});
  CHECK(merged.traffic.ranks() == 2);
  CHECK(bytes(merged, 0, 1) == Bytes(135));
  CHECK(bytes(merged, 1, 0) == Bytes(57));
  CHECK(bytes(merged, 1, 1) == Bytes(9));
  CHECK(merged.traffic.entries()[0].messages == 6);
  CHECK(merged.warnings.empty());
}

TEST_CASE("the two ends of a message put together") {
  // Rank 0 sends 100 bytes from the host and 8 from its GPU to rank 1, and 40 from its GPU to rank 2.
  const std::string sender = Writer(0, 3)
                                 .peer(1, 100)
                                 .peer(1, 8, Channel::send, Memory::device)
                                 .peer(2, 40, Channel::send, Memory::device)
                                 .text();
  const std::string into_gpu = Writer(1, 3).peer(0, 500, Channel::receive, Memory::device).text();
  const std::string from_anyone = Writer(2, 3).peer(profile::kAnySource, 500, Channel::receive, Memory::host).text();
  const auto told = [&](std::string_view ends, std::size_t to) {
    return bytes(merge({sender, into_gpu, from_anyone}, "linear", ends), 0, to).value();
  };
  CHECK(told("all", 1) == 108);  // receives do not count as traffic
  CHECK(told("device-device", 1) == 8);
  CHECK(told("mixed", 1) == 100);
  CHECK(told("host-host", 1) == 0);
  CHECK(told("device", 2) == 40);
  CHECK(told("mixed", 2) == 40);
  CHECK(told("device-device", 2) == 0);
  // Where both kinds of memory received, the bytes are divided. Without the receiver's file, both ends are taken to be
  // like the sender's.
  const std::string both =
      Writer(1, 3).peer(0, 1, Channel::receive).peer(0, 1, Channel::receive, Memory::device).text();
  CHECK(bytes(merge({sender, both}, "linear", "device-device"), 0, 1) == Bytes(4));
  CHECK(bytes(merge({sender, both}, "linear", "host-host"), 0, 1) == Bytes(50));
  CHECK(bytes(merge({sender, both}, "linear", "device-device"), 0, 2) == Bytes(40));
  const std::string no_driver = Writer(2, 3).text();  // without a driver, all memory is the host's
  CHECK(bytes(merge({sender, both, no_driver}, "linear", "mixed"), 0, 2) == Bytes(40));
}

TEST_CASE("host and device memory apart") {
  const std::string text = Writer(0, 2).peer(1, 100).peer(1, 8, Channel::send, Memory::device).text();
  const std::string other = Writer(1, 2).text();
  CHECK(bytes(merge({text, other}, "linear", "host"), 0, 1) == Bytes(100));
  CHECK(bytes(merge({text, other}, "linear", "device"), 0, 1) == Bytes(8));
  CHECK_THROWS_AS((void)merge({text, other}, "linear", "gpu"), Error);
}

TEST_CASE("collectives of a sub-communicator are expanded between world ranks") {
  // Members 3, 1 of a world of 4; the root is member 0, world rank 3.
  std::vector<std::string> texts;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    Writer writer(rank, 4);
    if (rank == 1 || rank == 3) writer.collective(42, Operation::bcast, 0, 300, 3);
    if (rank == 3) writer.group(42, {{3, -2, 2}});
    texts.push_back(writer.text());
  }
  for (const std::string_view model : {"openmpi", "mpich", "linear"}) {
    const Merged merged = merge(texts, model);
    CHECK(bytes(merged, 3, 1) == Bytes(300));
    CHECK(merged.traffic.entries().size() == 1);
    CHECK(merged.traffic.entries()[0].messages == 3);
  }
  CHECK(merge(texts, "none").traffic.entries().empty());
}

TEST_CASE("a process that did less, or whose file is missing, adds what it did") {
  const auto text = [](std::int32_t rank, std::uint64_t calls) {
    return Writer(rank, 3)
        .collective(1, Operation::allgather, profile::kNoRoot, 10 * calls, calls)
        .group(1, {{0, 1, 3}})
        .text();
  };
  const Merged merged = merge({text(0, 4), text(1, 2)});
  CHECK(bytes(merged, 0, 1) == Bytes(40));
  CHECK(bytes(merged, 0, 2) == Bytes(40));
  CHECK(bytes(merged, 1, 2) == Bytes(20));
  CHECK(merged.traffic.sent_by(Rank(2)).empty());
  CHECK(warns(merged, "rank 2 left no file: traffic from there is missing"));
}

TEST_CASE("exact splits are taken as they are; one's own block of an all-to-all is a copy") {
  const Merged merged = merge({Writer(0, 3)
                                   .vector(1, Operation::alltoallv, 0, 5)
                                   .vector(1, Operation::alltoallv, 2, 6)
                                   .vector(1, Operation::neighbor_alltoall, 0, 7)
                                   .text(),
                               Writer(1, 3).text(), Writer(2, 3).text()});
  CHECK(bytes(merged, 0, 2) == Bytes(6));
  CHECK(bytes(merged, 0, 0) == Bytes(7));
}

TEST_CASE("reduce_scatter takes its blocks from the split") {
  std::vector<std::string> texts;
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    texts.push_back(Writer(rank, 3)
                        .collective(1, Operation::reduce_scatter, profile::kNoRoot, 120, 2)
                        .group(1, {{0, 1, 3}})
                        .vector(1, Operation::reduce_scatter, 0, 20)
                        .vector(1, Operation::reduce_scatter, 2, 100)
                        .text());
  }
  const Merged merged = merge(texts);
  CHECK(bytes(merged, 1, 0) == Bytes(20));
  CHECK(bytes(merged, 0, 2) == Bytes(100));
  CHECK(bytes(merged, 0, 1) == Bytes(0));
}

TEST_CASE("intercommunicators: to the other group; other jobs are counted, not shown") {
  const auto between = [](std::int32_t rank, std::int32_t root) {
    return Writer(rank, 4)
        .collective(rank < 2 ? 5 : 6, Operation::bcast, root, 80, 1)
        .group(5, {{0, 1, 2}}, {{2, 1, 2}})
        .group(6, {{2, 1, 2}}, {{0, 1, 2}})
        .text();
  };
  const Merged merged =
      merge({between(0, profile::kRootHere), between(1, profile::kNotTakingPart), between(2, 0), between(3, 0)});
  CHECK(bytes(merged, 0, 2) == Bytes(80));
  CHECK(bytes(merged, 0, 3) == Bytes(80));
  CHECK(merged.traffic.entries().size() == 2);
  const Merged spawned = merge({Writer(0, 1).peer(profile::kOutside, 1000).text()});
  CHECK(warns(spawned, "1 KB to or from processes of other jobs"));
}

TEST_CASE("what happened to the processes is said") {
  Writer killed(0, 2);
  killed.header().state = profile::State::recording;
  Writer aborted(1, 2);
  aborted.header().state = profile::State::aborted;
  aborted.header().rows_lost = 3;
  const Merged merged = merge({killed.text(), aborted.text()});
  CHECK(warns(merged, "rank 0 did not reach MPI_Finalize"));
  CHECK(warns(merged, "rank 1 called MPI_Abort"));
  CHECK(warns(merged, "rank 1 could not store everything, as the disk was full: 3 rows are missing\n"));
}

TEST_CASE("what is missing after a full disk is reported, as far as the files show it") {
  const auto lossy = [](std::int32_t rank, std::uint64_t rows, std::uint64_t messages, std::uint64_t calls) {
    Writer writer(rank, 2);
    writer.header().rows_lost = rows;
    writer.header().messages_lost = messages;
    writer.header().bytes_lost = messages * 500;
    writer.header().calls_lost = calls;
    return writer.text();
  };
  CHECK(warns(merge({lossy(0, 1, 1, 0)}), "disk was full: 1 row is missing, with 1 message of 500 B in all\n"));
  CHECK(warns(merge({lossy(0, 2, 0, 1)}), "disk was full: 2 rows are missing, with 1 collective call\n"));
  CHECK(warns(merge({lossy(0, 5, 3, 7), lossy(1, 4, 1, 0)}),
              "ranks 0, 1 could not store everything, as the disk was full: 9 rows are missing, with 4 messages of "
              "2 KB in all and 7 collective calls\n"));
}

TEST_CASE("damaged files: a warning, and what is whole is used") {
  const std::string whole = Writer(0, 2).peer(1, 100).peer(1, 11).text();
  const Merged cut = merge({whole.substr(0, whole.size() - 4000), Writer(1, 2).text()});
  CHECK(bytes(cut, 0, 1) == Bytes(100));
  CHECK(warns(cut, "0.twprof: damaged at byte 8192: the file is cut off"));

  const Merged foreign = merge({Writer(0, 1).peer(0, 1).text(), "something else", whole.substr(0, 100)});
  CHECK(warns(foreign, "1.twprof: not a recorded profile: left out"));
  CHECK(warns(foreign, "2.twprof: cut off in its header: left out"));

  CHECK(warns(merge({Writer(0, 2).peer(9, 100).text()}), "a row that cannot be"));
  Writer swapped(0, 1);
  swapped.header().byte_order = 0x04030201;
  CHECK_THROWS_WITH_AS((void)merge({swapped.text()}), "no recorded profile in it", Error);
}

TEST_CASE("rows of operations that only a later version knows are left out, and the others count") {
  constexpr auto kLater = static_cast<Operation>(profile::kOperationCount);
  Writer writer(0, 2);
  writer.add(profile::SegmentKind::collectives, std::vector<profile::CollectiveRow>{
                                                    {1, profile::kNoRoot, kLater, 4, Memory::host, 1, 8},
                                                    {1, 0, Operation::bcast, 4, Memory::host, 1, 8},
                                                });
  writer.peer(1, 5, static_cast<Channel>(7)).peer(1, 3).group(1, {{0, 1, 2}});
  const Merged merged = merge({writer.text(), Writer(1, 2).text()});
  CHECK(bytes(merged, 0, 1) == Bytes(11));
  CHECK(warns(merged, "0.twprof: 2 rows of operations that this version does not know left out"));
  CHECK(merged.warnings.size() == 1);
}

TEST_CASE("calls on communicators without members are said, however many a damaged file claims") {
  const auto calls = [](std::uint64_t count) {
    return merge({Writer(0, 1).collective(5, Operation::bcast, 0, 8, count).text()});
  };
  CHECK(warns(calls(3), "3 collective calls on communicators whose members are in no file are left out"));
  CHECK(warns(calls(~0ULL), "18446744073709551616 collective calls on communicators"));
}

TEST_CASE("impossible communicators and sizes end in an error, not in memory") {
  const auto huge = [](profile::Run run) {
    return Writer(0, 4000000).collective(1, Operation::alltoall, profile::kNoRoot, 8, 1).group(1, {run}).text();
  };
  CHECK_THROWS_AS((void)merge({huge({0, 1, 4000000})}), Error);
  CHECK_THROWS_AS((void)merge({huge({0, 0, ~0ULL})}), Error);
  CHECK_THROWS_AS((void)merge({huge({profile::kOutside, 0, ~0ULL})}), Error);
  CHECK_THROWS_AS((void)merge({huge({-5, 1, 2})}), Error);
}

TEST_CASE(
    "of several runs in a directory the last one counts, and not the jobs that it spawned, or the one that is named") {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / fmt::format("topowise-recorded-{}", ::getpid());
  std::filesystem::create_directory(directory);
  std::vector<std::string> paths;
  const auto write = [&](std::uint64_t job, std::uint64_t start, bool spawned, std::uint64_t sent, const char* name) {
    Writer writer(0, 1);
    writer.header().job = job;
    writer.header().start_ns = start;
    writer.header().spawned = spawned ? 1 : 0;
    std::strncpy(writer.header().job_name, name, sizeof(writer.header().job_name) - 1);
    paths.push_back((directory / profile::profile_file_name(job, 0)).string());
    write_file(paths.back(), writer.peer(0, sent).text());
  };
  write(1, 100, false, 1, "slurm 7.0");
  write(2, 200, false, 2, "slurm 7.1");
  write(3, 300, true, 3, "pmix spawned");
  write(4, 5'000'000'000, true, 4, "unnamed");
  write(5, 6'000'000'000, true, 5, "unnamed");
  std::vector<Diagnostic> warnings;
  const std::vector<ProfileFile> files = files_of_run("run", paths, {}, warnings);
  const auto called = [&](const std::string& name) -> std::string {
    std::vector<Diagnostic> none;
    try {
      const std::vector<ProfileFile> found = files_of_run("run", paths, name, none);
      CHECK(none.empty());
      return fmt::format("{} file of {}", found.size(),
                         to_string(merge_profile("run", found, "none", "all", none).total_bytes()));
    } catch (const Error& error) {
      return error.diagnostics().front().what + "; " + error.diagnostics().front().hint;
    }
  };
  CHECK(called("slurm 7.0") == "1 file of 1 B");
  CHECK(called("7.1") == "1 file of 2 B");
  CHECK(called("unnamed 6") == "1 file of 5 B");
  CHECK(called("1") ==
        "no run is called '1'; the runs are 'slurm 7.0', 'slurm 7.1', 'pmix spawned', 'unnamed 5', 'unnamed 6'");
  std::filesystem::remove_all(directory);
  REQUIRE(files.size() == 1);
  CHECK(merge_profile("run", files, "none", "all", warnings).total_bytes() == Bytes(2));
  REQUIRE(warnings.size() == 1);
  CHECK(
      warnings[0].what ==
      "4 files of other runs or spawned jobs left out: 'slurm 7.1' is read, not 'slurm 7.0', 'pmix spawned', 'unnamed "
      "5', 'unnamed 6'");
  CHECK(warnings[0].hint == "--run 'slurm 7.0' reads another one");
}

TEST_CASE("pipes and links among a profile's files are left out, and not waited for") {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / fmt::format("topowise-recorded-pipes-{}", ::getpid());
  std::filesystem::create_directory(directory);
  const std::vector<std::string> paths{directory / "1.twprof", directory / "2.twprof", directory / "3.twprof"};
  write_file(paths[0], Writer(0, 1).peer(0, 5).text());
  REQUIRE(::mkfifo(paths[1].c_str(), 0600) == 0);
  std::filesystem::create_symlink(paths[0], paths[2]);
  std::vector<Diagnostic> warnings;
  const std::vector<ProfileFile> files = files_of_run("run", paths, {}, warnings);
  CHECK(summarize_profile(directory)->files == 1);
  std::filesystem::remove_all(directory);
  CHECK(files.size() == 1);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].render("warning") ==
        fmt::format("warning: cannot read '{}': not a regular file: left out", paths[1]));
  CHECK(warnings[1].what.find(paths[2]) != std::string::npos);
}
