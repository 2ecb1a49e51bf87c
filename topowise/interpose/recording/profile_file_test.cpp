// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <tests/fixtures/file_size_limit.hpp>

#include <topowise/interpose/recording/profile_file.hpp>

using namespace topowise;
using namespace topowise::interpose;
namespace fs = std::filesystem;

namespace {

struct Directory {
  fs::path path = fs::temp_directory_path() / ("topowise-profile-test-" + std::to_string(getpid()));
  Directory() { fs::create_directories(path); }
  ~Directory() { fs::remove_all(path); }
};

profile::Header header(std::uint64_t job = 1, std::int32_t rank = 0, std::uint64_t start_ns = 100) {
  profile::Header h = profile::new_header(rank, 0);
  h.job = job;
  h.start_ns = start_ns;
  return h;
}

/// Walks the file as the format demands and returns the rows of one kind.
template <class Row>
std::vector<Row> rows_in(const fs::path& path, profile::SegmentKind kind) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  profile::Header h{};
  std::memcpy(&h, bytes.data(), sizeof(h));
  std::vector<Row> rows;
  for (std::size_t at = h.header_bytes; at + sizeof(profile::Segment) <= bytes.size();) {
    profile::Segment segment{};
    std::memcpy(&segment, bytes.data() + at, sizeof(segment));
    REQUIRE(segment.kind != profile::SegmentKind::none);
    REQUIRE(at + segment.bytes <= bytes.size());
    for (std::size_t i = 0; segment.kind == kind && i < segment.used; ++i) {
      Row row{};
      std::memcpy(&row, bytes.data() + at + sizeof(segment) + i * segment.row_bytes, sizeof(row));
      rows.push_back(row);
    }
    at += segment.bytes;
  }
  return rows;
}

}  // namespace

TEST_CASE("bins of message sizes") {
  CHECK(profile::size_bin(0) == 0);
  CHECK(profile::size_bin(1) == 1);
  CHECK(profile::size_bin(2) == 2);
  CHECK(profile::size_bin(3) == 2);
  CHECK(profile::size_bin(4) == 3);
  CHECK(profile::size_bin(1023) == 10);
  CHECK(profile::size_bin(1024) == 11);
  CHECK(profile::size_bin(~std::uint64_t{0}) == profile::kSizeBins - 1);
}

TEST_CASE("a group's key depends on order and on which side members are") {
  using List = std::vector<std::int32_t>;
  CHECK(profile::group_key(List{0, 1}) == profile::group_key(List{0, 1}));
  CHECK(profile::group_key(List{0, 1}) != profile::group_key(List{1, 0}));
  CHECK(profile::group_key(List{0, 1}) != profile::group_key(List{0}, List{1}));
  CHECK(profile::group_key(List{0, 1, 2}) != profile::group_key(List{0, 1}));
}

TEST_CASE("rows of several kinds and more than one segment are all in the file") {
  const Directory directory;
  const fs::path path = directory.path / "x";
  ProfileFile file;
  REQUIRE(file.create(path, header()) == 0);
  std::vector<profile::PeerRow*> rows;
  for (std::int32_t peer = 0; peer < 1000; ++peer) {
    rows.push_back(file.append(profile::SegmentKind::peers, profile::PeerRow{peer, {}, {}, 0, 0, 0, {}}));
    if (peer % 10 == 0)
      REQUIRE(file.append(profile::SegmentKind::vectors, profile::VectorRow{7, peer, {}, 0, {}, 1, 2}) != nullptr);
  }
  for (profile::PeerRow* row : rows)
    row->bytes = static_cast<std::uint64_t>(row->peer) * 3;  // the count changes long after the row was made
  const auto found = rows_in<profile::PeerRow>(path, profile::SegmentKind::peers);
  REQUIRE(found.size() == 1000);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].peer == static_cast<std::int32_t>(i));
    CHECK(found[i].bytes == i * 3);
  }
  CHECK(rows_in<profile::VectorRow>(path, profile::SegmentKind::vectors).size() == 100);
}

TEST_CASE("many threads append" * doctest::test_suite("threads")) {
  const Directory directory;
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&file, t] {
        for (int i = 0; i < 500; ++i) {
          auto* row = file.append(profile::SegmentKind::peers, profile::PeerRow{t, {}, {}, 0, 0, 0, {}});
          row->messages = 1;
        }
      });
  }
  std::vector<std::uint64_t> sum(4);
  for (const auto& row : rows_in<profile::PeerRow>(directory.path / "x", profile::SegmentKind::peers))
    sum[static_cast<std::size_t>(row.peer)] += row.messages;
  CHECK(sum == std::vector<std::uint64_t>{500, 500, 500, 500});
}

TEST_CASE("a file that is truncated while it is recorded to costs the recording, not the program") {
  const Directory directory;
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  auto* first = file.append(profile::SegmentKind::peers, profile::PeerRow{1, {}, {}, 0, 0, 0, {}});
  REQUIRE(first != nullptr);
  fs::resize_file(directory.path / "x", 0);
  first->messages = 5;  // the page that the file lost
  CHECK(first->messages == 5);
  file.header().rows_lost = 3;
  for (int peer = 0; peer < 1000; ++peer)
    (void)file.append(profile::SegmentKind::peers, profile::PeerRow{peer, {}, {}, 0, 0, 0, {}});
  CHECK(file.is_open());
}

TEST_CASE("a thread that is cancelled finishes its row, and ends at a point of its own") {
  const Directory directory;
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  struct Work {
    ProfileFile& file;
    int rows = 0;
  } work{file};
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    Work& mine = *static_cast<Work*>(argument);
    pthread_cancel(pthread_self());  // waits for the next point of cancellation
    for (; mine.rows < 1000; ++mine.rows)
      (void)mine.file.append(profile::SegmentKind::peers, profile::PeerRow{mine.rows, {}, {}, 0, 0, 0, {}});
    pthread_testcancel();
    mine.rows = -1;
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, nullptr, run, &work) == 0);
  void* ended = nullptr;
  REQUIRE(pthread_join(thread, &ended) == 0);
  CHECK(ended == PTHREAD_CANCELED);
  CHECK(work.rows == 1000);
  CHECK(rows_in<profile::PeerRow>(directory.path / "x", profile::SegmentKind::peers).size() == 1000);
  CHECK(file.append(profile::SegmentKind::peers, profile::PeerRow{7, {}, {}, 0, 0, 0, {}}) !=
        nullptr);  // no lock is held
}

TEST_CASE("no room: rows are refused and counted, the file stays whole") {
  const Directory directory;
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  int accepted = 0;
  {
    const FileSizeLimit limit(40'000);  // the first two segments of rows fit: 8 KiB and 16 KiB
    for (int peer = 0; peer < 1000; ++peer)
      accepted +=
          file.append(profile::SegmentKind::peers, profile::PeerRow{peer, {}, {}, 0, 0, 0, {}}) != nullptr ? 1 : 0;
  }
  CHECK(accepted == 21 + 42);
  CHECK(file.header().rows_lost == 1000 - 63);
  CHECK(rows_in<profile::PeerRow>(directory.path / "x", profile::SegmentKind::peers).size() == 63);
}

TEST_CASE("no room from the beginning: an error number and no file; none for a trace either") {
  const Directory directory;
  {
    const FileSizeLimit limit(1000);
    ProfileFile file;
    CHECK(file.create(directory.path / "x", header()) == EFBIG);
    CHECK_FALSE(file.is_open());
    CHECK(fs::is_empty(directory.path));
  }
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  const auto size = fs::file_size(directory.path / "x");
  const FileSizeLimit limit(size);
  CHECK(file.new_segment(profile::SegmentKind::trace, sizeof(profile::TraceRow), 1 << 20) == nullptr);
  CHECK(fs::file_size(directory.path / "x") == size);
}

TEST_CASE("a directory that is not there is an error number") {
  ProfileFile file;
  CHECK(file.create("/nonexistent/x", header()) == ENOENT);
  CHECK_FALSE(file.is_open());
}

TEST_CASE("a file that is there is not taken over") {
  const Directory directory;
  std::ofstream(directory.path / "x") << "mine";
  ProfileFile file;
  CHECK(file.create(directory.path / "x", header()) == EEXIST);
  CHECK(fs::file_size(directory.path / "x") == 4);
}

TEST_CASE("a file that was replaced under its name is left alone") {
  const Directory directory;
  ProfileFile file;
  REQUIRE(file.create(directory.path / "x", header()) == 0);
  fs::remove(directory.path / "x");
  std::ofstream(directory.path / "x") << "another's";
  CHECK(file.append(profile::SegmentKind::vectors, profile::VectorRow{}) == nullptr);
  CHECK(fs::file_size(directory.path / "x") == 9);
}
