// SPDX-License-Identifier: BSD-3-Clause
// SimGrid, GOAL, DUMPI and Paraver: small jobs whose traffic is worked out by hand.
#include <topowise/traffic_source/training/rank_traces.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/source.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/job.hpp>

using namespace topowise;

namespace {

TrafficReading read(std::string_view text, const std::string& where = "job-0000.txt") {
  return read_traffic_text(where, text, {.collectives = "linear"});
}

double bytes(const TrafficReading& reading, std::size_t from, std::size_t to) {
  return reading.traffic.bytes(Rank(from), Rank(to)).value();
}

std::uint64_t messages(const TrafficReading& reading) {
  std::uint64_t all = 0;
  for (const auto& entry : reading.traffic.entries()) all += entry.messages;
  return all;
}

std::string refusal(std::string_view text, std::string_view format, const std::string& where = "job-0000.txt") {
  try {
    (void)read_traffic_text(where, text, {.format = std::string(format)});
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.position.line) + ": " + first.what;
  }
  return "accepted";
}

bool warns(const TrafficReading& reading, std::string_view words) {
  for (const Diagnostic& warning : reading.warnings)
    if (warning.what.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("SimGrid: messages, collectives and types of several ranks in one file") {
  const TrafficReading reading = read(
      "0 init\n1 init\n2 init\n"
      "0 send 1 0 1e6\n1 recv 0 0 1e6\n"
      "0 isend 2 5 10 1\n2 irecv 0 5 10 1\n2 wait 0 2 5\n"
      "0 compute 1e9\n"
      "0 bcast 100 1\n1 bcast 100 1\n2 bcast 100 1\n"
      "0 allReduce 8 1e6 0\n1 allreduce 8 1e6 0\n2 allreduce 8 1e6 0\n"
      "0 gather 5 5 2 5 5\n1 gather 5 5 2 5 5\n2 gather 5 5 2 5 5\n"
      "0 alltoallv 4 1 1 2 4 1 1 2\n"
      "0 barrier\n1 barrier\n2 barrier\n0 finalize\n");
  REQUIRE(reading.traffic.ranks() == 3);
  CHECK(bytes(reading, 0, 1) == 1e6 + 64 + 1);
  CHECK(bytes(reading, 0, 2) == 40 + 64 + 20 + 2);
  CHECK(bytes(reading, 1, 0) == 100 + 64);
  CHECK(bytes(reading, 1, 2) == 100 + 20);
  CHECK(bytes(reading, 2, 0) == 64);
  CHECK(warns(reading, "the trace names no communicators: collective calls are taken as those of all ranks"));
  CHECK(bytes(read("0 init 1\n0 send 1 0 4\n1 init\n"), 0, 1) == 32);  // doubles, if init has an argument
  const TrafficReading alone = read("0 init\n0 send 2 0 5\n");
  CHECK(alone.traffic.ranks() == 3);
  CHECK(bytes(alone, 0, 2) == 5);
  CHECK(warns(alone, "ranks 1, 2 of 3 left no trace"));
  CHECK(refusal("0 init\n0 send 1\n", "simgrid") == "2: 'send' misses its argument 3");
  CHECK(refusal("0 init\n0 send 1 0 -4\n", "simgrid") == "2: '-4' is not a number from 0 to 2^53");
  CHECK(refusal("0 init\n0 send x 0 4\n", "simgrid") == "2: 'x' is not a rank of a job");
  CHECK(refusal("\n", "simgrid") == "0: no actions of ranks in it");
}

TEST_CASE("SimGrid: all kinds of sends and of collectives are read, and what may send and is not read is counted") {
  for (const std::string name : {"send", "isend", "Ssend", "ISsend", "bsend", "ibsend", "issend"}) {
    CAPTURE(name);
    const TrafficReading reading = read("0 init\n1 init\n0 " + name + " 1 0 10 1\n1 recv 0 0 10 1\n");
    CHECK(bytes(reading, 0, 1) == 40);
    CHECK(reading.warnings.empty());
  }
  for (const std::string call :
       {"bcast 5 1 1", "reduce 5 0 1 1", "allReduce 5 0 1", "alltoall 5 5 1 1", "gather 5 5 1 1 1", "allgather 5 5 1 1",
        "scatter 5 5 1 1 1", "allgatherv 5 5 5 5 1 1", "gatherv 5 5 5 5 1 1 1", "scatterv 5 5 5 5 1 1 1",
        "alltoallv 15 5 5 5 15 5 5 5 1 1", "reducescatter 5 5 5 0 1", "scan 5 0 1", "exscan 5 0 1", "barrier"}) {
    CAPTURE(call);
    const auto job = [&](const std::string& begin) {
      return read("0 init\n1 init\n2 init\n0 " + begin + call + "\n1 " + begin + call + "\n2 " + begin + call + "\n");
    };
    const TrafficReading blocking = job("");
    const TrafficReading other = job("i");
    CHECK(other.warnings.size() == (call == "barrier" ? 0 : 1));  // no action names its communicator
    CHECK(messages(other) > 0);
    CHECK(messages(other) == messages(blocking));
    for (std::size_t from = 0; from < 3; ++from)
      for (std::size_t to = 0; to < 3; ++to) CHECK(bytes(other, from, to) == bytes(blocking, from, to));
  }
  const TrafficReading null = read("0 init\n1 init\n0 send -666 0 10 1\n0 Ssend -666 0 10 1\n0 send 1 0 3 1\n");
  CHECK(null.traffic.total_bytes().value() == 12);
  CHECK(null.warnings.empty());
  const TrafficReading rest = read(
      "0 init\n1 init\n0 send 1 0 1\n0 Start 1 5 0 1\n0 Startall\n0 Put 5\n1 whatever 3\n"
      "1 iscan 5 0 1\n1 ialltoallw 5\n1 waitAny 2\n0 comm_size 2\n1 testall\n1 irecv 0 0 1\n0 finalize\n");
  CHECK(rest.traffic.total_bytes().value() == 1);
  REQUIRE(rest.warnings.size() == 4);
  CHECK(warns(rest, "starts of persistent calls, which do not say whether they send (2)"));
  CHECK(warns(rest, "actions that are not read, such as 'Put' (3)"));
}

TEST_CASE("SimGrid: what SMPI 3.32 wrote of a job of three ranks, and of the exchanges of older versions") {
  const TrafficReading reading = read(
      "0 init\n0 sendRecv 100 1 100 2 0 0\n0 alltoallv 33 10 11 12 30 10 10 10 1 1\n0 gatherv 5 0 0 0 1 0 0\n"
      "0 scatterv 0 0 0 5 2 5 5\n0 allgatherv 5 5 6 7 1 1\n0 reducescatter 0 0 1 \n0 finalize\n"
      "1 init\n1 sendRecv 100 2 100 0 0 0\n1 alltoallv 33 10 11 12 33 11 11 11 1 1\n1 gatherv 6 5 6 7 1 0 0\n"
      "1 scatterv 0 0 0 6 2 5 5\n1 allgatherv 6 5 6 7 1 1\n1 reducescatter 0 0 1 \n1 finalize\n"
      "2 init\n2 sendRecv 100 0 100 1 0 0\n2 alltoallv 33 10 11 12 36 12 12 12 1 1\n2 gatherv 7 0 0 0 1 0 0\n"
      "2 scatterv 5 6 7 7 2 5 5\n2 allgatherv 7 5 6 7 1 1\n2 reducescatter 0 0 1 \n2 finalize\n");
  const auto others = [](std::size_t from) {  // the allgatherv: a part from each rank to each
    return 4.0 * (5.0 + static_cast<double>(from));
  };
  CHECK(bytes(reading, 0, 1) == 800 + 44 + 40 + others(0));
  CHECK(bytes(reading, 2, 1) == 44 + 56 + 24 + others(2));
  CHECK(bytes(reading, 2, 0) == 800 + 40 + 20 + others(2));
  CHECK(warns(reading,
              "left out: calls of 'reducescatter' of a type that is not known here, or with another number of "
              "counts than there are ranks (3)"));
  const TrafficReading older = read(
      "0 init\n0 sendRecv 10 2 10 3 1 1\n1 init\n1 isendRecv 10 3 10 1 1 1\n"
      "2 init\n2 sendRecv 10 1 10 2 1 1\n");
  CHECK(bytes(older, 0, 1) == 40);
  CHECK(bytes(older, 1, 2) == 40);
  CHECK(bytes(older, 2, 0) == 40);
  REQUIRE(older.warnings.size() == 1);
  CHECK(warns(older, "no sendRecv names process 0, and one names process 3: they are taken to count ranks from 1"));
  const TrafficReading either = read("0 init\n0 sendRecv 10 1 10 -666 1 1\n1 init\n2 init\n");
  CHECK(bytes(either, 0, 1) == 40);
  CHECK(warns(either, "no sendRecv names process 0, and none names process 3: they are taken to count ranks from 0"));
  CHECK(read("0 init\n0 sendRecv 10 1 10 -666 1 1\n1 init\n1 sendRecv 10 -666 10 0 1 1\n").warnings.empty());
  CHECK(read("0 init\n0 sendRecv 10 -666 10 -666 1 1\n1 init\n").warnings.size() == 1);  // no communication
}

TEST_CASE("GOAL: messages count at their sender, with and without labels") {
  const TrafficReading reading = read(
      "num_ranks 3\n\nrank 0 {\nl1: calc 100 cpu 0\nl2: send 10b to 1 tag 42 cpu 0\nl2 requires l1\nsend 7b to 2\n}\n"
      "rank 1 {\nl1: recv 10b from 0 tag 42\n}\nrank 2 {\nl1: recv 7b from 0\n l2: send 5b to 0 // back\n}\n");
  CHECK(reading.warnings.empty());
  REQUIRE(reading.traffic.ranks() == 3);
  CHECK(bytes(reading, 0, 1) == 10);
  CHECK(bytes(reading, 0, 2) == 7);
  CHECK(bytes(reading, 2, 0) == 5);
  CHECK(reading.traffic.total_bytes().value() == 22);
  CHECK(refusal("num_ranks 2\nrank 0 {\nsend 1b to 2\n}\n", "goal") == "3: '2' is not a rank up to 1");
  CHECK(refusal("num_ranks 2\nrank 0 {\nsend xb to 1\n}\n", "goal") == "3: 'xb' is not a number of bytes, such as 10b");
  CHECK(refusal("num_ranks 2\nrank 0 {\nsend 5b 1\n}\n", "goal") ==
        "3: a message without 'to' and the rank that gets it");
  CHECK(refusal("num_ranks 2\nrank 0 {\n", "goal") == "2: the schedule of rank 0 does not end");
  CHECK(refusal("num_ranks 2\nsend 5b to 1\n", "goal") == "2: a message outside of the schedule of a rank");
  CHECK(refusal("rank 0 {\n}\n", "goal") == "1: no 'num_ranks' before");
}

TEST_CASE("GOAL: a line that is none of the language's is an error at its place") {
  const auto inside = [](std::string_view line) {
    return refusal(fmt::format("num_ranks 2\nrank 0 {{\n{}\n}}\n", line), "goal");
  };
  CHECK(inside("l2: snd 1000000b to 1") == "3: 'snd' is no operation of GOAL");
  CHECK(inside("foo bar") == "3: 'foo' begins no statement of GOAL");
  CHECK(inside("hello") == "3: 'hello' begins no statement of GOAL");
  CHECK(inside("l1:") == "3: '' is no operation of GOAL");
  CHECK(inside("l1: send 10b to 1 tag") == "3: 'tag' without its number: ''");
  CHECK(inside("l1: send 10b to 1 5") == "3: '5' is too much in this line");
  CHECK(inside("l1: recv 10b to 1") == "3: a message without 'from' and the rank that sends it");
  CHECK(inside("l1: calc x") == "3: 'x' is not a number of nanoseconds, such as 100");
  CHECK(inside("l2 requires") == "3: 'requires' without the label of another operation");
  CHECK(inside("l2 requires l1 l3") == "3: 'l3' is too much in this line");
  CHECK(inside("}\n}") == "4: no schedule of a rank begins before this '}'");
  CHECK(refusal("num_ranks 2\nrank 0\nsend 1b to 1\n}\n", "goal") == "2: no '{' behind the number of the rank");
  const TrafficReading reading = read(
      "num_ranks 2 rank 0 { l1:send 10 b to 1 tag -1 cpu 0 nic 0\n/* two\nlines */ l2 irequires l1\n} rank 1{\n"
      "recv 10b from -1\n}\n");
  CHECK(reading.warnings.empty());
  CHECK(reading.traffic.total_bytes().value() == 10);
  CHECK(bytes(reading, 0, 1) == 10);
}

TEST_CASE("Paraver: collective calls as Extrae writes them") {
  // Communicator 1 is the world of four tasks, 2 is tasks 4 and 2 in this order.
  const std::string head =
      "#Paraver (28/11/2026 at 02:00):1000_ns:1(4):1:4(1:1,1:1,1:1,1:1),2\nc:1:1:4:1:2:3:4\nc:1:2:2:4:2\n";
  std::string text = head;
  for (const int task : {1, 2, 3, 4}) {
    const std::string begin = fmt::format("2:{}:1:{}:1:", task, task);
    text += begin + "10:50000002:8:50100001:0:50100002:0:50100004:1\n" + begin + "20:50000002:0\n";
    // A broadcast by task 3: the others say what they received.
    text += begin + fmt::format("30:50000002:7:50100001:{}:50100002:{}:50100004:1{}\n", task == 3 ? 500 : 0,
                                task == 3 ? 0 : 500, task == 3 ? ":50100003:1" : "");
    text += begin + "40:50000002:0\n";
    // A gather of 8 bytes each at task 1, whose details are in a record of their own.
    text += begin + "50:50000002:13\n" + begin +
            fmt::format("50:50100001:8:50100002:{}:50100004:1{}\n", task == 1 ? 32 : 0, task == 1 ? ":50100003:1" : "");
    if (task % 2 == 0) text += begin + "60:50000002:17:50100001:7:50100002:14:50100004:2\n" + begin + "70:50000002:0\n";
    if (task == 2) text += begin + "80:50000002:80:50100001:7:50100002:14:50100004:2\n";
  }
  const TrafficReading reading = read(text);
  REQUIRE(reading.traffic.ranks() == 4);
  for (const std::size_t rank : {0, 1, 3}) CHECK(bytes(reading, 2, rank) == 500 + (rank == 0 ? 8 : 0));
  CHECK(bytes(reading, 1, 0) == 8);
  CHECK(bytes(reading, 3, 0) == 8);
  CHECK(bytes(reading, 1, 3) == 7);
  CHECK(bytes(reading, 3, 1) == 7);
  CHECK(reading.traffic.total_bytes().value() == 3 * 500 + 3 * 8 + 2 * 7);
  REQUIRE(reading.warnings.size() == 1);
  CHECK(warns(reading, "collective calls of MPI of other kinds (1)"));
  CHECK(refusal(head + "c:1:3:2:1:5\n", "paraver") == "4: task '5' of 4");
  CHECK(refusal(head + "c:1:3:3:1:2\n", "paraver") == "4: 2 tasks are listed, not 3");
  CHECK(refusal(head + "c:1:3:2:2:2\n", "paraver") == "4: a task is twice in a communicator");
}

TEST_CASE("Paraver: messages of the first application; collective calls are counted") {
  const std::string head = "#Paraver (28/11/2026 at 02:00):1000_ns:2(2,2):1:3(1:1,1:1,1:2),1\n";
  const TrafficReading reading = read(head +
                                      "c:1:1:3:1:2:3\n1:1:1:1:1:0:10:1\n"
                                      "3:1:1:1:1:10:20:3:1:3:1:30:40:512:7\n"
                                      "3:1:1:1:1:10:20:3:1:3:1:30:40:100:7\n"
                                      "3:2:1:2:1:10:20:1:1:1:1:30:40:8:7\n"
                                      "2:1:1:1:1:50:50000002:10:42:1\n2:1:1:1:1:60:50000002:0\n"
                                      "3:2:2:2:1:10:20:1:1:1:1:30:40:8:7\n");
  REQUIRE(reading.traffic.ranks() == 3);
  CHECK(bytes(reading, 0, 2) == 612);
  CHECK(bytes(reading, 1, 0) == 8);
  CHECK(reading.traffic.total_bytes().value() == 620);
  CHECK(warns(reading, "collective calls of MPI without a known communicator (1)"));
  CHECK(warns(reading, "messages of other applications than the first (1)"));
  CHECK(refusal(head + "3:1:1:4:1:10:20:3:1:3:1:30:40:512:7\n", "paraver") == "2: task 4 of 3");
  CHECK(refusal(head + "3:1:1:1:1:10\n", "paraver") == "2: field 7 of a message is not a number: ''");
  CHECK(refusal(head + "3:1:1:1:1:10:20:3:1:3:1:30:40:-1:7\n", "paraver") == "2: a message of -1 bytes");
  CHECK(refusal("#Paraver (x):1\n", "paraver") == "1: the first line does not say how many tasks there are");
  for (const char* line : {"9:gibberish", "hello", "3", "c", "31:1:1", " 3:1"}) {
    CAPTURE(line);
    CHECK(refusal(head + line + "\n", "paraver") == "2: this line is no record of a Paraver trace");
  }
  CHECK(refusal(head + "1:1:1:1:1:0:10\n", "paraver") == "2: a state of 7 fields");
  CHECK(refusal(head + "2:1:1:1:1:50:50000002\n", "paraver") == "2: an event of 7 fields");
  CHECK(refusal(head + "2:1:1:1:1:50:x:1\n", "paraver") == "2: field 7 of an event is not a number: 'x'");
  const TrafficReading others = read(head + "# a comment\n\ni:1:1:1:2\n4:1:1\n2:1:1:1:1:50:7:18446744073709551615\n" +
                                     "3:1:1:1:1:10:20:3:1:3:1:30:40:512:7\n");
  CHECK(bytes(others, 0, 2) == 512);
  CHECK(warns(others, "records 4 of collective calls (1)"));
}

namespace {

std::string dumpi(std::string_view name, std::string_view arguments) {
  return fmt::format(
      "{0} entering at walltime 8153.0493, cputime 0.0044 seconds in thread 0.\n{1}"
      "{0} returning at walltime 8153.0493, cputime 0.0044 seconds in thread 0.\n",
      name, arguments);
}

}  // namespace

TEST_CASE("DUMPI: messages and collectives of one rank on MPI_COMM_WORLD") {
  const std::string world = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n";
  const std::string text =
      dumpi("MPI_Init", "int argc=1\n") +
      dumpi("MPI_Send", "int count=100\nMPI_Datatype datatype=12 (MPI_DOUBLE)\nint dest=2\nint tag=0\n" + world) +
      dumpi("MPI_Isend", "int count=3\nMPI_Datatype datatype=2 (MPI_INT)\nint dest=1\nint tag=0\n" + world) +
      dumpi("MPI_Send",
            "int count=3\nMPI_Datatype datatype=2 (MPI_INT)\nint dest=-1 (MPI_PROC_NULL)\nint tag=0\n" + world) +
      dumpi("MPI_Send",
            "int count=3\nMPI_Datatype datatype=29 (user-defined-datatype)\nint dest=1\nint tag=0\n" + world) +
      dumpi("MPI_Send",
            "int count=3\nMPI_Datatype datatype=2 (MPI_INT)\nint dest=1\nint tag=0\nMPI_Comm comm=4 "
            "(user-defined-comm)\n") +
      dumpi("MPI_Allreduce", "int count=2\nMPI_Datatype datatype=2 (MPI_INT)\nMPI_Op op=3 (MPI_SUM)\n" + world) +
      dumpi("MPI_Alltoallv", world) + dumpi("MPI_Wait", "");
  std::vector<training::Trace> traces;
  for (int rank = 0; rank < 3; ++rank) {
    Input file = Input::of_text(fmt::format("dumpi-2026.11.28-{:04}.txt", rank), text);
    training::read_dumpi(file, traces);
  }
  traces[2].sent.clear();
  std::vector<Diagnostic> warnings;
  Traffic traffic = training::traffic_of_job("job", std::move(traces), collective::model_named("linear"), warnings);
  const TrafficReading reading{std::move(traffic), std::move(warnings)};
  REQUIRE(reading.traffic.ranks() == 3);
  CHECK(bytes(reading, 0, 2) == 800 + 8);
  CHECK(bytes(reading, 0, 1) == 12 + 8);
  CHECK(bytes(reading, 1, 2) == 800);
  CHECK(bytes(reading, 2, 0) == 8);
  CHECK(warns(reading, "calls with types that the program made (3)"));
  CHECK(warns(reading, "calls on other communicators than MPI_COMM_WORLD (3)"));
  CHECK(warns(reading, "calls of MPI_Alltoallv, which are not read (3)"));
  CHECK(refusal(dumpi("MPI_Send", world), "dumpi") == "3: this call of MPI_Send has no 'datatype'");
  CHECK(refusal(dumpi("MPI_Send", "int count=x\nMPI_Datatype datatype=2 (MPI_INT)\nint dest=1\n" + world), "dumpi") ==
        "2: 'count' of MPI_Send is 'x'");
  CHECK(refusal(text, "dumpi", "trace") == "0: neither a call of MPI_Comm_rank nor the name of the file has the rank");
  const TrafficReading stated = read(
      dumpi("MPI_Comm_rank", world + "int rank=1\n") + dumpi("MPI_Comm_size", world + "int size=4\n") + text, "trace");
  CHECK(stated.traffic.ranks() == 4);
  CHECK(bytes(stated, 1, 2) == 800);
  CHECK(warns(read(text.substr(0, text.find("MPI_Send returning"))), "calls that ran on when the trace ended (1)"));
}

TEST_CASE(
    "Chakra's JSON: nodes one after the other; operations of the processor do not count beside those of the GPU") {
  const auto node = [](std::string_view type, std::string_view attributes) {
    return fmt::format(R"({{"id": "1", "name": "n", "type": "{}", "attr": [{}]}})", type, attributes);
  };
  const std::string size = R"({"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "100"})";
  const std::string group = R"(, {"name": "ranks", "int64List": {"values": ["0", "1"]}})";
  const std::string host = R"(, {"name": "is_cpu_op", "boolVal": true})";
  const std::string text =
      R"({"version": "0.0.4"})" + node("COMP_NODE", "") + node("COMM_COLL_NODE", size + group) +
      node("COMM_COLL_NODE", R"({"name": "is_cpu_op", "boolVal": true})") +
      node("COMM_COLL_NODE", size + group + host) +
      node("COMM_SEND_NODE", R"({"name": "comm_size", "uint64Val": "7"}, {"name": "comm_dst", "int32Val": 1})");
  const TrafficReading reading = read(text, "chakra.0.json");
  REQUIRE(reading.traffic.ranks() == 2);
  CHECK(bytes(reading, 0, 1) == 100 + 7);
  CHECK(bytes(reading, 1, 0) == 100);
  CHECK(bytes(read(node("COMM_COLL_NODE", size + group + host), "chakra.0.json"), 1, 0) == 100);
  CHECK(refusal(node("COMM_COLL_NODE", R"({"name": "comm_type", "int64Val": "0"})"), "chakra-json") ==
        "1: node 'n' without its comm_size");
  CHECK(refusal(node("COMM_COLL_NODE", size + R"(, {"name": "ranks", "int64List": {"values": ["-1"]}})"),
                "chakra-json") == "1: a node whose 'ranks' are no ranks of a job");
}
