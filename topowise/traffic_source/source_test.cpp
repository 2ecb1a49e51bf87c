// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/source.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tests/corpus.hpp>
#include <tests/fixtures/opened.hpp>

#include <topowise/base/file.hpp>

using namespace topowise;

namespace {

/// A directory that is removed when the test ends.
class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / fmt::format("topowise-traffic-{}", ::getpid())) {
    std::filesystem::create_directory(path_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, std::string_view content) const {
    write_file((path_ / name).string(), content);
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string refusal(const std::string& argument, const TrafficOptions& options = {}) {
  try {
    (void)read_traffic(argument, options);
  } catch (const Error& error) {
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a pattern, and files of every format by their content") {
  CHECK(read_traffic("pattern:stencil2d:4x4:w=3:heavy=0").ranks() == 16);
  const Directory directory;
  const auto ranks = [&](std::string_view content) { return read_traffic(directory.write("file", content)).ranks(); };
  CHECK(ranks("0 1 0\n1 0 0\n0 0 0\n") == 3);
  CHECK(ranks("0,1\n1,0\n") == 2);
  CHECK(ranks("%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 3\n") == 5);
  CHECK(ranks("4 3\n2\n1 3\n2 4\n3\n") == 4);
  CHECK(ranks("2\n0 1 1 0\n0 1 1 0\n") == 2);
  CHECK(ranks("E\t0\t6\t1 bytes\t1 msgs sent\n") == 7);
  CHECK(ranks(R"({"schema": "topowise.traffic/1", "ranks": 6, "entries": []})") == 6);
}

TEST_CASE("a byte order mark, UTF-16 and carriage returns change nothing") {
  const Directory directory;
  const auto in_utf16 = [](std::string_view text) {
    std::string bytes("\xff\xfe");
    for (const char c : text) bytes += {c, '\0'};
    return bytes;
  };
  for (const std::string text :
       {"0 1\n1 0\n", "0,1\n1,0\n", "source,destination,bytes\n0,1,500\n1,2,600\n0,2,1\n",
        "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 3\n", "4 3\n2\n1 3\n2 4\n3\n",
        R"({"schema": "topowise.traffic/1", "ranks": 2,
            "entries": [{"source": 0, "destination": 1, "bytes": 5}]})"}) {
    CAPTURE(text);
    const Traffic plain = read_traffic(directory.write("file", text));
    std::string returns = text;
    std::ranges::replace(returns, '\n', '\r');
    for (const std::string& changed : {"\xef\xbb\xbf" + text, in_utf16(text), returns, "\xef\xbb\xbf" + returns}) {
      const std::string path = directory.write("file", changed);
      CHECK(read_traffic(path).ranks() == plain.ranks());
      CHECK(read_traffic(path).total_bytes() == plain.total_bytes());
      CHECK(read_traffic_text("text", changed).traffic.total_bytes() == plain.total_bytes());
    }
  }
  CHECK(refusal(directory.write("file", "\xef\xbb\xbf")).find("the file is empty") != std::string::npos);
  CHECK(refusal(directory.write("file", "\xef\xbb\xbf\xef\xbb\xbf")).find("not a traffic format") != std::string::npos);
  CHECK(refusal(directory.write("file", in_utf16("0 1\n1 x\n"))).find("file:2:3") != std::string::npos);
}

TEST_CASE("--format forces a format") {
  const Directory directory;
  const std::string path = directory.write("small", "2 1 11\n1 2 5\n1 1 5\n");
  CHECK(read_traffic(path).ranks() == 3);
  CHECK(read_traffic(path, {.format = "metis"}).ranks() == 2);
  CHECK(refusal(path, {.format = "mets"}).find("unknown traffic format 'mets', did you mean 'metis'?") !=
        std::string::npos);
}

TEST_CASE("what is no traffic") {
  const Directory directory;
  CHECK(refusal(directory.write("noise", "\x7f\x01\x02,1,2\n")).find("not a traffic format") != std::string::npos);
  CHECK(refusal(directory.write("empty", "")).find("the file is empty") != std::string::npos);
  CHECK(refusal(directory.path() + "/none").find("cannot read") != std::string::npos);
}

TEST_CASE("a directory of .prof files: the rows of all ranks, errors in the right file") {
  const Directory directory;
  directory.write("x.0.prof", "# POINT TO POINT\nE\t0\t1\t10 bytes\t1 msgs sent\n");
  directory.write("x.1.prof", "E\t1\t0\t20 bytes\t1 msgs sent\n");
  const TrafficReading reading = read_traffic_with_warnings(directory.path());
  CHECK(reading.traffic.bytes(Rank(1), Rank(0)) == Bytes(20));
  CHECK(reading.warnings.empty());
  directory.write("x.2.prof", "E\t2\t0\t20 lots\t1 msgs sent\n");
  CHECK(refusal(directory.path()).starts_with("error: " + directory.path() + "/x.2.prof:1: not"));
}

TEST_CASE("QAPLIB instances: the name gives the size") {
  for (const std::filesystem::path& file : test::corpus_files("qaplib")) {
    CAPTURE(file.string());
    const std::string digits = file.stem().string();
    const std::size_t begin = digits.find_first_of("0123456789");
    CHECK(read_traffic(file.string()).ranks() == static_cast<std::size_t>(std::stoi(digits.substr(begin))));
  }
}

TEST_CASE("what the files of a directory are is found before one is read, and only traces count") {
  const Directory directory;
  directory.write("a.json", R"({"traceEvents": [damaged)");
  directory.write("notes.txt", "no trace");
  const std::string record =
      R"({"header":{"id":"0x1","rank":@,"n_ranks":2},"metadata":{"inspector_output_format_version":"v4.2","hostname":"n","pid":@},)"
      R"("coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":8}})";
  for (const char rank : {'0', '1'}) {
    std::string own = record;
    std::ranges::replace(own, '@', rank);
    directory.write(fmt::format("{}.log", rank), own);
  }
  CHECK(refusal(directory.path()).find("has traces of several formats: kineto, nccl-inspector") != std::string::npos);
  std::vector<std::string> told;
  const auto tell = [&](const std::string& where, std::size_t, std::size_t) { told.push_back(where); };
  (void)read_traffic(directory.path(), {.format = "nccl-inspector", .progress = tell});
  for (const std::string& where : told) CHECK(where.ends_with("of 2)"));
}

TEST_CASE("each file is opened once") {
  const Directory directory;
  const std::string fixture = std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/ddp";
  const test::Opened opened_trace(fixture + "/rank0.json.gz");
  for (const std::string& argument : {fixture, fixture + "/*.json.gz", fixture + "/rank0.json.gz"}) {
    CAPTURE(argument);
    (void)read_traffic(argument);
    CHECK(opened_trace.count() == 1);
  }
  for (const std::string text :
       {"0 1\n1 0\n", "0,1\n1,0\n", "4 3\n2\n1 3\n2 4\n3\n",
        "\xef\xbb\xbf"
        "0,1\n1,0\n",
        R"({"schema": "topowise.exchange/1", "communications": [{"source": 0, "destination": 1, "bytes": 5}]})"}) {
    CAPTURE(text);
    const std::string path = directory.write("file", text);
    const test::Opened opened(path);
    (void)read_exchange(path);
    CHECK(opened.count() == 1);
    if (text.starts_with("{")) continue;
    (void)read_traffic(path);
    CHECK(opened.count() == 1);
  }
}

TEST_CASE("what describes a machine is refused as such by callers who know machines") {
  const auto is_machine = [](std::string_view head) { return head.starts_with("machine"); };
  const Directory directory;
  CHECK(
      refusal(directory.write("file", "machine 1 2\n"), {.is_machine = is_machine}).find("this describes a machine") !=
      std::string::npos);
  const std::string log = directory.write("log", "n1:7:9 [0] NCCL INFO Bootstrap: Using eth0\n");
  for (const TrafficOptions& options :
       {TrafficOptions{}, TrafficOptions{.is_machine = [](std::string_view) { return true; }}}) {
    CHECK(refusal(log, options).find("this log of NCCL has no calls, where traffic is asked for") != std::string::npos);
    CHECK(refusal(log, options).find("NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL") != std::string::npos);
  }
  CHECK(refusal(directory.write("file", "machine 1 2\n")).find("not a traffic format") != std::string::npos);
}
