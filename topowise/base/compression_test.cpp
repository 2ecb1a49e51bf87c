// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/compression.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>

using namespace topowise;

namespace {

/// The text in each compression, as the program of that name wrote it.
const std::string kText = "switch leaf1\nnodes n[1-4]\n";
std::string bytes(std::string_view hexadecimal) {
  std::string text;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    text += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
  return text;
}
const std::string kGzip =
    bytes("1f8b08000000000000032b2ecf2c49ce50c8494d4c33e4cacb4f492d56c88b36d43589e50200df54b0cc1a000000");
const std::string kXz = bytes(
    "fd377a585a000004e6d6b4460200210116000000742fe5a3010019737769746368206c656166310a6e6f646573206e5b312d"
    "345d0a0000005fa7130f071f7d8e0001321a201894301fb6f37d010000000004595a");
const std::string kZstd = bytes("28b52ffd0458d10000737769746368206c656166310a6e6f646573206e5b312d345d0ae69ecc1e");
const std::string kMillionZeros = bytes(
    "fd377a585a000004e6d6b446020021011c00000010cf58ccef423f00d15d00186ffbbffea3b15ee5f83fb2aa2655f8687041"
    "70150f8dfd1e4c1b8a42b719f4691871ae66238a8a4d2fa30dd97fa6e38c231153e05918c5758ae277f8b6947f0c6ac0de74"
    "4964e2e95c53b204d8f7440cab5f0d6d46e9e5c37688b79657acb64de1691d6ffb4b88106c42cb883f5c008fd04eaf262894"
    "711f3d8f24e1709ea7235fec28cb85d195988a7e2a91f22775f719c006984d98fdd8afd5900fc42553f8f591363105a5b0ee"
    "6fc1704d470cd19111aaad601dbaceb127185c5986e9665258bee976ac59e4e55b0508f993c33f36000000005eda1417c40d"
    "d0da0001ed01c0843d00d5e076aeb1c467fb020000000004595a");

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("topowise-compression-" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string failure(const std::string& content, std::size_t limit = 1 << 20) {
  const TemporaryFile file(content);
  try {
    (void)read_file(file.path(), limit);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    std::string what = error.what();
    if (const std::size_t at = what.find(file.path()); at != std::string::npos)
      what.replace(at, file.path().size(), "F");
    return what;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a compressed file is read as if it were not") {
  for (const std::string& packed : {kGzip, kXz, kZstd}) {
    const TemporaryFile file(packed);
    CHECK(read_file(file.path()) == kText);
    CHECK(Input(file.path()).head(6) == "switch");
    Input stepwise(file.path());
    CHECK(stepwise.head(3) == "swi");
    CHECK(stepwise.head(1) == "s");
    CHECK(std::move(stepwise).whole(1000) == kText);
    const TemporaryFile twice(packed + packed);
    CHECK(read_file(twice.path()) == kText + kText);
    const TemporaryFile padded(packed + std::string(512, '\0'));
    CHECK(read_file(padded.path()) == kText);
  }
}

TEST_CASE("what is cut off or damaged is an error, wherever it is cut") {
  const std::vector<std::pair<std::string, std::string>> kinds{{"gzip", kGzip}, {"xz", kXz}, {"zstd", kZstd}};
  for (const auto& kind : kinds) {
    const std::string& name = kind.first;
    const std::string& packed = kind.second;
    CAPTURE(name);
    for (std::size_t length = kCompressionMark; length + 1 < packed.size(); ++length)
      CHECK(failure(packed.substr(0, length)) == "'F' is cut off: its " + name + " data do not end");
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
    CHECK(failure(damaged).starts_with("'F'"));
    CHECK(failure(packed + "no such stream follows").starts_with("'F': its " + name + " data are damaged (byte "));
  }
}

TEST_CASE("limits count what comes out: a small file cannot fill the memory") {
  CHECK(failure(kGzip, kText.size()) == "no error");
  CHECK(failure(kGzip, kText.size() - 1).starts_with("'F' is too large: "));
  CHECK(failure(kMillionZeros, 999'999) == "'F' is too large: at most 999999 bytes are read");
  const TemporaryFile file(kMillionZeros);
  CHECK(read_file(file.path()) == std::string(1'000'000, '0'));
}

TEST_CASE("other beginnings are no compression") {
  CHECK(compression_of("") == Compression::none);
  CHECK(compression_of("\x1f\x8b") == Compression::none);
  CHECK(compression_of("{\"schema\"") == Compression::none);
  const TemporaryFile empty("");
  CHECK(read_file(empty.path()).empty());
}
