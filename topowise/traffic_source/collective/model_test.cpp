// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/collective/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

using namespace topowise;
using namespace topowise::collective;
using profile::Operation;

namespace {

using Matrix = std::map<std::pair<std::size_t, std::size_t>, double>;

Sends expand(std::string_view model, const Call& call) {
  Sends sends;
  model_named(model).expand(call, sends);
  return sends;
}

Matrix matrix(const Sends& sends) {
  Matrix bytes;
  for (const Sent& sent : sends.list()) bytes[{sent.source, sent.destination}] += sent.bytes;
  return bytes;
}

double received(const Sends& sends, std::size_t member) {
  double bytes = 0;
  for (const Sent& sent : sends.list()) bytes += sent.destination == member ? sent.bytes : 0;
  return bytes;
}

double total(const Sends& sends) {
  double bytes = 0;
  for (const Sent& sent : sends.list()) bytes += sent.bytes;
  return bytes;
}

constexpr std::size_t kMemberCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 20, 33, 64, 100, 300, 520, 1100, 2100, 4200};
constexpr double kSizes[] = {0,    8,     24,    80,     320,    800,    1600,   3200,
                             6400, 12800, 25600, 102400, 204800, 409600, 819200, 8388608};
constexpr std::string_view kExpanding[] = {"openmpi",   "mpich",     "linear",      "nccl",
                                           "nccl-ring", "nccl-tree", "nccl-direct", "nccl-pat"};

/// Calls `check` for every model, with communicators and vectors of many sizes that cover all switch points of the
/// models.
template <class Check>
void everywhere(Operation operation, std::size_t most_members, Check check) {
  for (const std::string_view model : kExpanding) {
    for (const std::size_t members : kMemberCounts) {
      for (const double bytes : kSizes) {
        constexpr std::size_t kManyForAllPairs = 520;
        if (members > (model == "nccl-direct" ? std::min(most_members, kManyForAllPairs) : most_members)) continue;
        CAPTURE(model);
        CAPTURE(members);
        CAPTURE(bytes);
        const Call call{operation, members, members / 3, bytes, {}};
        check(call, expand(model, call));
      }
    }
  }
}

bool equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

TEST_CASE("no model loses an operation: what is not split exactly by partners is sent between members") {
  constexpr std::size_t kMembers = 5;
  for (std::size_t number = 0; number < profile::kOperationCount; ++number) {
    const auto operation = static_cast<Operation>(number);
    const auto& row = profile::kOperations[number];
    if (row.share == profile::Share::per_partner && operation != Operation::reduce_scatter) continue;
    for (const Model& model : models()) {
      CAPTURE(row.name);
      CAPTURE(model.name);
      const Call call{operation, kMembers, 0, 64, std::vector<double>(kMembers, 64)};
      CHECK(expand(model.name, call).list().empty() == (model.name == "none"));
    }
  }
}

TEST_CASE("a call without elements sends nothing, whatever the model; a barrier does") {
  constexpr std::size_t kMembers = 5;
  for (std::size_t number = 0; number < profile::kOperationCount; ++number) {
    const auto operation = static_cast<Operation>(number);
    for (const Model& model : models()) {
      CAPTURE(profile::kOperations[number].name);
      CAPTURE(model.name);
      Sends sends;
      topowise::collective::expand(model, {operation, kMembers, 0, 0, std::vector<double>(kMembers, 0)}, sends);
      CHECK(sends.list().empty() == (operation != Operation::barrier || model.name == "none"));
    }
  }
  Sends one_member_has_some;
  topowise::collective::expand(model_named("linear"), {Operation::gatherv, 3, 0, 0, {0, 8, 0}}, one_member_has_some);
  CHECK(total(one_member_has_some) == 8);
}

TEST_CASE("a broadcast reaches every member, whatever the way") {
  everywhere(Operation::bcast, 5000, [](const Call& call, const Sends& sends) {
    bool complete = true;
    std::vector<double> got(call.members, 0);
    for (const Sent& sent : sends.list()) got[sent.destination] += sent.bytes;
    for (std::size_t rank = 0; rank < call.members; ++rank)
      complete = complete && (rank == call.root || got[rank] >= call.bytes * (1 - 1e-9));
    CHECK(complete);
  });
}

TEST_CASE("an allgather gives everyone exactly what the others have") {
  everywhere(Operation::allgather, 520, [](const Call& call, const Sends& sends) {
    const double others = call.bytes * static_cast<double>(call.members - 1);
    std::vector<double> got(call.members, 0);
    for (const Sent& sent : sends.list()) got[sent.destination] += sent.bytes;
    CHECK(std::ranges::all_of(got, [&](double bytes) { return equal(bytes, others); }));
  });
}

TEST_CASE("a gather brings every block to the root, a scatter takes it from there") {
  everywhere(Operation::gather, 5000, [](const Call& call, const Sends& sends) {
    CHECK(equal(received(sends, call.root), call.bytes * static_cast<double>(call.members - 1)));
  });
  everywhere(Operation::scatter, 5000, [](const Call& call, const Sends& sends) {
    Sends back;
    for (const Sent& sent : sends.list()) back.add(sent.destination, sent.source, sent.bytes);
    CHECK(equal(received(back, call.root), call.bytes * static_cast<double>(call.members - 1)));
  });
}

TEST_CASE("a reduction needs every other member's vector once, an allreduce at least as much") {
  everywhere(Operation::reduce, 5000, [](const Call& call, const Sends& sends) {
    CHECK(total(sends) >= call.bytes * static_cast<double>(call.members - 1) * (1 - 1e-9));
  });
  everywhere(Operation::allreduce, 5000, [](const Call& call, const Sends& sends) {
    CHECK(total(sends) >= 2 * call.bytes * static_cast<double>(call.members - 1) * (1 - 1e-9) - 1);
  });
}

TEST_CASE("an all-to-all moves every block at least once, and only once when it goes straight") {
  everywhere(Operation::alltoall, 520, [](const Call& call, const Sends& sends) {
    const double members = static_cast<double>(call.members);
    CHECK(total(sends) >= call.bytes * members * (members - 1) * (1 - 1e-9));
    if (call.bytes >= 8192) CHECK(equal(total(sends), call.bytes * members * (members - 1)));
  });
}

TEST_CASE("parts that differ: allgatherv, gatherv, reduce_scatter") {
  for (const std::string_view model : kExpanding) {
    for (const std::size_t members : {2, 3, 4, 6, 7, 8, 16, 31}) {
      for (const double scale : {8.0, 800.0, 8000.0, 80000.0, 800000.0}) {
        CAPTURE(model);
        CAPTURE(members);
        CAPTURE(scale);
        Call call{Operation::allgatherv, members, 0, scale, {}};
        double all = 0;
        for (std::size_t rank = 0; rank < members; ++rank) {
          call.parts.push_back(scale * static_cast<double>(rank + 1));
          all += call.parts.back();
        }
        const Sends gathered = expand(model, call);
        for (std::size_t rank = 0; rank < members; ++rank) {
          // Open MPI may gather to rank 0 and broadcast everything, including each member's own part.
          CHECK(received(gathered, rank) >= (all - call.parts[rank]) * (1 - 1e-9));
          CHECK(received(gathered, rank) <= all * (1 + 1e-9));
        }
        call.operation = Operation::gatherv;
        CHECK(equal(total(expand(model, call)), all - call.parts[0]));
        call.operation = Operation::reduce_scatter;
        CHECK(total(expand(model, call)) >= all * static_cast<double>(members - 1) * (1 - 1e-9) - all);
      }
    }
  }
}

TEST_CASE("trees") {
  CHECK(binomial_high(8) == Tree{0, 0, 0, 1, 0, 1, 2, 3});
  CHECK(binomial_low(8) == Tree{0, 0, 0, 2, 0, 4, 4, 6});
  CHECK(binary(8) == Tree{0, 0, 0, 1, 2, 1, 2, 3});
  CHECK(knomial(10, 4) == Tree{0, 0, 0, 0, 0, 4, 4, 4, 0, 8});
  Sends in_order;
  reduce_in_order(9, 8, 1, in_order);
  CHECK(matrix(in_order) ==
        Matrix{{{7, 8}, 1}, {{3, 8}, 1}, {{6, 7}, 1}, {{5, 7}, 1}, {{4, 5}, 1}, {{2, 3}, 1}, {{1, 3}, 1}, {{0, 1}, 1}});
}

TEST_CASE("vectors are cut between numbers") {
  CHECK(blocks(40, 4) == std::vector<double>{16, 8, 8, 8});
  CHECK(blocks(12, 2) == std::vector<double>{8, 4});
  CHECK(blocks(7, 2) == std::vector<double>{4, 3});
  CHECK(blocks(0, 2) == std::vector<double>{0, 0});
}

// The counts of Open MPI 4.1.4 and 5.0.11 for one call (rows I of their monitoring component).
TEST_CASE("the openmpi model gives Open MPI's own count") {
  const Matrix binary_tree = matrix(expand("openmpi", {Operation::bcast, 6, 1, 512, {}}));
  CHECK(binary_tree == Matrix{{{1, 2}, 512}, {{1, 3}, 512}, {{2, 4}, 512}, {{3, 5}, 512}, {{2, 0}, 512}});
  const Matrix allreduce = matrix(expand("openmpi", {Operation::allreduce, 6, 0, 40000, {}}));
  CHECK(allreduce.at({0, 1}) == 60000);  // half of the vector to the other member of the pair, and the whole result
  CHECK(allreduce.at({1, 0}) == 40000);
  CHECK(allreduce.at({0, 2}) == 40000);
  CHECK(allreduce.at({0, 4}) == 20000);
  const Matrix bruck = matrix(expand("openmpi", {Operation::allgather, 6, 0, 8, {}}));
  CHECK(total(expand("openmpi", {Operation::reduce_scatter_block, 6, 0, 8, {}})) == 528);
  const Matrix butterfly = matrix(expand("openmpi", {Operation::reduce_scatter_block, 6, 0, 10000, {}}));
  CHECK(butterfly == Matrix{{{0, 1}, 60000},
                            {{1, 0}, 10000},
                            {{1, 3}, 20000},
                            {{1, 4}, 20000},
                            {{2, 3}, 60000},
                            {{3, 1}, 40000},
                            {{3, 4}, 10000},
                            {{3, 5}, 10000},
                            {{4, 1}, 20000},
                            {{4, 2}, 10000},
                            {{4, 3}, 10000},
                            {{4, 5}, 20000},
                            {{5, 3}, 10000},
                            {{5, 4}, 40000}});
  CHECK(bruck.at({0, 5}) == 8);
  CHECK(bruck.at({0, 4}) == 16);
  CHECK(bruck.at({0, 2}) == 16);
}

// Each rank sends to the successors and children that NCCL gives it: in a ring, or in a pair of trees.
TEST_CASE("the nccl model: rings in the order of the ranks, two trees for small allreduces") {
  const Matrix ring = matrix(expand("nccl-ring", {Operation::allreduce, 4, 0, 4000, {}}));
  CHECK(ring == Matrix{{{0, 1}, 6000}, {{1, 2}, 6000}, {{2, 3}, 6000}, {{3, 0}, 6000}});
  // The first tree of 4 is 0 - 2, 2 - 1, 2 - 3. The second is its mirror image: 3 - 1, 1 - 2, 1 - 0. Each carries half
  // of the vector.
  const Matrix trees = matrix(expand("nccl-tree", {Operation::allreduce, 4, 0, 4000, {}}));
  CHECK(trees == Matrix{{{0, 2}, 2000},
                        {{2, 0}, 2000},
                        {{1, 2}, 4000},
                        {{2, 1}, 4000},
                        {{2, 3}, 2000},
                        {{3, 2}, 2000},
                        {{1, 3}, 2000},
                        {{3, 1}, 2000},
                        {{0, 1}, 2000},
                        {{1, 0}, 2000}});
  CHECK(matrix(expand("nccl", {Operation::allreduce, 4, 0, 4000, {}})) == trees);
  const Call large{Operation::allreduce, 4, 0, 4 * 262144, {}};
  CHECK(matrix(expand("nccl", large)) == matrix(expand("nccl-ring", large)));
  const Matrix bcast = matrix(expand("nccl", {Operation::bcast, 4, 2, 100, {}}));
  CHECK(bcast == Matrix{{{2, 3}, 100}, {{3, 0}, 100}, {{0, 1}, 100}});
  const Matrix reduced = matrix(expand("nccl", {Operation::reduce, 4, 2, 100, {}}));
  CHECK(reduced == Matrix{{{3, 0}, 100}, {{0, 1}, 100}, {{1, 2}, 100}});
}

TEST_CASE("NCCL without rings: straight to every member, and by doubled distances") {
  const Matrix direct = matrix(expand("nccl-direct", {Operation::allreduce, 4, 0, 4000, {}}));
  CHECK(direct.size() == 12);
  for (const auto& [pair, bytes] : direct) CHECK(bytes == 2000);
  const Matrix gathered = matrix(expand("nccl-pat", {Operation::allgather, 4, 0, 100, {}}));
  const Matrix scattered = matrix(expand("nccl-pat", {Operation::reduce_scatter_block, 4, 0, 100, {}}));
  CHECK(gathered.at({0, 3}) == 100);
  CHECK(gathered.at({0, 2}) == 200);
  for (const auto& [pair, bytes] : gathered) CHECK(scattered.at({pair.second, pair.first}) == bytes);
}

TEST_CASE("two trees: whoever is an inner vertex of one is a leaf of the other, and each reaches all") {
  for (const std::size_t members : {2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 64, 100}) {
    CAPTURE(members);
    const Sends sends = expand("nccl-tree", {Operation::allreduce, members, 0, 16000, {}});
    std::vector<double> sent(members, 0);
    for (const Sent& message : sends.list()) sent[message.source] += message.bytes;
    // A rank has at most three neighbours in one tree and one in the other.
    for (const double bytes : sent) CHECK(bytes <= 4 * 8000);
    CHECK(total(sends) == doctest::Approx(2.0 * 16000 * static_cast<double>(members - 1)));
  }
}

TEST_CASE("a hierarchical allreduce: blocks within the nodes, each block across them") {
  Sends sends;
  allreduce_hierarchical({0, 0, 1, 1}, 4000, sends);
  // Inside a node: reduce-scatter and allgather of 2000 each. Between the 2 nodes: an allreduce of 2000, with 2000 from
  // each.
  CHECK(matrix(sends) == Matrix{{{0, 1}, 4000},
                                {{1, 0}, 4000},
                                {{2, 3}, 4000},
                                {{3, 2}, 4000},
                                {{0, 2}, 2000},
                                {{2, 0}, 2000},
                                {{1, 3}, 2000},
                                {{3, 1}, 2000}});
  Sends uneven;
  allreduce_hierarchical({0, 0, 1}, 3000, uneven);
  Sends ring;
  allreduce_ring(3, 3000, ring);
  CHECK(matrix(uneven) == matrix(ring));
}

TEST_CASE("the table") {
  CHECK(expand("none", {Operation::alltoall, 8, 0, 100, {}}).list().empty());
  CHECK_THROWS_WITH_AS((void)model_named("openmpy"), "unknown collective model 'openmpy', did you mean 'openmpi'?",
                       Error);
}
