// SPDX-License-Identifier: BSD-3-Clause
// Needs SQLite's library (Debian: libsqlite3-0). The databases are of tests/fixtures/nsight/write.py.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <tests/lack.hpp>
#include <topowise/base/file.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;
namespace fs = std::filesystem;

namespace {

const std::string kFixtures = TOPOWISE_SOURCE_DIR "/tests/fixtures/nsight/";
using Matrix = std::map<std::pair<std::size_t, std::size_t>, double>;

bool library_is_missing() {
  return ::dlopen("libsqlite3.so.0", RTLD_NOW) == nullptr;
}

TrafficReading read(const std::string& path, const std::string& model = "linear") {
  TrafficOptions options;
  options.collectives = model;
  return read_traffic_with_warnings(path, options);
}

Matrix matrix(const Traffic& traffic) {
  Matrix bytes;
  for (const TrafficEntry& entry : traffic.entries())
    if (entry.bytes.value() > 0) bytes[{entry.source.index(), entry.destination.index()}] = entry.bytes.value();
  return bytes;
}

/// What the script counted when it wrote a database: source, destination, bytes.
Matrix counts(const std::string& name) {
  std::istringstream lines(read_file(kFixtures + name));
  Matrix all;
  std::size_t source = 0;
  std::size_t destination = 0;
  double bytes = 0;
  while (lines >> source >> destination >> bytes) all[{source, destination}] = bytes;
  REQUIRE(!all.empty());
  return all;
}

class Copy {
 public:
  Copy() : path_(fs::temp_directory_path() / ("nsight-" + std::to_string(::getpid()) + ".sqlite")) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { fs::remove(path_); }
  [[nodiscard]] std::string path() const { return path_; }

 private:
  fs::path path_;
};

/// The first error of reading a file; empty if there is none.
Diagnostic error_of(const std::string& path) {
  try {
    (void)read(path);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front();
  }
  return {};
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  REQUIRE(what.size() == by.size());
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++count) text.replace(at, by.size(), by);
  REQUIRE(count > 0);
  return text;
}

}  // namespace

TEST_CASE("calls of NCCL are read as the script that wrote them counted") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const TrafficReading reading = read(kFixtures + "nccl.sqlite");
  CHECK(matrix(reading.traffic) == counts("nccl.counts"));
  CHECK(reading.warnings.empty());
  // A model of an MPI library does not hold for NCCL.
  CHECK(matrix(read(kFixtures + "nccl.sqlite", "auto").traffic) ==
        matrix(read(kFixtures + "nccl.sqlite", "nccl").traffic));
  CHECK(matrix(read(kFixtures + "nccl.sqlite", "none").traffic).size() == 4);
}

TEST_CASE("calls of MPI are read as the script that wrote them counted, in communicators of any order") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const TrafficReading reading = read(kFixtures + "mpi.sqlite");
  CHECK(matrix(reading.traffic) == counts("mpi.counts"));
  REQUIRE(reading.warnings.size() == 3);  // of an all-to-all and a Sendrecv it is not known what the size is of
  CHECK(reading.warnings[0].what == "left out: calls of MPI_Ialltoall, which are not read (4)");
  CHECK(reading.warnings[1].what == "left out: calls of MPI_Sendrecv, which are not read (4)");
  CHECK(reading.warnings[2].what == "left out: starts of requests that the export does not list (4)");
  CHECK(matrix(read(kFixtures + "mpi.sqlite", "auto").traffic) ==
        matrix(read(kFixtures + "mpi.sqlite", "openmpi").traffic));
}

TEST_CASE("members may be listed by their ranks in the job") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const Copy copy;
  // Ranks 1 and 3 of communicator 3,1 are its members 1 and 0; rank 2 is none: a list of three letters has no room for
  // rank 3, so no member is known.
  write_file(copy.path(), replaced(read_file(kFixtures + "mpi.sqlite"), "3,1", "0,9"));
  const TrafficReading reading = read(copy.path());
  Matrix expected = counts("mpi.counts");
  expected.at({3, 1}) -= 5;  // what rank 3 sends in the communicator
  CHECK(matrix(reading.traffic) == expected);
  CHECK(reading.warnings.size() == 4);
  CHECK(std::ranges::any_of(reading.warnings, [](const Diagnostic& warning) {
    return warning.what == "left out: calls of MPI on communicators whose members the export does not list (1)";
  }));
}

TEST_CASE("a communicator of all ranks in another order is not MPI_COMM_WORLD") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const Copy copy;
  // Of all ranks, and rank 0 is still the first: its message to member 1 goes to rank 3.
  write_file(copy.path(), replaced(read_file(kFixtures + "mpi.sqlite"), "0,1,2,3", "0,3,2,1"));
  const Matrix bytes = matrix(read(copy.path()).traffic);
  CHECK(bytes.at({0, 3}) == matrix(read(kFixtures + "mpi.sqlite").traffic).at({0, 1}));
  CHECK(!bytes.contains({0, 1}));
}

TEST_CASE("what an export leaves out is named, with the option that exports it") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const Copy copy;
  write_file(copy.path(), replaced(read_file(kFixtures + "nccl.sqlite"), "binaryData", "binaryNone"));
  const Diagnostic error = error_of(copy.path());
  CHECK(error.what == "36 calls of NCCL without their sizes, which the export left out");
  CHECK(error.hint.find("--include-blobs true") != std::string::npos);
  write_file(copy.path(), replaced(read_file(kFixtures + "nccl.sqlite"), "NVTX_EVENTS", "NVTX_EVENTX"));
  CHECK(error_of(copy.path()).what.find("without the tables of MPI or NVTX") != std::string::npos);
  try {
    (void)read_traffic_text("stdin", read_file(kFixtures + "nccl.sqlite"), {});
    FAIL("a database needs a path");
  } catch (const Error& error_of_text) {
    CHECK(error_of_text.diagnostics().front().hint == "give its path");
  }
}

TEST_CASE("a damaged database is an error or another matrix, and never more") {
  if (library_is_missing()) return test::skip_without("SQLite's library is missing (libsqlite3-0)");
  const Copy copy;
  for (const char* name : {"nccl.sqlite", "mpi.sqlite"}) {
    const std::string content = read_file(kFixtures + name);
    std::size_t refused = 0;
    for (std::size_t size = 64; size < content.size(); size += 331) {
      write_file(copy.path(), std::string_view(content).substr(0, size));
      CHECK(!error_of(copy.path()).what.empty());
    }
    for (std::size_t at = 0; at < content.size(); at += 37) {
      std::string flipped = content;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x91);
      write_file(copy.path(), flipped);
      refused += error_of(copy.path()).what.empty() ? 0 : 1;
    }
    CHECK(refused > 20);
  }
}
