// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/input.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

/// The file's bytes as they are on the disk.
std::string packed() {
  std::ifstream file(std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/ddp/rank0.json.gz", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string all_of(std::string_view text) {
  Input bytes = Input::of_text("file", text);
  std::string all;
  for (std::string_view part = bytes.next(); !part.empty(); part = bytes.next()) all += part;
  return all;
}

std::string refusal(std::string_view text) {
  try {
    (void)all_of(text);
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a gzip file is unpacked, one member after the other; other bytes stay as they are") {
  const std::string plain = all_of(packed());
  CHECK(plain.starts_with("{\"schemaVersion\": 1"));
  CHECK(plain.ends_with("]}\n"));
  CHECK(all_of(packed() + packed()) == plain + plain);
  CHECK(all_of(packed() + std::string(512, '\0')) == plain);  // tapes pad files like this
  CHECK(all_of("plain") == "plain");
  CHECK(all_of("").empty());
}

TEST_CASE("damage is reported with its byte") {
  const std::string whole = packed();
  CHECK(refusal(whole.substr(0, whole.size() / 2)) == "'file' is cut off: its gzip data do not end");
  std::string damaged = whole;
  for (std::size_t i = 300; i < 320; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  CHECK(refusal(damaged).starts_with("'file': its gzip data are damaged (byte "));
  CHECK(refusal(whole + "garbage").starts_with("'file': its gzip data are damaged (byte "));
}

TEST_CASE("the head is given once more") {
  const std::string text = packed();
  Input bytes = Input::of_text("file", text);
  const std::string head(bytes.head(100));
  CHECK(head.size() == 100);
  CHECK(bytes.next().starts_with(head));
  Input short_one = Input::of_text("file", "abc");
  CHECK(short_one.head(100) == "abc");
  CHECK(short_one.next() == "abc");
  CHECK(short_one.next().empty());
}

TEST_CASE("progress is reported, and what cannot be read is an error") {
  const std::string path = std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/ddp/rank0.json.gz";
  std::size_t done = 0;
  std::size_t size = 0;
  std::size_t calls = 0;
  Input bytes(path, [&](const std::string&, std::size_t now, std::size_t all) {
    done = now;
    size = all;
    ++calls;
  });
  CHECK(bytes.head(100).size() == 100);
  const std::size_t first = calls;
  CHECK(done == packed().size());
  CHECK(bytes.head(200).size() == 200);
  CHECK(calls > first);  // also where nothing more is read from the disk
  while (!bytes.next().empty()) {
  }
  CHECK(done == packed().size());
  CHECK(size == done);
  CHECK_THROWS_WITH_AS((void)Input("/none"), "cannot read '/none': No such file or directory", Error);
  CHECK_THROWS_AS((void)Input("/"), Error);
}
