// SPDX-License-Identifier: BSD-3-Clause
// Workloads, the messages of processes that act as ranks, and an exchange between threads.
#include <topowise/benchmark/measure_exchange.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include <tests/fixtures/thread_team.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/benchmark/workload.hpp>

using namespace topowise;
using namespace topowise::benchmark;

namespace {

std::vector<int> in_order(std::size_t processes) {
  std::vector<int> all(processes);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("the microbenchmarks take the most even shape, and say what shape has none") {
  CHECK(microbenchmark("stencil2d", 16).name == "stencil2d:4x4");
  CHECK(microbenchmark("torus3d", 16).name == "torus3d:4x2x2");
  CHECK(microbenchmark("hypercube", 8).name == "hypercube:3");
  CHECK(microbenchmark("torus2d", 12).name == "torus2d:4x3");
  CHECK_THROWS_WITH_AS((void)microbenchmark("hypercube", 12), "12 ranks make no hypercube", Error);
  CHECK_THROWS_WITH_AS((void)microbenchmark("torus3d", 4), "4 ranks make no torus3d", Error);
  CHECK_THROWS_AS((void)microbenchmark("stencil2d", 7), Error);
  CHECK_THROWS_AS((void)microbenchmark("stencil2d", 0), Error);
}

TEST_CASE("the first dimension is the heavy one") {
  const Traffic torus = cartesian("torus2d:8x4").traffic(10, 3);
  CHECK(torus.ranks() == 32);
  CHECK(torus.bytes(Rank(0), Rank(4)).value() == 30);
  CHECK(torus.bytes(Rank(0), Rank(1)).value() == 3);
  CHECK(torus.bytes(Rank(0), Rank(28)).value() == 30);
}

TEST_CASE("all-to-all along the first dimension: lines of a grid in row-major order") {
  const Workload workload = all_to_all_along_first({8, 4});
  CHECK(workload.ranks == 32);
  const Traffic traffic = workload.traffic(7, 5);
  for (std::size_t a = 0; a < 32; ++a) {
    for (std::size_t b = 0; b < 32; ++b)
      CHECK(traffic.bytes(Rank(a), Rank(b)).value() == (a != b && a % 4 == b % 4 ? 5 : 0));
  }
}

TEST_CASE("a process has the messages of its rank, and no two of one receiver overlap") {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint32_t ranks = 2 + random.below(9);
    std::vector<TrafficEntry> entries;
    for (std::uint32_t i = 0; i < 3 * ranks; ++i)
      entries.push_back(
          {Rank(random.below(ranks)), Rank(random.below(ranks)), Bytes(static_cast<double>(random.below(1000))), 1});
    const Traffic traffic = Traffic::from_entries(ranks, entries);
    std::vector<int> process_of = in_order(ranks);
    random.shuffle(std::span(process_of));
    const std::vector<RankMessages> all = rank_messages(traffic, process_of);
    double out = 0;
    std::multimap<std::pair<int, std::size_t>, std::pair<int, std::size_t>> sent;  // to, offset -> from, bytes
    for (std::size_t p = 0; p < all.size(); ++p) {
      for (const Part& part : all[p].out) {
        out += static_cast<double>(part.bytes);
        sent.emplace(std::pair{part.other, part.offset}, std::pair{static_cast<int>(p), part.bytes});
      }
    }
    double in = 0;
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::size_t end = 0;
      for (const Part& part : all[p].in) {
        CHECK(part.offset >= end);
        end = part.offset + part.bytes;
        CHECK(end <= all[p].all_in());
        in += static_cast<double>(part.bytes);
        const auto [from, last] = sent.equal_range({static_cast<int>(p), part.offset});
        CHECK(std::any_of(from, last, [&](const auto& message) {
          return message.second == std::pair{part.other, part.bytes};
        }));
      }
    }
    double between = 0;
    for (const TrafficEntry& entry : traffic.entries()) {
      if (entry.source != entry.destination) between += entry.bytes.value();
    }
    CHECK(out == between);
    CHECK(in == between);
  }
}

TEST_CASE("processes that share a place play its ranks in order") {
  const std::vector<Place> standing{Place(1), Place(0), Place(1), Place(0)};
  const Mapping mapping({Place(0), Place(0), Place(1), Place(1)});
  CHECK(processes_of(mapping, standing) == std::vector<int>{1, 3, 0, 2});
  const Mapping crowded({Place(0), Place(0), Place(0), Place(1)});
  CHECK_THROWS_AS((void)processes_of(crowded, standing), Error);
}

TEST_CASE("every run measures every mapping, and what arrives is what was sent") {
  constexpr int kRanks = 6;
  const Traffic traffic = cartesian("torus2d:3x2").traffic(3, 1000);
  std::vector<std::vector<RankMessages>> of_mapping{rank_messages(traffic, in_order(kRanks)),
                                                    rank_messages(traffic, {5, 3, 1, 0, 2, 4})};
  const ExchangePlan plan{.repetitions = 3, .warm_up = 1, .runs = 4};
  std::vector<std::vector<ExchangeTimes>> times(kRanks);
  fixtures::as_team(kRanks, [&](const fixtures::ThreadTeam& team) {
    MemorySizes sizes;
    for (const std::vector<RankMessages>& each : of_mapping) {
      const RankMessages& own = each[static_cast<std::size_t>(team.rank())];
      sizes = {std::max(sizes.out, own.most_out()), std::max(sizes.in, own.all_in())};
    }
    const std::unique_ptr<ExchangeMemory> memory = host_exchange_memory(team, sizes);
    times[static_cast<std::size_t>(team.rank())] = measure_exchange(team, team, *memory, of_mapping, plan);
  });
  for (const std::vector<ExchangeTimes>& of_process : times) {
    REQUIRE(of_process.size() == 2);
    for (std::size_t m = 0; m < of_process.size(); ++m) {
      CHECK(of_process[m].right);
      CHECK(of_process[m].runs.size() == 4);
      CHECK(of_process[m].runs == times[0][m].runs);
      CHECK(std::ranges::all_of(of_process[m].runs, [](double seconds) { return seconds > 0; }));
    }
  }
}

namespace {

/// Loses the last byte of every message.
class Forgetful final : public ExchangeMemory {
 public:
  explicit Forgetful(std::unique_ptr<ExchangeMemory> memory) : memory_(std::move(memory)) {}
  void exchange(const RankMessages& own) override {
    last_.clear();
    for (const Part& part : own.in) last_.push_back(part.offset + part.bytes - 1);
    memory_->exchange(own);
  }
  void mark(unsigned char value) override { memory_->mark(value); }
  [[nodiscard]] unsigned char received(std::size_t offset) const override {
    return std::ranges::find(last_, offset) == last_.end() ? memory_->received(offset) : 0;
  }

 private:
  std::unique_ptr<ExchangeMemory> memory_;
  std::vector<std::size_t> last_;
};

}  // namespace

TEST_CASE("a byte that did not arrive is seen, by everybody") {
  const std::vector<std::vector<RankMessages>> of_mapping{
      rank_messages(cartesian("torus2d:2x2").traffic(1, 100), in_order(4))};
  std::vector<char> right(4, 1);
  fixtures::as_team(4, [&](const fixtures::ThreadTeam& team) {
    std::unique_ptr<ExchangeMemory> memory = host_exchange_memory(team, {1000, 1000});
    if (team.rank() == 2) memory = std::make_unique<Forgetful>(std::move(memory));
    right[static_cast<std::size_t>(team.rank())] =
        measure_exchange(team, team, *memory, of_mapping, {.repetitions = 1, .warm_up = 1, .runs = 1})[0].right ? 1 : 0;
  });
  CHECK(right == std::vector<char>(4, 0));
}
