// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

using namespace topowise;

namespace {

std::string fixture(const std::string& name) {
  return read_file(std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/numpy/" + name);
}

std::string refusal(const std::string& text) {
  try {
    std::vector<Diagnostic> warnings;
    (void)read_npz("file", text, warnings);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) return "status";
    return error.diagnostics().front().what;
  }
  return "accepted";
}

/// The archive with another size of a file, decompressed, in its list.
std::string with_size(std::string text, const std::string& name, std::size_t size) {
  constexpr std::size_t kListed = 46;  // bytes before the name in the list
  constexpr std::size_t kSize = 24;
  const std::size_t at = text.rfind(name) - kListed;
  REQUIRE(text.substr(at, 4) == "PK\x01\x02");
  for (std::size_t i = 0; i < 4; ++i) text[at + kSize + i] = static_cast<char>(size >> (8 * i) & 0xff);
  return text;
}

}  // namespace

TEST_CASE("archives that NumPy and SciPy wrote have the traffic that was put into them (record.py)") {
  for (const std::string name : {"dense.npz", "compressed.npz", "coo.npz", "csr.npz", "csc.npz"}) {
    CAPTURE(name);
    const std::string text = fixture(name);
    CHECK(looks_like_npz(text));
    std::vector<Diagnostic> warnings;
    const Traffic traffic = read_npz("file", text, warnings);
    CHECK(traffic.ranks() == 4);
    CHECK(traffic.entries().size() == 4);
    CHECK(traffic.bytes(Rank(0), Rank(1)) == Bytes(5));
    CHECK(traffic.bytes(Rank(1), Rank(0)) == Bytes(6));
    CHECK(traffic.bytes(Rank(2), Rank(3)) == Bytes(7.5));
    CHECK(traffic.bytes(Rank(3), Rank(0)) == Bytes(8));
    const bool counted = name == "compressed.npz";
    CHECK((*traffic.entries().begin()).messages == (counted ? 3 : 0));
    REQUIRE(warnings.size() == (counted ? 1 : 0));
    if (counted) CHECK(warnings[0].what == "of its arrays only 'bytes' is used: 'bytes', 'messages', 'times'");
  }
}

TEST_CASE("what an archive lacks is named") {
  CHECK(refusal(fixture("bsr.npz")) == "a sparse matrix in the form 'bsr', which is not read");
  CHECK(refusal("PK\x03\x04") == "the archive is cut off: its list of files is missing");
  CHECK(!looks_like_npz("PK\x03\x04"));
  CHECK(!looks_like_npz("\x93NUMPY"));
}

TEST_CASE(
    "what an archive says of its sizes is checked before it is decompressed, for each file and for all together") {
  const std::string text = fixture("csc.npz");
  CHECK(refusal(with_size(text, "format.npy", 5000)) == "'format' has 5000 bytes, and 4096 bytes at most are expected");
  CHECK(refusal(with_size(text, "shape.npy", 1U << 30)) ==
        "'shape' has 1073741824 bytes, and 4096 bytes at most are expected");
  CHECK(refusal(with_size(text, "data.npy", 1U << 30)) ==
        "'data.npy' and the files before it have more than 1 GiB in all");
  CHECK(refusal(with_size(text, "data.npy", (1U << 30) + 1)) == "'data.npy' is larger than 1 GiB");
}

TEST_CASE("an archive that is cut or in which a byte is another is refused, or says the same") {
  for (const std::string name : {"dense.npz", "coo.npz", "csr.npz"}) {
    CAPTURE(name);
    const std::string text = fixture(name);
    std::vector<Diagnostic> ignored;
    const Traffic whole = read_npz("file", text, ignored);
    for (std::size_t length = 0; length < text.size(); length += 3)
      CHECK(refusal(text.substr(0, length)) != "accepted");
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
      try {
        const Traffic traffic = read_npz("file", damaged, ignored);
        CHECK(traffic.total_bytes() == whole.total_bytes());
      } catch (const Error& error) {
        CHECK(error.status() == ExitStatus::bad_input);
      }
    }
  }
}
