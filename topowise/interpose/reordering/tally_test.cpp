// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/tally.hpp>

#include <doctest/doctest.h>

using namespace topowise::interpose::reordering;

TEST_CASE("summary of a job") {
  Tally tally;
  CHECK(summary(tally, "asked", false) == "--reorder=asked: the program called none of MPI's topology functions");
  tally.calls[static_cast<std::size_t>(Outcome::moved)] = 1;
  tally.costs.before = 8;
  tally.seconds = 0.0125;
  CHECK(summary(tally, "asked", false) ==
        "--reorder=asked: 1 call, ranks reordered in 1 (hop-bytes 8 -> 0, 100.0 % less); 12.5 ms in them");
  tally.calls[static_cast<std::size_t>(Outcome::best)] = 2;
  tally.calls[static_cast<std::size_t>(Outcome::denied)] = 1;
  tally.costs = {.before = 16, .after = 12};
  CHECK(summary(tally, "report", true) ==
        "--reorder=report: 4 calls, ranks would be reordered in 1 (hop-bytes 16 -> 12, 25.0 % less); 2 without a "
        "clearly better order; "
        "1 left out by --reorder-only or --reorder-except; 12.5 ms in them");
}

TEST_CASE("a report keeps calls with reorder = false apart from those that would be reordered") {
  Tally tally;
  tally.calls[static_cast<std::size_t>(Outcome::moved)] = 1;
  tally.calls[static_cast<std::size_t>(Outcome::unasked)] = 3;
  tally.costs = {.before = 16, .after = 12};
  tally.by_always = 2;
  tally.costs_by_always = {.before = 8, .after = 0};
  CHECK(summary(tally, "report", true) ==
        "--reorder=report: 4 calls, ranks would be reordered in 1 (hop-bytes 16 -> 12, 25.0 % less); 3 'reorder' is "
        "false: --reorder=always would reorder ranks in 2 (hop-bytes 8 -> 0, 100.0 % less); 0 ms in them");
}

TEST_CASE("what edges are taken to weigh is said, and how many calls only a recording can decide") {
  Tally tally;
  tally.calls[static_cast<std::size_t>(Outcome::moved)] = 2;
  tally.calls[static_cast<std::size_t>(Outcome::contested)] = 1;
  tally.costs = {.before = 48, .after = 36};
  tally.assumed = 2;
  CHECK(summary(tally, "asked", false) ==
        "--reorder=asked: 3 calls, ranks reordered in 2 (hop-bytes 48 -> 36, 25.0 % less; edges weigh as if the grid "
        "cut a cube); 1 with a cheaper order that may lose (--reorder=report says where); 0 ms in them");
  tally.assumed = 1;
  CHECK(summary(tally, "asked", false).find("; edges weigh as if the grid cut a cube in 1 of them)") !=
        std::string::npos);
}

TEST_CASE("what is gained between hosts and inside them") {
  CHECK(gain_text({}).empty());
  CHECK(gain_text({.before = 8, .after = 0, .inside_before = 16, .inside_after = 12}) ==
        "hop-bytes 8 -> 0, 100.0 % less; inside hosts 16 -> 12, 25.0 % less");
  CHECK(gain_text({.inside_before = 16, .inside_after = 0}) == "hop-bytes inside hosts 16 -> 0, 100.0 % less");
  CHECK(gain_text({.before = 8, .after = 10, .fullest_before = 0.5, .fullest_after = 0.02}) ==
        "hop-bytes 8 -> 10, 25.0 % more; the fullest host has 50.0 % -> 2.0 % more than its share of the loads");
}

TEST_CASE("summary of one process's calls") {
  Tally tally;
  CHECK(summary(tally, "asked", false, "rank 4") == "--reorder=asked: rank 4 called none of MPI's topology functions");
  tally.calls[static_cast<std::size_t>(Outcome::left)] = 1;
  CHECK(summary(tally, "asked", false, "rank 4") ==
        "--reorder=asked: rank 4: 1 call, ranks reordered in 0; 1 left to MPI; 0 ms in them");
}

TEST_CASE("entries of a list that name no call") {
  CHECK(idle_entries("--reorder-except", nullptr, 0).empty());
  CHECK(idle_entries("--reorder-except", "a, b", 0b11).empty());
  CHECK(idle_entries("--reorder-except", "a, b ,c", 0b010) ==
        "--reorder-except: none of these calls is named by 'a', 'c'");
  std::string many = "0";
  for (int i = 1; i < 70; ++i) many += "," + std::to_string(i);
  CHECK(idle_entries("--reorder-only", many.c_str(), ~std::uint64_t{1}) ==
        "--reorder-only: none of these calls is named by '0'");
}

TEST_CASE("summary of a job whose world was to be reordered") {
  Tally tally;
  const auto with = [&](Outcome outcome) {
    Tally one = tally;
    one.calls[static_cast<std::size_t>(outcome)] = 1;
    return world_summary(one);
  };
  CHECK(with(Outcome::best) ==
        "--reorder=world: ranks of MPI_COMM_WORLD stayed as they were: no clearly better order was found");
  CHECK(with(Outcome::one_host) == "--reorder=world: ranks of MPI_COMM_WORLD stayed as they were: all are on one host");
  CHECK(with(Outcome::denied) == "--reorder=world: ranks of MPI_COMM_WORLD stayed as they were: not possible here");
  CHECK(with(Outcome::trouble) == "--reorder=world: ranks of MPI_COMM_WORLD stayed as they were: in trouble");
  tally.costs = {.before = 8, .after = 2};
  tally.seconds = 0.01;
  CHECK(with(Outcome::moved) ==
        "--reorder=world: ranks of MPI_COMM_WORLD reordered (hop-bytes 8 -> 2, 75.0 % less); 10 ms");
}
