// SPDX-License-Identifier: BSD-3-Clause
// Needs OTF2's library (Debian: libotf2-trace-dev).
#include <topowise/traffic_source/recorded/otf2_print.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

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

const std::string kFixtures = TOPOWISE_SOURCE_DIR "/tests/fixtures/otf2/";

bool library_is_missing() {
  for (const char* name : {"libotf2.so", "libotf2.so.10", "libopen-trace-format2.so", "libopen-trace-format2.so.10"})
    if (::dlopen(name, RTLD_NOW) != nullptr) return false;
  return true;
}

using Matrix = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, std::uint64_t>>;

Matrix read(const std::string& path, const std::string& model) {
  TrafficOptions options;
  options.collectives = model;
  Matrix all;
  const Traffic traffic = read_traffic(path, options);
  for (const TrafficEntry& entry : traffic.entries())
    all[{entry.source.index(), entry.destination.index()}] = {entry.bytes.value(), entry.messages};
  return all;
}

/// What tests/fixtures/otf2/archive.py counted when it wrote the archive: source, destination, bytes.
std::map<std::pair<std::size_t, std::size_t>, double> counts() {
  std::istringstream lines(read_file(kFixtures + "archive.counts"));
  std::map<std::pair<std::size_t, std::size_t>, double> all;
  std::size_t source = 0;
  std::size_t destination = 0;
  double bytes = 0;
  while (lines >> source >> destination >> bytes) all[{source, destination}] = bytes;
  return all;
}

/// A copy of the archive that a test may damage.
class Copy {
 public:
  Copy() : path_(fs::temp_directory_path() / ("otf2-archive-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::copy(kFixtures + "archive", path_, fs::copy_options::recursive);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { fs::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }

 private:
  fs::path path_;
};

/// The first error of reading an archive; empty if there is none.
std::string error_of(const std::string& path) {
  try {
    (void)read_traffic(path);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().what;
  }
  return {};
}

}  // namespace

TEST_CASE("an archive is read as otf2-print prints it, and as its writer counted") {
  if (library_is_missing()) return test::skip_without("OTF2's library is missing (libotf2-trace-dev)");
  const std::string archive = kFixtures + "archive";
  for (const char* model : {"none", "linear", "openmpi"}) {
    CAPTURE(model);
    const Matrix all = read(archive, model);
    CHECK(all == read(archive + "/traces.otf2", model));
    CHECK(all == read(kFixtures + "archive.txt", model));
  }
  const Matrix messages = read(archive, "none");
  CHECK(messages.size() == counts().size());
  for (const auto& counted : counts()) {
    CAPTURE(counted.first.first);
    CAPTURE(counted.first.second);
    REQUIRE(messages.contains(counted.first));
    CHECK(messages.at(counted.first).first == counted.second);
  }
  CHECK(messages.at({1, 2}).second == 6);
}

TEST_CASE("what is a part of an archive is named, with what to give") {
  const std::string archive = kFixtures + "archive";
  CHECK(error_of(archive + "/traces/0.evt").find("a file of definitions or events of an OTF2 archive") !=
        std::string::npos);
  CHECK(error_of(archive + "/traces.def").find("a file of definitions or events of an OTF2 archive") !=
        std::string::npos);
  const std::string anchor = read_file(archive + "/traces.otf2");
  try {
    (void)read_traffic_text("stdin", anchor, {});
    FAIL("an anchor alone has no events");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().hint == "give the path of traces.otf2, or of the folder that it lies in");
  }
}

TEST_CASE("a damaged archive is an error, whatever its library does") {
  if (library_is_missing()) return test::skip_without("OTF2's library is missing (libotf2-trace-dev)");
  const Copy copy;
  std::size_t refused = 0;
  for (const std::string& file : copy.files()) {
    CAPTURE(file);
    const std::string content = read_file(file);
    for (std::size_t size = 0; size < content.size(); size += 11) {
      write_file(file, std::string_view(content).substr(0, size));
      const std::string error = error_of(copy.path());
      CAPTURE(size);
      CHECK(!error.empty());
      ++refused;
    }
    for (std::size_t at = 0; at < content.size(); at += 5) {
      std::string flipped = content;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x55);
      write_file(file, flipped);
      refused += error_of(copy.path()).empty() ? 0 : 1;  // else a changed length is another length
    }
    write_file(file, content);
  }
  CHECK(refused > 150);
  fs::remove(copy.path() + "/traces/2.evt");
  CHECK(error_of(copy.path()).find("location 2") != std::string::npos);
}
