// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/phases.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <topowise/profile/format.hpp>

using namespace topowise;
using profile::Channel;
using profile::Memory;
using profile::Operation;
using profile::TraceRow;

namespace {

constexpr std::uint64_t kMs = 1000000;
constexpr std::uint64_t kGroup = 42;

TraceRow message(std::uint64_t ms, std::int32_t peer, std::uint64_t bytes, Channel channel = Channel::send,
                 Memory memory = Memory::host) {
  return {ms * kMs, bytes, 0, peer, Operation::point_to_point, channel, memory};
}

TraceRow collective(std::uint64_t ms, Operation operation, std::int32_t root, std::uint64_t bytes,
                    std::uint64_t group = kGroup) {
  return {ms * kMs, bytes, group, root, operation, Channel::send, Memory::host};
}

profile::Header header(std::int32_t rank, std::int32_t world_size, std::uint64_t start_ms = 5000) {
  profile::Header header = profile::new_header(rank, world_size);
  header.start_ns = start_ms * kMs;
  header.has_trace = 1;
  std::strncpy(header.host, "n0", sizeof(header.host));
  return header;
}

void append_segment(std::string& text, profile::SegmentKind kind, std::size_t row_bytes, const std::string& rows) {
  profile::Segment segment{kind, static_cast<std::uint32_t>(row_bytes), 0, rows.size() / row_bytes, {}};
  segment.bytes = (sizeof(segment) + rows.size() + profile::kPage - 1) / profile::kPage * profile::kPage;
  const std::size_t begin = text.size();
  text.append(reinterpret_cast<const char*>(&segment), sizeof(segment));
  text += rows;
  text.resize(begin + segment.bytes, '\0');
}

/// The file of one process, as the recorder would write it. One communicator, kGroup, has all ranks, followed by
/// `outside` processes of another job.
ProfileFile file(const profile::Header& header, const std::vector<TraceRow>& rows, std::uint64_t outside = 0) {
  std::string text(profile::kPage, '\0');
  std::memcpy(text.data(), &header, sizeof(header));
  std::string bytes;
  for (const TraceRow& row : rows) bytes.append(reinterpret_cast<const char*>(&row), sizeof(row));
  append_segment(text, profile::SegmentKind::trace, sizeof(TraceRow), bytes);
  const auto ranks = static_cast<std::uint64_t>(header.world_size);
  const profile::GroupRecord record{kGroup, 2, 0, ranks + outside, 0};
  bytes.assign(reinterpret_cast<const char*>(&record), sizeof(record));
  for (const profile::Run& run : {profile::Run{0, 1, ranks}, profile::Run{profile::kOutside, 0, outside}})
    bytes.append(reinterpret_cast<const char*>(&run), sizeof(run));
  append_segment(text, profile::SegmentKind::groups, 1, bytes);
  return {fmt::format("{}.twprof", header.rank), text};
}

struct Read {
  RecordedPhases recorded;
  std::vector<Diagnostic> warnings;

  [[nodiscard]] bool warns(std::string_view of) const {
    return std::ranges::any_of(warnings,
                               [of](const Diagnostic& w) { return w.render("warning").find(of) != std::string::npos; });
  }
};

Read read(const std::vector<ProfileFile>& files, double gap_ms = 1, std::string_view collectives = "linear",
          std::string_view memory = "all") {
  Read result;
  result.recorded = phases_of_profile("run", files, Seconds(gap_ms * 1e-3), collectives, memory, result.warnings);
  return result;
}

/// The messages as text: "0->1:100 0->1:100 1->0:5".
std::string text(const RecordedPhase& phase) {
  std::string result;
  for (const Communication& m : phase.messages)
    result += fmt::format("{}{}->{}:{:g}", result.empty() ? "" : " ", m.source.index(), m.destination.index(),
                          m.bytes.value());
  return result;
}

}  // namespace

TEST_CASE("a silence of all ranks ends a phase; equal phases are one") {
  // Rank 1 began to record 3 ms later than rank 0, so its times are 3 ms less.
  const Read run = read({file(header(0, 2), {message(10, 1, 100), message(11, 1, 7), message(20, 1, 100),
                                             message(21, 1, 7), message(30, 1, 8)}),
                         file(header(1, 2, 5003), {message(7, 0, 5), message(18, 0, 5)})});
  REQUIRE(run.recorded.phases.size() == 2);
  CHECK(text(run.recorded.phases[0]) == "0->1:100 0->1:7 1->0:5");
  CHECK(run.recorded.phases[0].occurrences == 2);
  CHECK(run.recorded.phases[0].first_time.value() == doctest::Approx(0.010));
  CHECK(text(run.recorded.phases[1]) == "0->1:8");
  CHECK(run.recorded.phases[1].occurrences == 1);
  CHECK(run.recorded.phases[1].first_time.value() == doctest::Approx(0.030));
  CHECK(run.recorded.ranks == 2);
  CHECK(run.warnings.empty());
}

TEST_CASE("a gap of exactly the silence does not cut, and the order of a source tells phases apart") {
  const std::vector<ProfileFile> files{
      file(header(0, 3), {message(1, 1, 4), message(2, 2, 4), message(9, 2, 4), message(10, 1, 4)}),
      file(header(1, 3), {}), file(header(2, 3), {})};
  CHECK(read(files, 1).recorded.phases.size() == 2);
  CHECK(read(files, 7).recorded.phases.size() == 1);
  CHECK(read(files, 1e30).recorded.phases.size() == 1);
  CHECK(read(files, 0.5).recorded.phases.size() == 2);  // two phases: 0->1 twice, 0->2 twice
  CHECK(read(files, 0.5).recorded.phases[0].occurrences == 2);
}

TEST_CASE("directions, copies, other jobs, and memory") {
  const std::vector<ProfileFile> files{
      file(header(0, 2), {message(1, 1, 30, Channel::put), message(1, 1, 7, Channel::get), message(1, 0, 50),
                          message(1, profile::kOutside, 2000), message(1, 1, 9, Channel::send, Memory::device)}),
      file(header(1, 2), {})};
  const Read all = read(files);
  REQUIRE(all.recorded.phases.size() == 1);
  CHECK(text(all.recorded.phases[0]) == "0->1:30 0->1:9 1->0:7");
  CHECK(all.warns("2 KB to or from processes of other jobs are left out"));
  CHECK(text(read(files, 1, "linear", "device").recorded.phases.at(0)) == "0->1:9");
  CHECK_THROWS_AS((void)read(files, 1, "linear", "device-device"), Error);
}

TEST_CASE("a collective is what its callers send under the model") {
  std::vector<ProfileFile> files;
  for (std::int32_t rank = 0; rank < 3; ++rank)
    files.push_back(file(header(rank, 3), {collective(1, Operation::bcast, 1, 80),
                                           collective(2, Operation::allgather, profile::kNoRoot, 10)}));
  CHECK(text(read(files).recorded.phases.at(0)) == "0->1:10 0->2:10 1->2:80 1->0:80 1->0:10 1->2:10 2->0:10 2->1:10");
  CHECK(read(files, 1, "none").recorded.phases.empty());
  files.pop_back();  // the sends of this rank are missing, and a warning says so
  const Read two = read(files);
  CHECK(text(two.recorded.phases.at(0)) == "0->1:10 0->2:10 1->2:80 1->0:80 1->0:10 1->2:10");
  CHECK(two.warns("1 of 3 ranks left no trace: traffic from there is missing"));
}

TEST_CASE("a collective with processes of another job: what they send and receive is left out, and it is said") {
  std::vector<ProfileFile> files;
  for (std::int32_t rank = 0; rank < 2; ++rank)
    files.push_back(file(header(rank, 2), {collective(1, Operation::allgather, profile::kNoRoot, 500)}, 1));
  const Read run = read(files);
  REQUIRE(run.recorded.phases.size() == 1);
  CHECK(text(run.recorded.phases[0]) == "0->1:500 1->0:500");
  CHECK(run.warns("2 KB to or from processes of other jobs are left out"));
}

TEST_CASE("collectives whose split no trace has are left out, and a line counts them") {
  const Read run = read(
      {file(header(0, 1), {collective(1, Operation::alltoallv, profile::kNoRoot, 1000),
                           collective(1, Operation::gatherv, 0, 500), collective(1, Operation::bcast, 0, 500, 77)})});
  CHECK(run.recorded.phases.empty());
  CHECK(run.warns("3 collective calls (alltoallv, bcast, gatherv; 2 KB of their callers) are left out"));
}

TEST_CASE("what is odd about the trace is said; without one there are no phases") {
  profile::Header elsewhere = header(1, 2);
  elsewhere.trace_lost = 12;
  std::strncpy(elsewhere.host, "n1", sizeof(elsewhere.host));
  profile::Header on_full_disk = header(0, 2);
  on_full_disk.trace_lost = 5;
  on_full_disk.disk_full = 1;
  const Read run = read({file(on_full_disk, {message(1, 1, 1)}), file(elsewhere, {}), {"x.twprof", "noise"}});
  CHECK(run.warns("12 calls missing: the trace reached its limit"));
  CHECK(run.warns("5 calls missing: the disk was full"));
  CHECK(run.warns("recorded on 2 hosts"));
  CHECK(run.warns("x.twprof: not a recorded profile: left out"));
  CHECK(read({file(header(0, 1), {message(1, 9, 1)})}).warns("a row that cannot be"));

  profile::Header untraced = header(0, 1);
  untraced.has_trace = 0;
  CHECK_THROWS_WITH_AS((void)read({file(untraced, {})}), "the profile has no trace, so nothing is known of phases",
                       Error);
}
