// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/job.hpp>

using namespace topowise;

namespace {

constexpr std::string_view kContext =
    "context : [time : 1.500000, thread : 9, device : 0, captured : 0, graphID : 0 ]]";

std::string begins(int rank, int ranks, std::string_view comm = "0x5") {
  return fmt::format(",\n  CommInitDev : [comm : {}, size : {}, uniqueID : 1844674407370, rank : {}, dev : {}, {}",
                     comm, ranks, rank, rank, kContext);
}

std::string call(std::string_view name, int rank, int ranks, int count, int type, int root,
                 std::string_view context = kContext, std::string_view comm = "0x5") {
  return fmt::format(
      ",\n  {} : [opCount : 0, sendbuff : [addr : 0x7f, base : 0x7f, size : 64], recvbuff : [addr : 0x7f, base : 0x7f, "
      "size : 99], acc : (nil), count : {}, datatype : {}, op : 0, root : {}, comm : {}, nranks : {}, stream : 0x1, "
      "task : 0, globalrank : {}, {}",
      name, count, type, root, comm, ranks, rank, context);
}

struct Found {
  Traffic traffic;
  std::vector<Diagnostic> warnings;
};

Found read(const std::vector<std::string>& files) {
  std::vector<training::Trace> traces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string text = "{\n  version : 1," + files[i].substr(1) + "\n";
    REQUIRE(training::looks_like_rccl_replay(text));
    Input input = Input::of_text(fmt::format("a.{}.n1.json", i), text);
    training::Trace& trace = traces.emplace_back();
    trace.where = input.where();
    training::read_rccl_replay(input, trace);
  }
  std::vector<Diagnostic> warnings;
  Traffic traffic = training::traffic_of_job("job", std::move(traces), collective::model_named("linear"), warnings);
  return {std::move(traffic), std::move(warnings)};
}

double bytes(const Found& reading, std::size_t from, std::size_t to) {
  return reading.traffic.bytes(Rank(from), Rank(to)).value();
}

}  // namespace

TEST_CASE("a recording of RCCL: a file a process, calls of communicators that it has seen begin") {
  std::vector<std::string> files;
  for (int rank = 0; rank < 3; ++rank)
    files.push_back(begins(rank, 3) + call("AllReduce", rank, 3, 10, 7, 0) + ",\n  {" +
                    (rank == 1   ? call("Send", 1, 3, 5, 9, 2)
                     : rank == 2 ? call("Recv", 2, 3, 5, 9, 1)
                                 : ",") +
                    "\n  },\n  MemFree : [ptr : 0x7, " + std::string(kContext));
  const Found reading = read(files);
  CHECK(reading.warnings.empty());
  CHECK(reading.traffic.ranks() == 3);
  CHECK(bytes(reading, 1, 0) == 40);
  CHECK(bytes(reading, 0, 2) == 40);
  CHECK(bytes(reading, 1, 2) == 10);
}

TEST_CASE("splits of a communicator are told apart by their order and color, and the calls name the ranks in them") {
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    const auto split = [&](std::string_view comm, int color) {
      return fmt::format(",\n  CommSplit : [comm : 0x5, color : {}, key : 0, newcomm : {}, {}", color, comm, kContext);
    };
    files.push_back(begins(rank, 4) + split("0x6", rank / 2) + split("0x7", rank % 2) +
                    call("AllReduce", rank % 2, 2, 100, 0, 0, kContext, "0x6") +
                    call("AllReduce", rank / 2, 2, 7, 0, 0, kContext, "0x7"));
  }
  const Found reading = read(files);
  CHECK(reading.warnings.empty());
  CHECK(bytes(reading, 0, 1) == 100);
  CHECK(bytes(reading, 3, 2) == 100);
  CHECK(bytes(reading, 0, 2) == 7);
  CHECK(bytes(reading, 3, 1) == 7);
  CHECK(bytes(reading, 0, 3) == 0);
}

TEST_CASE("a call that a graph captures counts when the graph is launched") {
  const std::string captured = "context : [time : 1.5, thread : 9, device : 0, captured : 1, graphID : 4 ]]";
  std::vector<std::string> files;
  for (int rank = 0; rank < 2; ++rank)
    files.push_back(begins(rank, 2) + call("Broadcast", rank, 2, 8, 1, 0, captured) + call("Bcast", rank, 2, 8, 1, 0) +
                    call("Broadcast", rank, 2, 8, 1, 0));
  CHECK(bytes(read(files), 0, 1) == 16);
}

TEST_CASE("what a recording of RCCL lacks is said or refused") {
  const Found reading = read({begins(0, 1) + call("AllToAllv", 0, 1, 8, 7, 0) + call("Reduce", 0, 1, 8, 70, 0)});
  CHECK(reading.warnings.size() == 3);  // and that there is no communication
  CHECK_THROWS_WITH_AS((void)read({begins(0, 1)}), "a recording of RCCL without calls", Error);
  CHECK_THROWS_WITH_AS((void)read({begins(3, 2)}), "rank 3 of a communicator of 2 ranks", Error);
  CHECK_THROWS_WITH_AS((void)read({begins(0, 2) + begins(1, 2)}),
                       "communicator 1844674407370 has another size or rank before", Error);
  const Found late = read({begins(0, 1) + call("AllReduce", 0, 4, 8, 7, 0, kContext, "0x9")});
  CHECK(late.warnings.size() == 2);
  CHECK(late.traffic.total_bytes().value() == 0);
  CHECK_THROWS_WITH_AS((void)read({call("AllReduce", 4, 4, 8, 7, 0)}), "a call of 8 numbers by rank 4 of 4", Error);
}
