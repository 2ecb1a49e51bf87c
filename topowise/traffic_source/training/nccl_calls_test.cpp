// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

std::string call(std::string_view process, std::string_view name, int count, int type, int root, std::string_view comm,
                 int ranks) {
  return fmt::format(
      "{} NCCL INFO {}: opCount 1a sendbuff 0x7f recvbuff 0x7f count {} datatype {} op 0 root {} comm {} [nranks={}] "
      "stream 0x1\n",
      process, name, count, type, root, comm, ranks);
}

std::string begins(std::string_view process, std::string_view comm, int rank, int ranks, std::string_view rest) {
  return fmt::format("{} NCCL INFO comm {} rank {} nranks {} cudaDev 0 nvmlDev 0 busId 1000 {} - Init COMPLETE\n",
                     process, comm, rank, ranks, rest);
}

TrafficReading read(const std::string& text) {
  return read_traffic_text("log", text, {.collectives = "linear"});
}

double bytes(const TrafficReading& reading, std::size_t from, std::size_t to) {
  return reading.traffic.bytes(Rank(from), Rank(to)).value();
}

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

bool warns(const TrafficReading& reading, std::string_view words) {
  for (const Diagnostic& warning : reading.warnings)
    if (warning.what.find(words) != std::string::npos) return true;
  return false;
}

constexpr std::string_view kProcesses[] = {"n1:7:9 [0]", "n1:8:9 [1]", "n2:7:9 [0]", "n2:8:9 [1]"};

/// The four processes are ranks 2, 3, 0, 1 of a communicator; `comm` is 0x1 in each of them.
std::string world() {
  std::string text;
  for (int i = 0; i < 4; ++i) text += begins(kProcesses[i], "0x1", (i + 2) % 4, 4, "commId 0xabc");
  return text;
}

}  // namespace

TEST_CASE("calls of several processes in one log; communicators say which ranks they are") {
  std::string text = world();
  for (const std::string_view process : kProcesses) text += call(process, "AllReduce", 10, 7, 0, "0x1", 4);
  // A launcher's label, and the time.
  text += "3: [2026-11-28 02:00:00] " + call(kProcesses[0], "Send", 3, 6, 1, "0x1", 4);
  text += call(kProcesses[3], "Recv", 3, 6, 2, "0x1", 4);
  text += call(kProcesses[1], "AllGather", 5, 9, 0, "0x1", 4);
  for (const int i : {0, 2, 3}) text += call(kProcesses[i], "AllGather", 5, 9, 0, "0x1", 4);
  const TrafficReading reading = read(text);
  CHECK(reading.traffic.ranks() == 4);
  CHECK(reading.warnings.empty());
  CHECK(bytes(reading, 1, 0) == 40 + 10);
  CHECK(bytes(reading, 0, 3) == 40 + 10);
  CHECK(bytes(reading, 2, 1) == 6 + 10);
  CHECK(bytes(reading, 2, 3) == 10);
}

TEST_CASE("communicators that split another one are told apart by their color") {
  std::string text = world();
  for (int i = 0; i < 4; ++i)
    text += begins(kProcesses[i], "0x2", i % 2, 2, fmt::format("parent 0x1 splitCount 1 color {} key 0", i / 2));
  for (int i = 0; i < 4; ++i) text += call(kProcesses[i], "AllReduce", i < 2 ? 100 : 7, 0, 0, "0x2", 2);
  const TrafficReading reading = read(text);
  CHECK(bytes(reading, 2, 3) == 100);
  CHECK(bytes(reading, 3, 2) == 100);
  CHECK(bytes(reading, 0, 1) == 7);
  CHECK(bytes(reading, 0, 2) == 0);
}

TEST_CASE("two splits of one communicator are two groups, by the words of any version") {
  // Rows of a grid of 2 x 2, then its columns: their colors and sizes are the same.
  for (const std::string_view word : {"splitCount", "childCount"}) {
    CAPTURE(word);
    std::string text = world();  // the processes are ranks 2, 3, 0, 1
    const auto split = [&](std::string_view comm, int count, int process, int color, int rank) {
      text += begins(kProcesses[process], comm, rank, 2,
                     fmt::format("parent 0x1 {} {} color {} key 0", word, count, color));
    };
    for (int i = 0; i < 4; ++i) split("0x2", 1, i, ((i + 2) % 4) / 2, i % 2);
    for (int i = 0; i < 4; ++i) split("0x3", 2, i, i % 2, ((i + 2) % 4) / 2);
    for (const std::string_view process : kProcesses)
      text += call(process, "AllReduce", 100, 0, 0, "0x2", 2) + call(process, "AllReduce", 7, 0, 0, "0x3", 2);
    const TrafficReading reading = read(text);
    CHECK(reading.warnings.empty());
    CHECK(bytes(reading, 0, 1) == 100);
    CHECK(bytes(reading, 3, 2) == 100);
    CHECK(bytes(reading, 0, 2) == 7);
    CHECK(bytes(reading, 3, 1) == 7);
    CHECK(bytes(reading, 0, 3) == 0);
  }
}

TEST_CASE("the words that RCCL and newer versions of NCCL add to their lines change nothing") {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += fmt::format(
        "(Worker pid={0}, ip=10.0.0.1) {1} NCCL INFO [Rank {2}] ncclCommInitRankConfig_impl comm 0x1 rank {2} "
        "nranks 4 cudaDev 0 nvmlDev 0 busId d000 commId 0xabc - Init START\n"
        "{1} NCCL INFO Init timings - ncclCommInitRankConfig_impl: rank {2} nranks 4 total 1.5 (kernels 1)\n",
        i, kProcesses[i], (i + 2) % 4);
  for (const std::string_view process : kProcesses)
    text += fmt::format(
        "[2026-03-12 13:57:49] {} NCCL INFO AllReduce: opCount 0 sendbuff 0x7 recvbuff 0x7 acc (nil) count 10 "
        "datatype 7 op 0 root 0 comm 0x1 [nranks=4] stream (nil) task 0 globalrank 0\n",
        process);
  const TrafficReading reading = read(text);
  CHECK(reading.warnings.empty());
  CHECK(bytes(reading, 1, 0) == 40);
  CHECK(bytes(reading, 0, 3) == 40);
}

TEST_CASE("lines that processes wrote into each other: whole calls are taken, the others are counted") {
  std::string whole = world();
  for (int i = 0; i < 4; ++i) whole += call(kProcesses[i], "[2] AllReduce", 10, 7, 0, "0x1", 4);
  const TrafficReading expected = read(whole);
  CHECK(expected.warnings.empty());

  // The second process wrote between the head of the first one's line and the rest.
  const auto second = [](std::string_view head) {
    return world() + call(kProcesses[0], "AllReduce", 10, 7, 0, "0x1", 4) + std::string(head) +
           call(kProcesses[1], "AllReduce", 10, 7, 0, "0x1", 4) + call(kProcesses[2], "AllReduce", 10, 7, 0, "0x1", 4) +
           call(kProcesses[3], "AllReduce", 10, 7, 0, "0x1", 4);
  };
  const TrafficReading cut = read(second("n1:7:9 [0] NCCL INFO ") + "Broadcast: opCount 1 sendbuff 0x7 recvbuff 0x7\n");
  CHECK(bytes(cut, 1, 0) == bytes(expected, 1, 0));
  CHECK(bytes(cut, 0, 3) == bytes(expected, 0, 3));
  CHECK(warns(cut, "lines that another process's line cuts"));

  // The name of the second one's host is glued to a word.
  const TrafficReading glued = read(second("n1:7:9 [0] NCCL INFO Channel 00 : 0 -> 1 via SHM/direct"));
  CHECK(warns(glued, "lines that another process's line cuts"));
  CHECK(!warns(glued, "SHM"));
  const TrafficReading two = read(second("n1:7:9 [0] NCCL INFO AllReduce: opCount 5 sendbuff 0x7 recvbuff 0x"));
  CHECK(warns(two, "lines that another process's line cuts"));
  const TrafficReading unmarked = read(world() + "n1:7:9 [0] NCCL INFO AllReduce: opCount 5 sendbuff 0xBroadcast" +
                                       call("", "", 10, 7, 0, "0x1", 4).substr(11) + whole.substr(world().size()));
  CHECK(bytes(unmarked, 1, 0) == bytes(expected, 1, 0));
  CHECK(warns(unmarked, "lines that another process's line cuts"));
}

TEST_CASE("calls that Ray leaves out of its log are counted") {
  std::string text = world();
  for (std::string_view process : kProcesses) text += call(process, "AllReduce", 10, 7, 0, "0x1", 4);
  text.insert(text.size() - 1, " [repeated 7x across cluster]");
  CHECK(warns(read(text), "left out: lines that Ray took for repeats (RAY_DEDUP_LOGS=0 keeps them) (7)"));
}

TEST_CASE("a communicator may take the place in memory of one that was destroyed") {
  std::string text = world();
  for (std::string_view process : kProcesses) text += call(process, "AllReduce", 10, 7, 0, "0x1", 4);
  for (int i = 0; i < 4; ++i)
    text += fmt::format("{} NCCL INFO comm 0x1 rank {} nranks 4 cudaDev 0 busId 1000 - Destroy COMPLETE\n",
                        kProcesses[i], (i + 2) % 4);
  const TrafficReading destroyed = read(text);
  CHECK(destroyed.warnings.empty());
  for (int i = 0; i < 2; ++i) text += begins(kProcesses[i], "0x1", 1 - i, 2, "commId 0xdef");
  for (int i = 0; i < 2; ++i) text += call(kProcesses[i], "Broadcast", 10, 7, 0, "0x1", 2);
  const TrafficReading again = read(text);
  CHECK(again.warnings.empty());
  // The second process, rank 3 of the job, is the root of the second communicator.
  CHECK(bytes(again, 3, 2) == bytes(destroyed, 3, 2) + 40);
  CHECK(bytes(again, 2, 3) == bytes(destroyed, 2, 3));
}

TEST_CASE("before 2.18 a log has no ids: what only one communicator of its size did counts, the rest is counted") {
  std::string text;
  for (int i = 0; i < 4; ++i) text += begins(kProcesses[i], "0x1", i, 4, "");
  for (int i = 0; i < 4; ++i) text += begins(kProcesses[i], "0x2", i % 2, 2, "");
  for (const std::string_view process : kProcesses)
    text += call(process, "AllReduce", 10, 7, 0, "0x1", 4) + call(process, "AllReduce", 99, 7, 0, "0x2", 2);
  const TrafficReading reading = read(text);
  CHECK(bytes(reading, 1, 0) == 40);
  CHECK(bytes(reading, 2, 3) == 0);
  CHECK(warns(reading, "4 calls in group 'communicator of 2 ranks', whose members are in no trace, left out"));
}

TEST_CASE("a log of the calls alone: ranks are taken in the order of hosts and devices, or as RCCL names them") {
  const std::string text =
      call("n10:1:1 [0]", "AllReduce", 8, 7, 0, "0x5", 3) + call("n9:4:4 [1]", "AllReduce", 8, 7, 0, "0x6", 3) +
      call("n9:5:5 [0]", "AllReduce", 8, 7, 0, "0x7", 3) + call("n10:1:1 [0]", "Send", 8, 7, 0, "0x5", 3);
  const TrafficReading assumed = read(text);
  CHECK(assumed.traffic.ranks() == 3);
  CHECK(warns(assumed, "ranks are taken in the order of hosts and devices"));
  CHECK(bytes(assumed, 2, 0) == 32 + 32);
  std::string named;
  for (const auto& [process, rank] : {std::pair("n1:1:1 [0]", 1), {"n1:2:2 [1]", 0}}) {
    named += call(process, "Broadcast", 8, 7, 1, "0x5", 2);
    named.back() = ' ';
    named += fmt::format("task 0 globalrank {}\n", rank);
  }
  const TrafficReading known = read(named);
  CHECK(known.warnings.empty());
  CHECK(bytes(known, 1, 0) == 32);
}

TEST_CASE("what a log lacks is named") {
  CHECK(refusal(call("n1:1:1 [0]", "AllReduce", 8, 7, 0, "0x5", 4))
            .find("no line says which ranks its 1 processes are") != std::string::npos);
  const TrafficReading reading = read(
      world() + call(kProcesses[2], "AllReduce", 8, 70, 0, "0x1", 4) + call(kProcesses[2], "Send", 8, 7, 9, "0x1", 4) +
      call(kProcesses[2], "AllWhat", 8, 7, 0, "0x1", 4) + "n1:7:9 [0] NCCL INFO AllReduce: opCount 0 sendbn2:7:9\n");
  CHECK(reading.traffic.total_bytes().value() == 0);
  CHECK(warns(reading, "calls whose type of numbers, '70', is not known here (1)"));
  CHECK(warns(reading, "calls of 'Send' whose root or partner is beyond their communicator of 4 (1)"));
  CHECK(warns(reading, "calls of 'AllWhat', which is not known here (1)"));
  CHECK(warns(reading, "lines that another process's line cuts, or that miss a part (1)"));
  CHECK(refusal(begins("n1:1:1 [0]", "0x1", 4, 4, "") + call("n1:1:1 [0]", "AllReduce", 8, 7, 0, "0x1", 4))
            .find("log:1: rank 4 of a communicator of 4 ranks") != std::string::npos);
}

TEST_CASE("ranks that made different numbers of calls are named, of allgathers without their sizes, which may differ") {
  std::string text = world();
  for (const std::string_view process : kProcesses)
    text += call(process, "AllGather", 5, 9, 0, "0x1", 4) + call(process, "Reduce", 5, 9, 0, "0x1", 4);
  const TrafficReading reading = read(text + call(kProcesses[3], "AllGather", 6, 9, 0, "0x1", 4) +
                                      call(kProcesses[3], "Reduce", 6, 9, 0, "0x1", 4));
  CHECK(warns(reading,
              "ranks disagree about 'allgather' in the group of ranks 0, 1, 2, 3: rank 0 made 1 call, rank 1 2 "
              "calls"));
  CHECK(warns(reading, "rank 0 made 1 call of 10 B in all, rank 1 2 calls of 22 B in all"));
}
