// SPDX-License-Identifier: BSD-3-Clause
// Traces that PyTorch wrote (tests/fixtures/pytorch/record.py), of two steps each, compared with matrices worked out by
// hand from the sizes of the models.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

std::string fixture(std::string_view job) {
  return std::string(TOPOWISE_SOURCE_DIR) + "/tests/fixtures/pytorch/" + std::string(job);
}

constexpr std::size_t kRanks = 8;
constexpr double kSteps = 2;
constexpr double kFloat = 4;

/// bytes[i][j] go from rank i to rank j
struct Matrix {
  double bytes[kRanks][kRanks] = {};
  bool operator==(const Matrix&) const = default;
};

Matrix imported(std::string_view job, const std::string& model, std::size_t warnings = 0) {
  const TrafficReading reading = read_traffic_with_warnings(fixture(job), {.collectives = model});
  CHECK(reading.warnings.size() == warnings);
  REQUIRE(reading.traffic.ranks() == kRanks);
  Matrix matrix;
  for (const TrafficEntry& entry : reading.traffic.entries())
    matrix.bytes[entry.source.index()][entry.destination.index()] = entry.bytes.value();
  return matrix;
}

}  // namespace

TEST_CASE("data parallel: a step is one allreduce of all gradients") {
  const double gradients = (64 * 128 + 128 + 128 * 64 + 64) * kFloat;
  Matrix ring;
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    ring.bytes[rank][(rank + 1) % kRanks] = kSteps * 2 * 7 / 8 * gradients;
  CHECK(imported("ddp", "nccl-ring") == ring);
  Matrix star;  // to rank 0 and back
  for (std::size_t rank = 1; rank < kRanks; ++rank) star.bytes[rank][0] = star.bytes[0][rank] = kSteps * gradients;
  CHECK(imported("ddp", "linear") == star);
}

TEST_CASE("the same on gloo, whose events name no group; rank 4 stopped profiling before its last call ended") {
  Matrix ring;
  const double gradients = 16576 * kFloat;
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    ring.bytes[rank][(rank + 1) % kRanks] = (rank == 4 ? 1 : kSteps) * 2 * 7 / 8 * gradients;
  CHECK(imported("gloo", "nccl-ring", 2) == ring);
}

TEST_CASE("fully sharded: weights are gathered for the forward and the backward pass, gradients scattered") {
  // The rows of each layer are padded to a multiple of the number of ranks: 128 x 64 + 128, and 64 x 128 + 64.
  const double weights = (128 * 64 + 128 + 64 * 128 + 64) * kFloat;
  Matrix ring;
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    ring.bytes[rank][(rank + 1) % kRanks] = kSteps * (2 + 1) * weights * 7 / 8;
  CHECK(imported("fsdp", "auto") == ring);
}

TEST_CASE("tensor, data and pipeline parallel: 2 x 2 x 2, tensor ranks fastest, pipeline stages slowest") {
  const double hidden = 32;
  const double activation = 16 * 2 * hidden * kFloat;  // sequence x batch x hidden
  const double microbatches = 4;
  const double layers_of_stage = 2;
  const double tensor = kSteps * microbatches * layers_of_stage * 4 * activation;  // a ring of 2 sends the vector once
  const double data = kSteps * 12 * hidden * hidden * 4 / (2 * 2) * kFloat;
  const double pipeline = kSteps * microbatches * activation;
  Matrix expected;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    expected.bytes[rank][rank ^ 1] = tensor;
    expected.bytes[rank][rank ^ 2] = data;
    expected.bytes[rank][rank ^ 4] = pipeline;
  }
  for (const std::string model : {"auto", "nccl", "nccl-ring"}) {
    CHECK(imported("tp-pp", model) == expected);
    CHECK(imported("tp-pp-et", model) == expected);
    CHECK(imported("tp-pp-chakra", model) == expected);
  }
}

TEST_CASE("pattern:llm with the sizes of the recorded step is that step") {
  const Traffic pattern =
      read_traffic("pattern:llm:2x2x2:layers=4:hidden=32:sequence=16:batch=2:microbatches=4:precision=fp32");
  const Matrix recorded = imported("tp-pp", "auto");
  for (std::size_t i = 0; i < kRanks; ++i)
    for (std::size_t j = 0; j < kRanks; ++j)
      CHECK(pattern.bytes(Rank(i), Rank(j)).value() * kSteps == recorded.bytes[i][j]);
}

TEST_CASE("progress names the file, and which of how many it is") {
  std::vector<std::string> told;
  const auto tell = [&](const std::string& where, std::size_t, std::size_t) {
    if (told.empty() || told.back() != where) told.push_back(where);
  };
  (void)read_traffic(fixture("tp-pp"), {.progress = tell});
  REQUIRE(told.size() == kRanks);
  CHECK(told.front() == fixture("tp-pp/rank0.json.gz (file 1 of 8)"));
  CHECK(told.back() == fixture("tp-pp/rank7.json.gz (file 8 of 8)"));
  told.clear();
  (void)read_traffic(fixture("tp-pp/rank0.json.gz"), {.progress = tell});
  CHECK(told == std::vector<std::string>{fixture("tp-pp/rank0.json.gz")});
}

TEST_CASE("expert parallel: uneven splits are taken as they are") {
  const double token = 16 * kFloat;
  Matrix expected;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const std::size_t source = rank % 4;
    for (std::size_t target = 0; target < 4; ++target) {
      const double there = 1 + static_cast<double>((source + 2 * target) % 4);  // tokens to the expert ...
      const double back = 1 + static_cast<double>((target + 2 * source) % 4);   // ... and others' tokens back to them
      if (target != source) expected.bytes[rank][rank - source + target] = kSteps * (there + back + 2) * token;
    }
  }
  CHECK(imported("moe", "auto") == expected);
}

TEST_CASE("every collective, rooted ones at their root, and a group without an even stride") {
  const double kilo = 1000 * kFloat;
  Matrix expected;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const auto to = [&](std::size_t other) -> double& { return expected.bytes[rank][other]; };
    const std::size_t next = (rank + 1) % kRanks;
    if (next != 2) to(next) += kilo;  // broadcast of rank 2 along the ring
    if (rank != 2) to(next) += kilo;  // reduction to rank 2 along the ring
    to(next) += 2 * 7 * kilo;         // two allgathers
    to(next) += 7 * kilo / 8;         // reduce-scatter
    if (rank != 2) to(2) += kilo;     // gather
    for (std::size_t i = 0; i < kRanks; ++i)
      if (rank == 2 && i != 2) to(i) += kilo;  // scatter
    to(next) += kilo;                          // ring of messages
  }
  constexpr std::size_t odd[] = {1, 3, 5, 6};
  for (std::size_t i = 0; i < 4; ++i) {
    double& ring = expected.bytes[odd[i]][odd[(i + 1) % 4]];
    ring += 2 * 3 * 500 * 2 / 4;       // allreduce of 500 numbers of 2 bytes
    if (i != 0) ring += 300 * kFloat;  // broadcast of position 1
  }
  const Matrix found = imported("calls", "nccl-ring");
  for (std::size_t i = 0; i < kRanks; ++i) {
    for (std::size_t j = 0; j < kRanks; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      // Vectors that four members divide are cut between numbers; the reader takes numbers to have 8 bytes.
      CHECK(found.bytes[i][j] / kSteps == doctest::Approx(expected.bytes[i][j]).epsilon(0.003));
    }
  }
  CHECK(found == imported("calls-et", "nccl-ring"));
}

TEST_CASE("the FlightRecorder of four ranks on gloo, pickles and JSON: rooted calls do not name their root") {
  constexpr std::size_t kFour = 4;
  for (const std::string_view job : {"flight-recorder", "flight-recorder-json"}) {
    CAPTURE(job);
    const TrafficReading reading = read_traffic_with_warnings(fixture(job), {.collectives = "linear"});
    REQUIRE(reading.traffic.ranks() == kFour);
    CHECK(reading.warnings.size() == 4);  // broadcast, gather, scatter, reduce
    for (std::size_t i = 0; i < kFour; ++i) {
      for (std::size_t j = 0; j < kFour; ++j) {
        if (i == j) continue;
        double bytes = 3 * kFloat + 2 * kFloat;  // allgather, all-to-all
        // Two allreduces of 100 numbers and one of 8, to rank 0 and back; broadcast and scatter, gather and reduce.
        if (i == 0) bytes += (2 * 100 + 8 + 7 + 6) * kFloat;
        if (j == 0) bytes += (2 * 100 + 8 + 6 + 9) * kFloat;
        if ((i ^ j) == 2) bytes += 2 * 10 * 2;  // two allreduces of two members, of 2 bytes
        CAPTURE(i);
        CAPTURE(j);
        CHECK(reading.traffic.bytes(Rank(i), Rank(j)).value() == bytes);
      }
    }
  }
}
