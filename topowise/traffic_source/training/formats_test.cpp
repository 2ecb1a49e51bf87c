// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/formats.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <tests/corpus.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/traffic_source/source.hpp>
#include <topowise/traffic_source/training/torch_calls.hpp>

using namespace topowise;
using namespace topowise::training;

namespace {

std::string fixture(const std::string& path) {
  return std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/" + path;
}

Trace read(std::string_view name, std::string_view text) {
  const auto format = std::ranges::find(trace_formats(), name, &TraceFormat::name);
  REQUIRE(format != trace_formats().end());
  Input file = Input::of_text("trace.3.et", text);
  std::vector<Trace> traces;
  format->read(file, traces);
  REQUIRE(traces.size() == 1);
  return traces.front();
}

std::string refusal(std::string_view name, std::string_view text) {
  try {
    (void)read(name, text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

std::string recognised(std::string_view head) {
  for (const TraceFormat& format : trace_formats())
    if (format.recognises(head)) return std::string(format.name);
  return "none";
}

std::string kineto(std::string_view args) {
  return fmt::format(
      R"({{"distributedInfo": {{"rank": 1, "world_size": 4, "pg_config": [{{"pg_name": "7", "pg_size": 2, "ranks": [1, 3]}}]}},
"traceEvents": [
{{"name": "record_param_comms", "pid": 5, "args": {{{}}}}}
]}})",
      args);
}

/// A record of the NCCL Inspector, in the form of NCCL 2.28.
std::string record(std::string_view communicator, int rank, int ranks, int process, std::string_view performance) {
  return fmt::format(
      R"({{"header":{{"id":"{}","comm_name":"unknown","rank":{},"n_ranks":{},"nnodes":1}},"metadata":{{"inspector_output_format_version":"v4.2","git_rev":"","rec_mechanism":"nccl_profiler_interface","dump_timestamp_us":1748030377748202,"hostname":"n1","pid":{}}},{}}})"
      "\n",
      communicator, rank, ranks, process, performance);
}

std::string allreduce(int bytes) {
  return fmt::format(
      R"("coll_perf":{{"coll":"AllReduce","coll_algo":"RING","coll_proto":"LL","coll_sn":1,"coll_msg_size_bytes":{},"coll_exec_time_us":61974}})",
      bytes);
}

std::string behind_length(const std::string& bytes) {
  return static_cast<char>(bytes.size()) + bytes;
}

/// An allreduce of 8 bytes as a Chakra node; the numbers in `ranks` are below 128.
std::string chakra_allreduce(const std::string& group, const std::string& ranks) {
  const auto attribute = [](const std::string& name, const std::string& value) {
    return "\x52" + behind_length("\x0a" + behind_length(name) + value);
  };
  std::string node = "\x18\x07" + attribute("comm_type", std::string("\x48\0", 2)) + attribute("comm_size", "\x48\x08");
  if (!group.empty()) node += attribute("pg_name", "\xea\x01" + behind_length(group));
  // Field 14, uint64_list: field 1, packed.
  if (!ranks.empty()) node += attribute("ranks", "\x72" + behind_length("\x0a" + behind_length(ranks)));
  return behind_length(node);
}

}  // namespace

TEST_CASE("formats by their content") {
  CHECK(recognised(R"({"schemaVersion": 1, "deviceProperties": []})") == "kineto");
  CHECK(recognised(R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [)") == "pytorch-et");
  CHECK(recognised(record("0x1", 0, 2, 5, allreduce(8))) == "nccl-inspector");
  CHECK(recognised(read_file(fixture("tp-pp-chakra/step.0.et"))) == "chakra");
  CHECK(recognised(R"({"schema": "topowise.traffic/1", "ranks": 2, "nodes": []})") == "none");
  CHECK(recognised("") == "none");
  for (const std::string kind : {"qaplib", "nccl-xml", "hwloc-xml", "nvidia-smi-topo", "slurm-topology"})
    for (const std::filesystem::path& file : test::corpus_files(kind)) CHECK(recognised(read_file(file)) == "none");
}

TEST_CASE("a Kineto trace: its rank, groups and calls; kernels repeat calls and do not count") {
  const Trace trace =
      read("kineto", kineto(R"("Collective name": "allreduce", "In msg nelems": 10, "Out msg nelems": 10,
      "Group size": 2, "dtype": "BFloat16", "Process Group Name": "7", "Process Group Ranks": "[1, 3]"}},
      {"name": "ncclDevKernel_AllReduce_Sum_bf16", "args": {"Collective name": "allreduce", "In msg nelems": 10)"));
  CHECK(trace.rank == 1);
  CHECK(trace.world == 4);
  CHECK(trace.process == "process 5");
  REQUIRE(trace.calls.size() == 1);
  CHECK(trace.calls.begin()->first == Call{0, profile::Operation::allreduce, 0, 20});
  CHECK(trace.groups[0].ranks == std::vector<std::size_t>{1, 3});
}

TEST_CASE("what is wrong in a Kineto trace is shown where it is") {
  CHECK(refusal("kineto", kineto(R"("In msg nelems": 3)"))
            .find("error: trace.3.et:3:70: an event 'record_param_comms'") != std::string::npos);
  CHECK(refusal("kineto", kineto(R"("Collective name": "reduce", "dtype": "Int")"))
            .find("a call of 'reduce' without its number of elements") != std::string::npos);
  CHECK(refusal("kineto", kineto(R"("Collective name": "allreduce", "In msg nelems": 1e30, "dtype": "Int")"))
            .find("a call of 'allreduce' of 1e+30 elements: not a whole number") != std::string::npos);
  CHECK(refusal("kineto", kineto(R"("Collective name": "all_to_allv", "In msg nelems": 8, "dtype": "Int",
      "Group size": 3, "In split size": "[1, 1]")"))
            .find("2 splits in a group of 3") != std::string::npos);
  CHECK(refusal("kineto", R"({"distributedInfo": {"rank": -1}, "traceEvents": []})").find("not a rank of a job") !=
        std::string::npos);
}

TEST_CASE("numbers that cannot be are errors that show them") {
  const auto of = [](std::string_view elements, std::string_view split = "[]") {
    return refusal("kineto",
                   kineto(fmt::format(R"("Collective name": "all_to_allv", "In msg nelems": {}, "dtype": "Int",
      "Group size": 2, "In split size": "{}")",
                                      elements, split)));
  };
  CHECK(of("-5").find("error: trace.3.et:4:") == 0);
  CHECK(of("-5").find("a call of 'all_to_allv' of -5 elements: not a whole number from 0 to 2^53") !=
        std::string::npos);
  CHECK(of("1.5").find("of 1.5 elements: not") != std::string::npos);
  CHECK(of("\"inf\"").find("of 'inf' elements: not") != std::string::npos);
  CHECK(of("null").find("of null elements: not") != std::string::npos);
  CHECK(of("8", "[-50, 58]").find("the splits of an all-to-all are no list of rows from 0: '[-50, 58]'") !=
        std::string::npos);
  CHECK(of("8", "[1, x]").find("are no list of rows from 0: '[1, x]'") != std::string::npos);
  CHECK(of("8", "[0, 0]").find("an all-to-all of 32 B whose splits have no rows: '[0, 0]'") != std::string::npos);
  CHECK(of("0", "[0, 0]") == "accepted");
}

/// A call in group 7 that names its members; the list of groups says that these are ranks 1 and 3.
std::string in_group(std::string_view name, std::string_view members, std::string_view more = {}) {
  return kineto(fmt::format(R"("Collective name": "{}", "In msg nelems": 8, "Out msg nelems": 8, "dtype": "Byte",
      "Process Group Name": "7", "Process Group Ranks": "{}"{})",
                            name, members, more));
}

TEST_CASE("members that calls state stay, whatever the list of process groups says; a contradiction is reported") {
  std::string text = in_group("allreduce", "[1, 2]");
  const Trace contradicted = read("kineto", text);
  CHECK(contradicted.groups[0].ranks == std::vector<std::size_t>{1, 2});
  CHECK(contradicted.doubts ==
        std::set<std::string>{"group '7' has ranks 1, 2 by its calls, and ranks 1, 3 by the list "
                              "of process groups: those of the calls are taken"});
  const std::string ranks = ", \"ranks\": [1, 3]";
  text.erase(text.find(ranks), ranks.size());
  const Trace without = read("kineto", text);
  CHECK(without.groups[0].ranks == std::vector<std::size_t>{1, 2});
  CHECK(without.doubts.empty());
  text.replace(text.find("\"pg_size\": 2"), 12, "\"pg_size\": 3");
  CHECK(read("kineto", text).doubts.size() == 1);
  CHECK(read("kineto", in_group("allreduce", "[1, 3]")).doubts.empty());
  const Trace strided = read("kineto", in_group("allreduce", "", R"(, "Group size": 2, "Global rank start": 0,
      "Global rank stride": 1)"));
  CHECK(strided.groups[0].ranks == std::vector<std::size_t>{1, 3});
  CHECK(strided.doubts == std::set<std::string>{"group '7' has ranks 0, 1 by its calls, and ranks 1, 3 by the list of "
                                                "process groups: those of the list are taken"});
}

TEST_CASE("calls that name different members of one group count with their own") {
  const Trace trace = read("kineto", in_group("allreduce", "[1, 3]", R"(}},
      {"name": "record_param_comms", "pid": 5, "args": {"Collective name": "allreduce", "In msg nelems": 9, "dtype": "Byte",
      "Process Group Name": "7", "Process Group Ranks": "[1, 2]"}},
      {"name": "record_param_comms", "pid": 5, "args": {"Collective name": "allreduce", "In msg nelems": 9, "dtype": "Byte",
      "Process Group Name": "7", "Process Group Ranks": "[1, 2]")"));
  REQUIRE(trace.groups.size() == 2);
  CHECK(trace.groups[0].ranks == std::vector<std::size_t>{1, 3});
  CHECK(trace.groups[1].ranks == std::vector<std::size_t>{1, 2});
  CHECK(trace.calls.size() == 2);
  CHECK(trace.listed == 4);  // this stays so, however many calls there are
  CHECK(trace.doubts ==
        std::set<std::string>{
            "calls of group '7' name different members, ranks 1, 3 and ranks 1, 2: each call counts with its own"});
}

TEST_CASE("groups that cannot be: a rank twice, another size, a root or partner beyond them") {
  CHECK(refusal("kineto", in_group("allreduce", "[0, 1, 1, 3]")).find("error: trace.3.et:4:") == 0);
  CHECK(refusal("kineto", in_group("send", "[0, 0, 1, 1]", R"(, "Rank": 2)"))
            .find("group '7' lists rank 0 twice: ranks 0, 0, 1, 1") != std::string::npos);
  const Trace sized = read("kineto", in_group("allreduce", "[1, 3]", R"(, "Group size": 3)"));
  CHECK(sized.groups[0].size == 2);
  CHECK(sized.doubts ==
        std::set<std::string>{"calls of group '7' say that it has 3 ranks, and list ranks 1, 3: the list is taken"});
  const Trace beyond = read("kineto", in_group("broadcast", "[1, 3]", R"(, "Rank": 2)"));
  CHECK(beyond.calls.empty());
  CHECK(beyond.left_out.at("calls of 'broadcast' whose root is beyond their group of 2") == 1);
  CHECK(read("kineto", in_group("send", "[1, 3]", R"(, "Rank": 7)"))
            .left_out.at("calls of 'send' whose other rank is beyond their group of 2") == 1);
}

TEST_CASE("calls that are not known are counted as left out, a wait is none") {
  const Trace strange = read("kineto", kineto(R"("Collective name": "all_mixed", "In msg nelems": 3)"));
  CHECK(strange.left_out.at("calls of 'all_mixed', which is not known here") == 1);
  CHECK(read("kineto", kineto(R"("Collective name": "wait")")).left_out.empty());
}

TEST_CASE("what a call does not say costs that call alone, or is assumed, and is counted") {
  const auto call = [](std::string_view rest) { return read("kineto", kineto(fmt::format("{}", rest))); };
  const Trace rootless = call(R"("Collective name": "broadcast", "In msg nelems": 3, "dtype": "Int",
      "Group size": 2, "Process Group Name": "7")");
  CHECK(rootless.calls.begin()->first == Call{0, profile::Operation::bcast, 0, 12});
  CHECK(rootless.rootless.at("broadcast") == 1);
  const Trace alone = call(R"("Collective name": "broadcast", "In msg nelems": 3, "dtype": "Int",
      "Group size": 1, "Process Group Name": "8")");
  CHECK(alone.left_out.empty());
  const Trace send = call(R"("Collective name": "send", "In msg nelems": 3, "dtype": "Int")");
  CHECK(send.sent.empty());
  CHECK(send.left_out.at("calls of 'send' without their other rank") == 1);
  const Trace strange = call(R"("Collective name": "allreduce", "In msg nelems": 3, "dtype": "Float99x",
      "Process Group Name": "7")");
  CHECK(strange.calls.empty());
  CHECK(strange.left_out.at("calls whose type of numbers, 'Float99x', is not known here") == 1);
  CHECK(call(R"("Collective name": "allreduce", "In msg nelems": 3, "dtype": "Float4_e2m1fn_x2",
      "Process Group Name": "7")")
            .calls.begin()
            ->first.bytes == 3);
}

TEST_CASE("control characters that an older profiler forgot to escape are blanks") {
  const Trace trace =
      read("kineto", kineto("\"Collective name\": \"allreduce\", \"In msg nelems\": 3, \"dtype\": \"Int\", "
                            "\"note\": \"a\tb\x01 c\nd\""));
  CHECK(trace.calls.begin()->first.bytes == 12);
}

/// The text for a job of 80 ranks instead of 4.
std::string of_80(std::string text) {
  const std::string four = "\"world_size\": 4";
  return text.replace(text.find(four), four.size(), "\"world_size\": 80");
}

TEST_CASE("many members and splits are cut in the trace: what else states them is taken") {
  const Trace trace =
      read("kineto", of_80(kineto(R"("Collective name": "all_to_allv", "In msg nelems": 80, "dtype": "Byte",
      "Group size": 40, "In split size": "[1, 2, ..., 3]", "Process Group Name": "9",
      "Process Group Ranks": "[0, 2, ..., 78]", "Global rank start": 0, "Global rank stride": 2)")));
  const Group& group = trace.groups[0];
  CHECK(group.name == "9");
  CHECK(group.ranks.size() == 40);
  CHECK(group.ranks.back() == 78);
  CHECK(trace.calls.begin()->first.bytes == 2);
  CHECK(trace.cut_splits == 1);
}

TEST_CASE("gloo without shapes, and in several groups, is refused with what helps") {
  const std::string event = R"({"name": "gloo:all_reduce", "args": {)";
  CHECK(refusal("kineto", R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [)" + event + "}}]}")
            .find("hint: torch.profiler.profile(record_shapes=True)") != std::string::npos);
  CHECK(refusal("kineto", R"({"distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0"},
      {"pg_name": "1"}]}, "traceEvents": [)" +
                              event + R"("Input Dims": [[4]], "Input type": ["float"]}}]})")
            .find("do not name their process group, and this rank belongs to 2") != std::string::npos);
}

TEST_CASE("an execution trace of an older PyTorch, and of no job") {
  CHECK(refusal("pytorch-et", R"({"schema": "1.0.3", "nodes": [{"name": "record_param_comms", "attrs": []}]})")
            .find("without 'collective_name', as PyTorch wrote it before 2.4") != std::string::npos);
  CHECK(refusal("pytorch-et", R"({"schema": "1.1.1", "nodes": []})").find("without process groups") !=
        std::string::npos);
  CHECK(refusal("pytorch-et", R"({"schema": "1.1.1", "nodes": [{"name": "## process_group:init ##", "inputs":
      {"values": ["[{"]}}]})")
            .find("error: trace.3.et:2:") == 0);
}

TEST_CASE("a Chakra trace that is cut anywhere is damaged with its byte, or ends between two messages") {
  const std::string whole = read_file(fixture("tp-pp-chakra/step.0.et"));
  CHECK(read("chakra", whole).rank == 3);  // the file's name states the rank
  std::size_t damaged = 0;
  for (std::size_t size = 0; size < 2000; ++size) {
    const std::string found = refusal("chakra", std::string_view(whole).substr(0, size));
    if (found == "accepted") continue;
    ++damaged;
    CHECK(found.find("error: trace.3.et: byte ") == 0);
  }
  CHECK(damaged > 1900);
  CHECK(refusal("chakra", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").find("byte 0: no length of a message") !=
        std::string::npos);
  CHECK(refusal("chakra", "\xff\xff\xff\xff\x7f").find("a message of 34359738367 bytes") != std::string::npos);
}

TEST_CASE("nodes of Chakra that list different ranks under one group's name, or under none, count with their own") {
  const std::string first = "\x01\x03";
  const std::string second = "\x02\x03";
  const std::string metadata(1, '\0');
  const Trace named = read("chakra", metadata + chakra_allreduce("7", first) + chakra_allreduce("7", second) +
                                         chakra_allreduce("7", second) + chakra_allreduce("7", ""));
  REQUIRE(named.groups.size() == 2);
  CHECK(named.groups[0].ranks == std::vector<std::size_t>{1, 3});
  CHECK(named.groups[1].ranks == std::vector<std::size_t>{2, 3});
  CHECK(named.calls.at({0, profile::Operation::allreduce, 0, 8}) == 2);
  CHECK(named.calls.at({1, profile::Operation::allreduce, 0, 8}) == 2);
  CHECK(named.listed == 4);
  CHECK(named.doubts ==
        std::set<std::string>{
            "calls of group '7' name different members, ranks 1, 3 and ranks 2, 3: each call counts with its own"});
  const Trace unnamed =
      read("chakra", metadata + chakra_allreduce("", first) + chakra_allreduce("", second) + chakra_allreduce("", ""));
  REQUIRE(unnamed.groups.size() == 3);
  CHECK(unnamed.groups[1].ranks == std::vector<std::size_t>{2, 3});
  CHECK_FALSE(unnamed.groups[1].whole_job);
  CHECK(unnamed.groups[2].whole_job);
  CHECK(unnamed.doubts.empty());
  CHECK(refusal("chakra", metadata + chakra_allreduce("7", "\x01\x01")).find("group '7' lists rank 1 twice") !=
        std::string::npos);
}

TEST_CASE("logs of the Inspector: ranks follow from the communicator of all") {
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("topowise-inspector-{}", ::getpid())).string();
  std::filesystem::create_directory(folder);
  for (int rank = 0; rank < 4; ++rank) {
    // The job is communicator 0xa. In 0xb, rank 3 is member 0 and rank 1 is member 1. The process ids are in no order.
    std::string text = record("0xa", rank, 4, 90 - rank, allreduce(4096));
    if (rank % 2 == 1) {
      text += record("0xb", rank == 3 ? 0 : 1, 2, 90 - rank, allreduce(1000));
      text += record("0xb", rank == 3 ? 0 : 1, 2, 90 - rank,
                     rank == 3 ? R"("p2p_perf":{"p2p":"Send","p2p_sn":1,"p2p_peer":1,"p2p_msg_size_bytes":70})"
                               : R"("p2p_perf":{"p2p":"Recv","p2p_sn":1,"p2p_peer":0,"p2p_msg_size_bytes":70})");
    }
    write_file(fmt::format("{}/n1-pid{}.log", folder, 90 - rank), text);
  }
  const TrafficReading reading = read_traffic_with_warnings(folder, {.collectives = "nccl-ring"});
  std::filesystem::copy(folder + "/n1-pid88.log", folder + "/saved.log");
  const TrafficReading with_copy = read_traffic_with_warnings(folder, {.collectives = "nccl-ring"});
  std::filesystem::remove_all(folder);
  CHECK(with_copy.traffic.total_bytes() == reading.traffic.total_bytes());
  CHECK(with_copy.warnings.front().where == folder + "/saved.log");
  CHECK(with_copy.warnings.front().what == "a copy of a trace that counts already: left out");
  CHECK(reading.warnings.empty());
  CHECK(reading.traffic.ranks() == 4);
  CHECK(reading.traffic.bytes(Rank(0), Rank(1)).value() == 4096 * 6 / 4);
  CHECK(reading.traffic.bytes(Rank(3), Rank(1)).value() == 1000 + 70);
  CHECK(reading.traffic.bytes(Rank(1), Rank(3)).value() == 1000);
}

TEST_CASE("an Inspector of format v4.3 writes the header once a dump") {
  const auto behind = [](const std::string& whole) {  // the record without its header
    return "{" + whole + "}\n";
  };
  const std::string marker = record("0xa", 1, 4, 9, R"("dump_stats":{"coll_records":2})");
  const std::string other = record("0xb", 0, 2, 9, R"("dump_stats":{"coll_records":1})");
  const Trace trace =
      read("nccl-inspector", marker + behind(allreduce(8)) + behind(allreduce(8)) +
                                 behind(R"("p2p_perf":{"p2p":"Send","p2p_peer":2,"p2p_msg_size_bytes":5})") + other +
                                 behind(allreduce(16)));
  CHECK(trace.process == "process 9 of n1");
  REQUIRE(trace.groups.size() == 2);
  CHECK(trace.groups[0].size == 4);
  CHECK(trace.groups[0].position == 1);
  CHECK(trace.calls.at(Call{0, profile::Operation::allreduce, 0, 8}) == 2);
  CHECK(trace.calls.at(Call{1, profile::Operation::allreduce, 0, 16}) == 1);
  CHECK(trace.sent.at({0, 2}).bytes == 5);
  CHECK(refusal("nccl-inspector", behind(allreduce(8))).find("without the id, rank and n_ranks") != std::string::npos);
}

TEST_CASE("what is wrong in a log of the Inspector") {
  CHECK(refusal("nccl-inspector", record("0xa", 4, 4, 1, allreduce(8))).find("without the id, rank and n_ranks") !=
        std::string::npos);
  CHECK(refusal("nccl-inspector", record("0xa", 0, 2, 1, allreduce(8)) + record("0xa", 0, 2, 2, allreduce(8)))
            .find("error: trace.3.et:2:") == 0);
  CHECK(refusal("nccl-inspector", record("0xa", 0, 2, 1, R"("coll_perf":{"coll":"AllReduce"})"))
            .find("without its size in bytes") != std::string::npos);
  CHECK(
      refusal("nccl-inspector", record("0xa", 0, 2, 1, R"("coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":-1})"))
          .find("a record of -1 bytes: not a whole number") != std::string::npos);
  CHECK(refusal("nccl-inspector", record("0xa", 0, 4, 1, allreduce(8)) + record("0xa", 0, 5, 1, allreduce(8)))
            .find("error: trace.3.et:2:") == 0);
  CHECK(refusal("nccl-inspector", record("0xa", 0, 4, 1, allreduce(8)) + record("0xa", 0, 5, 1, allreduce(8)))
            .find("communicator 0xa has 5 ranks here, and 4 before") != std::string::npos);
  CHECK(refusal("nccl-inspector", record("0xa", 0, 4, 1, allreduce(8)) + record("0xa", 1, 4, 1, allreduce(8)))
            .find("the process is rank 1 of communicator 0xa here, and rank 0 before") != std::string::npos);
  CHECK(refusal("nccl-inspector",
                record("0xa", 0, 4, 1, R"("p2p_perf":{"p2p":"Send","p2p_peer":7,"p2p_msg_size_bytes":8})"))
            .find("a message with peer 7 in a communicator of 4") != std::string::npos);
  CHECK(refusal("nccl-inspector", "{}\n").find("no records of operations") != std::string::npos);
}

TEST_CASE("the rank in a file's name") {
  CHECK(rank_in_name("run7/rank_3.json") == 3);
  CHECK(rank_in_name("trace_rank-12_step5.json.gz") == 12);
  CHECK(rank_in_name("et.4.et") == 4);
  CHECK(rank_in_name("step100.7.et") == 7);
  CHECK(rank_in_name("9") == 9);
  CHECK_FALSE(rank_in_name("run7/trace.et").has_value());
  CHECK_FALSE(rank_in_name("99999999999999999999999").has_value());
}
