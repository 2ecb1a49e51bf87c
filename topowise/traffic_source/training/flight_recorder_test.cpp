// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/reading/pickle_events.hpp>
#include <topowise/traffic_source/source.hpp>
#include <topowise/traffic_source/training/formats.hpp>

using namespace topowise;
using namespace std::string_view_literals;
using namespace std::string_literals;

namespace {

/// A dump of a process of the groups "0" of ranks 0 to 3 and "7" of ranks 1 and 3.
std::string dump(std::string_view entries) {
  return fmt::format(R"({{"version": "2.10", "pg_config": {{
  "0": {{"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
  "7": {{"name": "7", "desc": "undefined", "ranks": "[1, 3]"}}}}, "entries": [{}]}})",
                     entries);
}

std::string entry(std::string_view name, std::string_view group, std::string_view in, std::string_view out) {
  return fmt::format(R"({{"record_id": 0, "process_group": ["{1}", "x"], "profiling_name": "{0}", "input_sizes": {2},
    "input_dtypes": ["Float", "BFloat16"], "output_sizes": {3}, "output_dtypes": ["Float", "BFloat16"]}})",
                     name, group, in, out);
}

training::Trace read(std::string_view text, const std::string& where = "dump_rank_1") {
  Input file = Input::of_text(where, text);
  training::Trace trace;
  trace.where = where;
  training::read_flight_recorder(file, trace);
  return trace;
}

std::string refusal(std::string_view text) {
  try {
    (void)read(text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

bool says(const std::string& text, std::string_view words) {
  CAPTURE(text);
  return text.find(words) != std::string::npos;
}

/// The bytes of calls of an operation in a group.
double bytes_of(const training::Trace& trace, std::string_view group, profile::Operation operation) {
  double bytes = 0;
  for (const auto& [call, times] : trace.calls)
    if (trace.groups[call.group].name == group && call.operation == operation) bytes += call.bytes * times;
  return bytes;
}

}  // namespace

TEST_CASE("a dump: its groups, and the bytes of all tensors of a call") {
  const training::Trace trace =
      read(dump(entry("nccl:all_reduce", "0", "[[10, 3]]", "[[10, 3]]") + "," +
                entry("nccl:allreduce_coalesced", "7", "[[10], [4, 4]]", "[[10], [4, 4]]") + "," +
                entry("nccl:_reduce_scatter_base", "7", "[[64]]", "[[32]]") + "," +
                entry("nccl:coalesced", "7", "[]", "[]") + "," + entry("nccl:all_reduce_barrier", "0", "[]", "[]")));
  CHECK(trace.rank == 1);
  CHECK(trace.world == 4);
  CHECK(trace.left_out.empty());
  CHECK(bytes_of(trace, "0", profile::Operation::allreduce) == 120);
  CHECK(bytes_of(trace, "7", profile::Operation::allreduce) == 10 * 4 + 16 * 2);
  CHECK(bytes_of(trace, "7", profile::Operation::reduce_scatter_block) == 128);
  CHECK(trace.calls.size() == 4);
}

TEST_CASE("messages name both ranks of their group, and so the rank of a file without a number") {
  const training::Trace trace =
      read(dump(entry("nccl:send 1->0", "7", "[[5]]", "[[5]]") + "," + entry("nccl:recv 1<-0", "7", "[[6]]", "[[6]]")),
           "dump");
  CHECK(trace.rank == 3);
  REQUIRE(trace.sent.size() == 1);
  CHECK(trace.sent.begin()->second == training::Amount{20, 1});
  REQUIRE(trace.received.size() == 1);
  CHECK(trace.received.begin()->second == training::Amount{24, 1});
  CHECK(trace.groups[trace.sent.begin()->first.first].ranks == std::vector<std::size_t>{1, 3});
}

TEST_CASE("an all-to-all of a tensor for each member has known parts; else they are even") {
  const training::Trace parts = read(dump(entry("nccl:all_to_all", "7", "[[8], [16]]", "[[8], [8]]")));
  REQUIRE(parts.parts.size() == 2);
  CHECK(parts.parts.begin()->second.bytes == 32);
  CHECK(parts.parts.rbegin()->second.bytes == 32);  // 16 of 2 bytes
  const training::Trace even = read(dump(entry("nccl:all_to_all", "7", "[[16]]", "[[16]]")));
  CHECK(even.parts.empty());
  CHECK(bytes_of(even, "7", profile::Operation::alltoall) == 64);
}

TEST_CASE("a broadcast has no root, a ring has lost calls, and a type is not known: all are counted") {
  const training::Trace trace = read(dump(
      R"({"record_id": 40, "process_group": ["0", "x"], "profiling_name": "nccl:broadcast", "input_sizes": [[2]],
      "input_dtypes": ["Long"], "output_sizes": [[2]], "output_dtypes": ["Long"]},
      {"record_id": 41, "process_group": ["0", "x"], "profiling_name": "nccl:all_reduce", "input_sizes": [[2]],
      "input_dtypes": ["Quad"], "output_sizes": [[2]], "output_dtypes": ["Quad"]})"));
  CHECK(trace.left_out.at("earlier calls that the recorder's ring had no room for") == 40);
  CHECK(trace.rootless.at("broadcast") == 1);
  CHECK(trace.left_out.at("calls whose type of numbers, 'Quad', is not known here") == 1);
  CHECK(bytes_of(trace, "0", profile::Operation::bcast) == 16);
}

TEST_CASE("what is wrong in a dump is shown where it is") {
  CHECK(says(refusal(dump(entry("nccl:all_reduce", "0", "[[-1]]", "[[1]]"))),
             "an extent of a tensor of -1: not a whole number from 0 to 2^53"));
  CHECK(
      says(refusal(dump(entry("nccl:all_reduce", "0", "[[9007199254740992, 4]]", "[[1]]"))), "more than 2^53 numbers"));
  CHECK(says(refusal(dump(entry("nccl:send a->b", "0", "[[1]]", "[[1]]"))), "the two ranks of 'nccl:send a->b'"));
  CHECK(says(refusal(dump(R"({"process_group": ["0", "x"]})")), "a call without its 'profiling_name'"));
  CHECK(says(refusal(R"({"pg_config": {"0": {"ranks": "[0, x]"}}})"), "dump_rank_1:1:"));
  CHECK(says(refusal(R"({"pg_config": {}, "entries": []})"), "neither calls nor process groups"));
}

namespace {

/// What the program of a pickle leaves, told as paths.
class Told : public JsonVisitor {
 public:
  std::string text;
  void begin(const JsonPath& path) override { tell(path, "begins"); }
  void end(const JsonPath& path) override { tell(path, "ends"); }
  void scalar(const JsonPath& path, const JsonScalar& value) override { tell(path, value.shown()); }

 private:
  void tell(const JsonPath& path, const std::string& what) {
    for (std::size_t i = 0; i < path.size(); ++i)
      text += path.key(i).empty() ? fmt::format("{}/", path.place(i)) : std::string(path.key(i)) + "/";
    text += "=" + what + " ";
  }
};

std::string told(std::string_view pickle) {
  Input file = Input::of_text("p", pickle);
  Told visitor;
  try {
    read_pickle_events(file, visitor);
  } catch (const Error& error) {
    return error.diagnostics().front().render("error");
  }
  return visitor.text;
}

}  // namespace

TEST_CASE("pickles of every protocol from 2 on give what they hold") {
  // pickle.dumps({'a': [1, -2, 1.5, None, True], 'b': ('x', 'x', 70000)}, protocol)
  const std::string expected =
      "=begins a/=begins a/0/=1 a/1/=-2 a/2/=1.5 a/3/=null a/4/=true a/=ends b/=begins "
      "b/0/='x' b/1/='x' b/2/=70000 b/=ends =ends ";
  CHECK(told("\x80\x02}q\0(X\1\0\0\0aq\1]q\2(K\1J\xfe\xff\xff\xffG\x3f\xf8\0\0\0\0\0\0N\x88"
             "eX\1\0\0\0bq\3X\1\0\0\0xq\4h\4J\x70\x11\1\0\x87q\5u."sv) == expected);
  CHECK(told("\x80\x04\x95\x32\0\0\0\0\0\0\0}\x94(\x8c\1a\x94]\x94(K\1J\xfe\xff\xff\xffG\x3f\xf8\0\0\0\0\0\0N\x88"
             "e\x8c\1b\x94\x8c\1x\x94h\4J\x70\x11\1\0\x87\x94u."sv) == expected);
  CHECK(told("\x80\x02\x8a\x02\xff\x7f."sv) == "=32767 ");
  CHECK(told("\x80\x02\x8a\x01\xff."sv) == "=-1 ");
  CHECK(told("\x80\x02]K\1a."sv) == "=begins 0/=1 =ends ");
}

TEST_CASE("nothing of a pickle is executed, and damage is shown by its byte") {
  CHECK(says(told("\x80\x02"
                  "cos\nsystem\nX\4\0\0\0true\x85R."sv),
             "p: byte 2: the pickle names the function or class 'os.system'"));
  CHECK(
      says(told("\x80\x04\x8c\2os\x8c\6system\x93."sv), "byte 14: opcode 0x93, which makes an object or is not known"));
  CHECK(says(told("\x80\x02]"sv), "the pickle ends here, in the middle of it"));
  CHECK(says(told("\x80\x02X\xff\xff\xff\x7f"sv), "a text of 2147483647 bytes"));
  CHECK(says(told("\x80\x02h\5."sv), "value 5 was not remembered"));
  CHECK(says(told("\x80\x02}K\1u."sv), "a mark is missing"));
  CHECK(says(told("\x80\x02}(K\1u."sv), "a key of a dictionary without its value"));
  CHECK(says(told("\x80\x02(K\1a."sv), "what gets entries is no list"));
  CHECK(says(told("\x80\x02K\1K\2."sv), "2 values are left at its end, not one"));
  CHECK(says(told("\x80\x02r\xff\xff\xff\x7f"sv), "a value is missing"));
  CHECK(says(told("\x80\x02]r\xff\xff\xff\x7f."sv), "more than 1048576 values to remember"));
}

TEST_CASE("a list that holds itself ends in an error, and so does one that grows with each name") {
  CHECK(says(told("\x80\x02]q\0h\0a."sv), "more than 256 values within each other"));
  // Each list holds the one before it twice.
  std::string doubled = "\x80\x02]q"s + '\0';
  for (char i = 1; i < 100; ++i)
    doubled += "](h"s + static_cast<char>(i - 1) + 'h' + static_cast<char>(i - 1) + "eq" + i;
  CHECK(says(told(doubled + '.'), "values are left at its end"));
  std::string nested = "\x80\x02]q"s + '\0' + '0';
  for (char i = 1; i < 100; ++i)
    nested += "](h"s + static_cast<char>(i - 1) + 'h' + static_cast<char>(i - 1) + "eq" + i + '0';
  CHECK(says(told(nested + 'h' + static_cast<char>(99) + '.'), "lists that name other lists too often"));
}
