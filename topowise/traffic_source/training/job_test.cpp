// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/job.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::training;
using profile::Operation;

namespace {

/// The trace of a rank in a job of `world` ranks; group 0 has all ranks.
Trace trace_of(std::size_t rank, std::size_t world) {
  Trace trace;
  trace.where = fmt::format("rank{}", rank);
  trace.rank = rank;
  trace.world = world;
  trace.process = fmt::format("process {}", 100 + rank);
  Group& all = trace.groups[trace.group_named("0")];
  all.ranks.resize(world);
  std::iota(all.ranks.begin(), all.ranks.end(), std::size_t{0});
  all.size = world;
  return trace;
}

struct Found {
  Traffic traffic;
  std::string warnings;
};

Found add_up(std::vector<Trace> traces, std::string_view model = "nccl-ring") {
  std::vector<Diagnostic> warnings;
  Traffic traffic = traffic_of_job("job", std::move(traces), collective::model_named(model), warnings);
  std::string text;
  for (const Diagnostic& warning : warnings) text += warning.where + ": " + warning.what + "\n";
  return {std::move(traffic), std::move(text)};
}

std::string refusal(std::vector<Trace> traces) {
  try {
    (void)add_up(std::move(traces));
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().where + ": " + error.diagnostics().front().what;
  }
  return "accepted";
}

double bytes(const Traffic& traffic, std::size_t from, std::size_t to) {
  return traffic.bytes(Rank(from), Rank(to)).value();
}

}  // namespace

TEST_CASE("a call counts as often as each sender's own trace has it") {
  Trace first = trace_of(0, 2);
  Trace second = trace_of(1, 2);
  first.add({0, Operation::allreduce, 0, 1000}, 3);
  second.add({0, Operation::allreduce, 0, 1000}, 2);
  const Found found = add_up({first, second});
  CHECK(bytes(found.traffic, 0, 1) == 3000);
  CHECK(bytes(found.traffic, 1, 0) == 2000);
  CHECK(
      found.warnings ==
      "job: ranks disagree about 'allreduce' in the group of ranks 0, 1: rank 0 made 3 calls of 3 KB in all, rank 1 2 "
      "calls of 2 KB in all\n");
}

TEST_CASE("a rank without a trace did what the others of its groups did with it") {
  Trace first = trace_of(0, 3);
  first.add({0, Operation::allreduce, 0, 3000}, 2);
  first.received[{0, 2}] += {70, 1};
  first.sent[{0, 1}] += {50, 1};
  const Found found = add_up({first});
  CHECK(bytes(found.traffic, 1, 2) == 2 * 4000);
  CHECK(bytes(found.traffic, 2, 0) == 2 * 4000 + 70);
  CHECK(bytes(found.traffic, 0, 1) == 2 * 4000 + 50);
  CHECK(found.warnings == "job: ranks 1, 2 of 3 left no trace: what they did among themselves is missing\n");
}

TEST_CASE("one rank without a trace is taken to have done what the others did with it") {
  Trace first = trace_of(0, 3);
  Trace second = trace_of(1, 3);
  for (Trace* trace : {&first, &second}) trace->add({0, Operation::allreduce, 0, 3000}, 2);
  second.received[{0, 2}] += {70, 1};
  const Found found = add_up({first, second});
  CHECK(bytes(found.traffic, 2, 0) == 2 * 4000);
  CHECK(bytes(found.traffic, 1, 2) == 2 * 4000);
  CHECK(bytes(found.traffic, 2, 1) == 70);
  CHECK(found.warnings ==
        "job: rank 2 of 3 left no trace: taken to have done what the others did with it; what only its own trace says "
        "is missing\n");
}

TEST_CASE("what is assumed of calls is no list of calls that are left out") {
  Trace first = trace_of(0, 2);
  Trace second = trace_of(1, 2);
  for (Trace* trace : {&first, &second}) {
    trace->add({0, Operation::bcast, 0, 8});
    trace->rootless["broadcast"] = 1;
  }
  CHECK(add_up({first, second}).warnings ==
        "job: 2 calls of 'broadcast' do not say their root: taken to be the first rank of their group\n");
  second.rootless.clear();
  first.cut_splits = 2;
  CHECK(add_up({first, second}).warnings ==
        "job: 1 call of 'broadcast' does not say its root: taken to be the first rank of its group\n"
        "job: the trace cuts short the splits of 2 all-to-alls: taken as even\n");
}

TEST_CASE("messages: the sender's trace counts, and a difference is reported") {
  Trace first = trace_of(0, 2);
  Trace second = trace_of(1, 2);
  first.sent[{0, 1}] += {100, 2};
  second.received[{0, 0}] += {100, 2};
  CHECK(add_up({first, second}).warnings.empty());
  second.received[{0, 0}] += {50, 1};
  const Found found = add_up({first, second});
  CHECK(bytes(found.traffic, 0, 1) == 100);
  CHECK(found.warnings ==
        "job: 1 pair of ranks disagree about their messages: rank 0 sent 2 messages to rank 1, which received 3\n");
}

TEST_CASE("parts of gathers may differ between the members, their number may not") {
  Trace first = trace_of(0, 2);
  Trace second = trace_of(1, 2);
  first.add({0, Operation::allgather, 0, 100});
  second.add({0, Operation::allgather, 0, 300});
  CHECK(add_up({first, second}).warnings.empty());
}

TEST_CASE("traces of two jobs are reported") {
  CHECK(refusal({trace_of(0, 2), trace_of(1, 4)}) == "rank1: of a job of 4 ranks, while 'rank0' is of a job of 2");
  Trace other = trace_of(0, 2);
  other.where = "again";
  other.process = "process 7";
  CHECK(refusal({trace_of(0, 2), other}) ==
        "again: rank 0 has a trace in 'rank0' already, of another process: traces of two jobs?");
  other.process.clear();  // a Chakra trace names no process
  CHECK(refusal({other, other}) ==
        "again: rank 0 has a trace in 'again' already, and the two are the same: is one a copy of the other?");
  Trace more = other;
  more.add({0, Operation::allreduce, 0, 1000});
  CHECK(refusal({other, more}) ==
        "again: rank 0 has a trace in 'again' already, and the two differ: "
        "traces of two jobs, or of several steps?");
  Trace far = trace_of(0, 2);
  far.rank = 5;
  CHECK(refusal({far}) == "rank0: rank 5 of a job of 2 ranks");
  Trace wide = trace_of(0, 2);
  wide.groups[0].ranks = {0, 9};
  CHECK(refusal({wide}) == "rank0: group '0' has rank 9 in a job of 2");
  CHECK(refusal({}) == ": no traces in 'job'");
}

/// The trace of a process that only knows its position in communicators.
Trace process_of(std::size_t position, std::size_t size) {
  Trace trace;
  trace.where = fmt::format("process{}", position);
  trace.process = trace.where;
  Group& group = trace.groups[trace.group_named("0xa")];
  group.size = size;
  group.position = position;
  return trace;
}

TEST_CASE("one rank's collectives without the size of their group are no traffic of none") {
  Trace alone;
  alone.where = "trace.0.et";
  alone.rank = 0;
  alone.groups[alone.group_named("all")].whole_job = true;
  CHECK(refusal({alone}) == "accepted");
  alone.add({0, Operation::allreduce, 0, 8});
  CHECK(refusal({alone}) ==
        "trace.0.et: the trace of one rank, and nothing in it says how many ranks its collective operations have");
  Trace of_all = alone;
  of_all.of_all = true;
  CHECK(refusal({of_all}) == "accepted");
  alone.world = 1;
  CHECK(refusal({alone}) == "accepted");

  // Another group of a job of which one trace is there.
  Trace one = trace_of(0, 4);
  one.add({one.group_named("model"), Operation::allreduce, 0, 8});
  CHECK(add_up({one}).warnings.find("model") != std::string::npos);
  std::vector<Trace> whole{one};
  for (std::size_t rank = 1; rank < 4; ++rank) whole.push_back(trace_of(rank, 4));
  CHECK(add_up(whole).warnings.empty());
}

TEST_CASE("communicators that contradict themselves in different files are reported") {
  CHECK(refusal({process_of(0, 2), process_of(1, 3)}) ==
        "process1: communicator 0xa has 3 ranks here, and 2 in 'process0'");
  Trace first = process_of(0, 2);
  Trace second = process_of(1, 2);
  for (Trace* trace : {&first, &second}) {
    Group& pair = trace->groups[trace->group_named("0xb")];
    pair.size = 2;
    pair.position = 0;
  }
  CHECK(refusal({first, second}) ==
        "process1: rank 0 of communicator 0xb is rank 1 of the job here, and rank 0 in another file");
}

TEST_CASE("groups that list a rank twice, and calls outside of their group, are reported as that") {
  Trace twice = trace_of(0, 2);
  twice.groups[0].ranks = {0, 1, 1};
  CHECK(refusal({twice}) == "rank0: group '0' lists rank 1 twice");
  Trace first = trace_of(0, 2);
  first.groups[first.group_named("other")].ranks = {1};
  first.add({1, Operation::allreduce, 0, 1000});
  first.add({0, Operation::bcast, 5, 1000});
  first.sent[{0, 7}] += {8, 1};
  const std::string found = add_up({first, trace_of(1, 2)}).warnings;
  CHECK(found.find("job: 1 call of rank 0 in group 'other', which is of rank 1 only, left out\n") != std::string::npos);
  CHECK(found.find("job: 1 call with member 5 of group '0', which has 2, left out\n") != std::string::npos);
  CHECK(found.find("job: 1 call with member 7 of group '0', which has 2, left out\n") != std::string::npos);
}

TEST_CASE("what contradicts itself in many traces is reported once, where it is first") {
  Trace first = trace_of(0, 2);
  Trace second = trace_of(1, 2);
  first.doubts = second.doubts = {"odd: taken as it is"};
  CHECK(add_up({first, second}).warnings.starts_with("rank0: odd: taken as it is (so in 2 traces)\n"));
}

TEST_CASE("windows in which a group has different members keep them apart") {
  Trace first = trace_of(0, 4);
  first.add({0, Operation::allreduce, 0, 1000});
  const std::size_t pair = first.group_named("pair");
  first.groups[pair].ranks = {0, 1};
  first.add({pair, Operation::allreduce, 0, 100});
  Trace later = first;
  later.where = "later";
  first.recordings = {"a"};
  later.recordings = {"b"};
  later.groups[pair].ranks = {0, 3};
  const Found found = add_up({first, later}, "linear");
  CHECK(bytes(found.traffic, 0, 3) == 2 * 1000 + 100);
  CHECK(found.warnings.find(
            "rank0: group 'pair' has ranks 0, 1 here and ranks 0, 3 in 'later': each counts with its own") !=
        std::string::npos);
}

TEST_CASE("windows of one process are one trace; a copy is none") {
  Trace first = trace_of(0, 2);
  first.add({0, Operation::allreduce, 0, 1000});
  Trace later = first;
  later.where = "later";
  first.recordings = {"a"};
  later.recordings = {"b"};
  Trace second = trace_of(1, 2);
  second.add({0, Operation::allreduce, 0, 1000}, 2);
  Found found = add_up({first, second, later});
  CHECK(found.warnings.empty());
  CHECK(bytes(found.traffic, 0, 1) == 2000);
  later.recordings = {"a"};
  found = add_up({first, second, later});
  CHECK(bytes(found.traffic, 0, 1) == 1000);
  CHECK(found.warnings.starts_with("later: a copy of a trace that counts already: left out\n"));
}

TEST_CASE("members of a group are taken from where they are known, else calls are left out and reported") {
  Trace first = trace_of(0, 4);
  Trace second = trace_of(1, 4);
  for (Trace* trace : {&first, &second}) {
    const std::size_t pair = trace->group_named("pair");
    trace->add({pair, Operation::allreduce, 0, 1000});
    trace->groups[pair].size = 2;
  }
  CHECK(bytes(add_up({first, second}).traffic, 0, 1) == 1000);  // the members are the ranks that make the call
  second.groups[1].ranks = {1, 3};                              // the members are another pair
  const Found found = add_up({first, second});
  CHECK(bytes(found.traffic, 1, 3) == 1000);
  CHECK(found.warnings.find("1 call in group 'pair', whose members are in no trace, left out") != std::string::npos);
}

TEST_CASE("bytes of the whole input are cut among the members") {
  Trace first = trace_of(0, 4);
  first.add({0, Operation::alltoall, 0, 4000, true});
  CHECK(bytes(add_up({first}).traffic, 0, 3) == 1000);
}

TEST_CASE("the hierarchical model: nodes of 8 consecutive ranks") {
  Trace first = trace_of(0, 16);
  first.add({0, Operation::allreduce, 0, 16000});
  const Traffic traffic = add_up({first}, "nccl-hierarchical").traffic;
  CHECK(bytes(traffic, 0, 1) == 2 * 14000);  // reduce-scatter and allgather of 2000 each on the node
  CHECK(bytes(traffic, 0, 8) == 2000);       // an eighth of the vector goes between two nodes
  CHECK(bytes(traffic, 7, 8) == 0);
}

TEST_CASE("without collectives, messages are left") {
  Trace first = trace_of(0, 2);
  first.add({0, Operation::allreduce, 0, 1000});
  first.add_split(0, {0, 500});
  first.sent[{0, 1}] += {50, 1};
  CHECK(bytes(add_up({first}, "none").traffic, 0, 1) == 50);
  CHECK(bytes(add_up({first}, "linear").traffic, 0, 1) == 1550);
}

// The slow way expands every call of every rank on its own, in pairs.
TEST_CASE("calls added up are the sum of each one's pairs, whatever the groups") {
  Random numbers(7);
  for (int round = 0; round < 30; ++round) {
    const std::size_t world = 2 + numbers.below(9);
    std::vector<Trace> traces;
    for (std::size_t rank = 0; rank < world; ++rank) traces.push_back(trace_of(rank, world));
    std::vector<double> expected(world * world, 0);
    for (int call = 0; call < 20; ++call) {
      std::vector<std::size_t> members;
      for (std::size_t rank = 0; rank < world; ++rank)
        if (numbers.below(2) == 0) members.push_back(rank);
      if (members.size() < 2) continue;
      constexpr Operation kOperations[] = {Operation::allreduce, Operation::allgather, Operation::alltoall,
                                           Operation::reduce_scatter_block, Operation::bcast};
      const Operation operation = kOperations[numbers.below(5)];
      const std::size_t root =
          operation == Operation::bcast ? numbers.below(static_cast<std::uint32_t>(members.size())) : 0;
      const double size = 8.0 * numbers.below(100000);
      for (const std::size_t rank : members) {
        const std::size_t group = traces[rank].group_named(fmt::format("{}", fmt::join(members, "-")));
        traces[rank].groups[group].ranks = members;
        traces[rank].add({group, operation, root, size});
      }
      collective::Sends sends;
      collective::model_named("nccl").expand({operation, members.size(), root, size, {}}, sends);
      for (const collective::Sent& sent : sends.list())
        expected[members[sent.source] * world + members[sent.destination]] += sent.bytes;
    }
    const Found found = add_up(traces, "nccl");
    for (std::size_t i = 0; i < world; ++i)
      for (std::size_t j = 0; j < world; ++j)
        CHECK(bytes(found.traffic, i, j) == doctest::Approx(expected[i * world + j]));
  }
}
