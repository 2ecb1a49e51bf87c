// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/otf2_print.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <topowise/base/file.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

using Matrix = std::map<std::pair<std::size_t, std::size_t>, double>;

/// Four ranks ran tests/fixtures/otf2/record.py, and otf2-print 3.0.2 printed the trace.
const std::string kJob = TOPOWISE_SOURCE_DIR "/tests/fixtures/otf2/job.txt";

Matrix matrix(const Traffic& traffic) {
  Matrix bytes;
  for (const TrafficEntry& entry : traffic.entries())
    bytes[{entry.source.index(), entry.destination.index()}] += entry.bytes.value();
  return bytes;
}

Matrix read(const std::string& text, const char* model, std::size_t warnings = 0) {
  TrafficOptions options;
  options.collectives = model;
  const TrafficReading reading = read_traffic_text("job.txt", text, options);
  CHECK(reading.warnings.size() == warnings);
  return matrix(reading.traffic);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

Diagnostic first_error(const std::string& text) {
  try {
    (void)read_traffic_text("job.txt", text, {});
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  return {};
}

}  // namespace

TEST_CASE("a job of four ranks: what its program sends, by hand") {
  const std::string text = read_file(kJob);
  const Matrix messages{{{0, 1}, 3000}, {{1, 2}, 6000}, {{2, 3}, 9000}, {{3, 0}, 12000}, {{1, 3}, 30}};
  CHECK(read(text, "none") == messages);
  Matrix all = messages;
  for (const std::size_t rank : {1, 2, 3}) {
    all[{rank, 0}] += 3 * 128;  // the allreduce goes through rank 0
    all[{0, rank}] += 3 * 128;
  }
  for (const std::size_t rank : {0, 1, 3}) all[{2, rank}] += 400;  // broadcast by rank 2
  all[{1, 3}] += 40;                                               // allgather of the odd ranks
  all[{3, 1}] += 40;
  CHECK(read(text, "linear") == all);
  CHECK(read(text, "auto") == read(text, "openmpi"));
}

TEST_CASE("a paradigm that the trace defines, as Score-P writes it, and MPI_COMM_SELF") {
  const std::string text = read_file(kJob);
  std::string defined = text;
  for (std::size_t at = 0; (at = defined.find("Paradigm: MPI,", at)) != std::string::npos; ++at)
    defined.replace(at, 14, "Paradigm: \"MPI\" <4>,");
  REQUIRE(defined != text);
  CHECK(read(defined, "openmpi") == read(text, "openmpi"));
  const std::string communicators = "COMM                                   0 ";
  const std::string with_self = replaced(
      replaced(
          defined, communicators,
          "GROUP                                  9  Name: \"self\" <13>, Type: COMM_SELF, Paradigm: \"MPI\" <4>, "
          "Flags: NONE, 0 Members: \nCOMM                                   9  Name: \"self\" <13>, Group: \"self\" "
          "<9>, Parent: UNDEFINED, Flags: NONE\n" +
              communicators),
      "\nMPI_ISEND ",
      "\nMPI_ISEND  1 5 Receiver: 0 (\"Master thread 1\" <1>), Communicator: \"self\" <9>, Tag: 0, Length: 7, Request: "
      "0"
      "\nMPI_ISEND ");
  Matrix with_own = read(text, "none");
  with_own[{1, 1}] = 7;
  CHECK(read(with_self, "none") == with_own);
}

TEST_CASE("names are data; what is not defined is reported") {
  const std::string text = read_file(kJob);
  const Matrix messages = read(text, "none");
  CHECK(read(replaced(text, "(\"Master thread 3\" <3>), Communicator: \"world\" <0>",
                      "(\"a, Length: 7, Tag: <9>\" <3>), Communicator: \"b <4>\" <0>"),
             "none") == messages);

  CHECK(read(replaced(text, "COMM                                   1 ", "COM                                    1 "),
             "none", 1) == Matrix{{{0, 1}, 3000}, {{1, 2}, 6000}, {{2, 3}, 9000}, {{3, 0}, 12000}});
  CHECK(read(text + "RMA_PUT 0 5 Window: 1, Remote: 2, Bytes: 9, Matching: 1\n", "none", 1) == messages);
}

TEST_CASE("groups of one member and of none, as otf2-print writes them") {
  const std::string text = read_file(kJob);
  const std::string communicators = "COMM                                   0 ";
  const std::string with_more = replaced(
      text, communicators,
      "GROUP                                  9  Name: \"\" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 1 "
      "Member: 2 "
      "(\"Master thread 2\" <2>)\n"
      "GROUP                                 10  Name: \"\" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 0 "
      "Members\n"
      "COMM                                   9  Name: \"\" <0>, Group: \"\" <9>, Parent: UNDEFINED, Flags: NONE\n" +
          communicators);
  CHECK(read(with_more, "openmpi") == read(text, "openmpi"));
}

TEST_CASE("collective calls: Score-P counts what goes to and comes from all members, others a member's part") {
  const std::string text = read_file(kJob);
  const auto with = [&](const std::string& line) {
    std::string lines;
    for (const char rank : {'0', '1', '2', '3'})
      lines += replaced("MPI_COLLECTIVE_END  R 5 Operation: " + line + "\n", "R", std::string(1, rank));
    return text + lines;
  };
  const std::string world = "Communicator: \"world\" <0>, Root: NONE, ";
  const Matrix without = read(text, "linear");
  const auto more = [&](const std::string& line) {
    Matrix more = read(with(line), "linear");
    for (const auto& [pair, bytes] : without) more[pair] -= bytes;
    std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
    return more;
  };
  const Matrix of_allreduce{{{0, 1}, 10}, {{0, 2}, 10}, {{0, 3}, 10}, {{1, 0}, 10}, {{2, 0}, 10}, {{3, 0}, 10}};
  CHECK(more("ALLREDUCE, " + world + "Sent: 40, Received: 40") == of_allreduce);
  const Matrix of_scan = more("SCAN, " + world + "Sent: 30, Received: 20");  // as of rank 1: (n - 1) and 2 parts of 10
  double most = 0;
  for (const auto& [pair, bytes] : of_scan) most = std::max(most, bytes);
  CHECK(most == 10);
  const std::string other = replaced(text, "Score-P (record.py", "another (record.py");
  CHECK(read(other + "MPI_COLLECTIVE_END  1 5 Operation: BARRIER, " + world + "Sent: 0, Received: 0\n", "none", 0) ==
        read(text, "none"));
  CHECK(read(other, "linear", 1)[{0, 1}] == without.at({0, 1}) + 9 * 128);  // 512 are taken as one member's part
}

TEST_CASE("one-sided operations of MPI, and messages between the groups of an intercommunicator") {
  const std::string text = read_file(kJob);
  const std::string communicators = "COMM                                   0 ";
  const std::string defined =
      replaced(text, communicators,
               "GROUP  8  Name: \"\" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 0 (\"a\" <0>), 1 "
               "(\"b\" <1>)\n"
               "GROUP  9  Name: \"\" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 2 (\"c\" <2>), 3 "
               "(\"d\" <3>)\n"
               "INTER_COMM  9  name: \"\" <0>, Group A: \"\" <8>, Group B: \"\" <9>, Common Communicator: \"world\" "
               "<0>, Flags: NONE\n"
               "RMA_WIN  1  Name: \"a, Remote: 3\" <0>, Communicator: \"world\" <0>, Flags: NONE\n" +
                   communicators);
  const auto more = [&](const std::string& line, std::size_t warnings = 0) {
    Matrix more = read(defined + line, "none", warnings);
    for (const auto& [pair, bytes] : read(text, "none")) more[pair] -= bytes;
    std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
    return more;
  };
  CHECK(more("MPI_SEND 0 5 Receiver: 1 (\"d\" <3>), Communicator: \"\" <9>, Tag: 0, Length: 7\n") ==
        Matrix{{{0, 3}, 7}});
  CHECK(more("MPI_SEND 3 5 Receiver: 1 (\"b\" <1>), Communicator: \"\" <9>, Tag: 0, Length: 7\n") ==
        Matrix{{{3, 1}, 7}});
  const std::string window = "Window: \"a, Remote: 3\" <1>, Remote: 2 (\"c\" <2>), ";
  CHECK(more("RMA_PUT 1 5 " + window + "Bytes: 9, Matching: 1\n") == Matrix{{{1, 2}, 9}});
  CHECK(more("RMA_GET 1 5 " + window + "Bytes: 9, Matching: 1\n") == Matrix{{{2, 1}, 9}});
  CHECK(more("RMA_ATOMIC 1 5 " + window + "Type: FETCH_AND_ADD, Sent: 8, Received: 4, Matching: 1\n") ==
        Matrix{{{1, 2}, 8}, {{2, 1}, 4}});
  CHECK(more("RMA_PUT 1 5 Window: \"gpu\" <7>, Remote: 0, Bytes: 9, Matching: 1\n", 1).empty());
  const std::string between =
      "MPI_COLLECTIVE_END 0 5 Operation: ALLTOALL, Communicator: \"\" <9>, Root: NONE, Sent: 8, "
      "Received: 8\n";
  CHECK(read(defined + between, "linear", 1) == read(text, "linear"));
  CHECK(first_error(defined + "RMA_PUT 1 5 Window: \"w\" <1>, Remote: 4, Bytes: 9, Matching: 1\n").what ==
        "the window has no rank 4");
}

TEST_CASE("damage is located") {
  const std::string text = read_file(kJob);
  CHECK(first_error(text.substr(0, 900)).what == "no definitions of an MPI job in it");
  CHECK(first_error(text.substr(0, 900)).hint == "otf2-print --show-all traces.otf2 > job.txt");
  const Diagnostic length = first_error(replaced(text, "Length: 3000", "Length: 3k"));
  CHECK(length.position.line > 50);
  CHECK(length.what.find("'3k'") != std::string::npos);
  CHECK(first_error(replaced(text, "4 Members", "5 Members")).what == "4 members are listed, not '5'");
  CHECK(first_error(replaced(text, "MPI_ISEND                                      2",
                             "MPI_ISEND                                      7"))
            .what == "location 7 is of no rank of MPI");
  CHECK(first_error(text + text).what == "a second trace begins here: one job at a time");
}
