// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/rank_setup.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/preload.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

Placement two_ranks(std::string node) {
  Placement placement{"m", {{std::move(node), {{.name = "GPU0"}, {.name = "GPU1"}}}}, {}};
  placement.ranks = {{0, 0, 1, "GPU1", ""}, {0, 1, 0, "GPU0", "0"}};
  return placement;
}

std::optional<std::string> nothing(const std::string&) {
  return std::nullopt;
}

}  // namespace

TEST_CASE("the job must have the ranks of the mapping") {
  const Placement placement = two_ranks("");
  CHECK_NOTHROW(check_job(placement, {"x", 1, 1, 2}));
  CHECK_NOTHROW(check_job(placement, {"x", 1, 1, std::nullopt}));
  CHECK_THROWS_WITH_AS(check_job(placement, {"x", 0, 0, 4}), "the mapping is for 2 ranks, but this is rank 0 of 4",
                       Error);
  CHECK_THROWS_AS(check_job(placement, {"x", 2, 0, std::nullopt}), Error);
}

TEST_CASE("verify compares the device that the program will choose") {
  const PlacedNode node = two_ranks("").nodes[0];
  const auto with = [](std::string list) {
    return
        [list](const std::string& name) { return name == "CUDA_VISIBLE_DEVICES" ? std::optional(list) : std::nullopt; };
  };
  CHECK(listed_device(node, 1, 0, with("1,0")).met);
  CHECK(listed_device(node, 0, 1, with("0,1")).actual == "GPU1");
  CHECK(listed_device(node, 1, 0, with("1")).met);
  CHECK_FALSE(listed_device(node, 1, 0, with("")).met);
  CHECK(listed_device(node, 1, 1, nothing).met);
}

TEST_CASE("where a rank is to be, and where it is") {
  const Placement placement = two_ranks("no-such-host");
  const RankTarget first = target_of(placement, {"x", 0, 0, 2, 2}, GpuBinding::permute, nothing);
  CHECK(first.gpu->name == "GPU1");
  CHECK(first.variables.at(1).second == "1,0");
  const std::vector<Expectation> around = surroundings(first, false);
  REQUIRE(around.size() == 1);
  CHECK(around[0].what == "host");
  CHECK_FALSE(around[0].met);
  RankTarget near_memory = first;
  near_memory.host.clear();
  near_memory.gpu->numa = 4000;
  CHECK(surroundings(near_memory, false).empty());  // a domain that this host does not have
  near_memory.gpu->numa = 0;
  for (const Expectation& memory : surroundings(near_memory, false)) CHECK(memory.met);
}

TEST_CASE("processors near a place, and lists of processors") {
  CHECK(cpus_near({.cpus = "0"}) == std::vector<int>{0});
  CHECK(cpus_near({.gpu = NodeGpu{}}).empty());
  CHECK(cpus_in_list("0-2,8\n") == std::vector<int>{0, 1, 2, 8});
  CHECK(cpu_list({0, 1, 2, 8, 10, 11}) == "0-2,8,10-11");
  CHECK_THROWS_AS((void)cpus_in_list("many"), Error);
  CHECK_FALSE(allowed_cpus().empty());
}

TEST_CASE("our library stands first in LD_PRELOAD, once, and the others stay") {
  CHECK(preload_list("", "/l.so") == "/l.so");
  CHECK(preload_list("/a.so:/b.so", "/l.so") == "/l.so:/a.so:/b.so");
  CHECK(preload_list(" /a.so  /l.so :", "/l.so") == "/l.so:/a.so");
}
