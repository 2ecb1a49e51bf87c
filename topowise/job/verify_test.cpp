// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/verify.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

PlacedNode two_gpus() {
  return {"", {{.name = "GPU0"}, {.name = "GPU1"}}};
}

std::optional<std::string> nothing(const std::string&) {
  return std::nullopt;
}

/// The lines that the ranks of a node print, and whether they may start, by rank.
struct Node {
  std::vector<std::vector<std::string>> lines;
  std::vector<bool> may_start;
};

Node verify_all(const std::vector<std::vector<Expectation>>& ranks, Seconds timeout = Seconds(600)) {
  const std::string name = "verify-test-" + std::to_string(::getpid());
  ::setenv("PMIX_NAMESPACE", name.c_str(), 1);  // the job's name, from which the ranks derive the name of their meeting
  Node node{std::vector<std::vector<std::string>>(ranks.size()), {}};
  std::vector<char> may_start(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const Notices notices{[&, rank](const std::string& line) { node.lines[rank].push_back(line); },
                            [](const Diagnostic&) {}};
      may_start[rank] =
          verify_node(ranks[rank], {"Open MPI", rank, rank, ranks.size(), ranks.size()}, timeout, notices) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ::unsetenv("PMIX_NAMESPACE");
  node.may_start.assign(may_start.begin(), may_start.end());
  return node;
}

const Expectation kDevice{"device", "GPU0", "GPU0", true};
const Expectation kListed{"list of visible GPUs", "GPU0", "GPU0", true, true};
const Expectation kFarDevice{"device", "GPU0", "GPU0", true, false, true};
const Expectation kMemory{"memory", "node 0", "default", true};
const Expectation kWrong{"device", "GPU0", "GPU1", false};
using Lines = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("verify compares the device that the program will choose") {
  const PlacedNode node = two_gpus();
  const auto with = [](std::string list) {
    return
        [list](const std::string& name) { return name == "CUDA_VISIBLE_DEVICES" ? std::optional(list) : std::nullopt; };
  };
  CHECK(listed_device(node, 1, 0, with("1,0")).met);
  CHECK(listed_device(node, 0, 1, with("0,1")).actual == "GPU1");
  CHECK(listed_device(node, 1, 0, with("1")).met);
  CHECK_FALSE(listed_device(node, 1, 0, with("")).met);
  CHECK(listed_device(node, 1, 1, nothing).met);
  // With set-device the list keeps its order, and the preloaded library makes the GPU current.
  const auto set_device = [](std::string list, std::string selected) {
    return [list, selected](const std::string& name) -> std::optional<std::string> {
      if (name == "CUDA_VISIBLE_DEVICES") return list;
      return name == kGpuVariable ? std::optional(selected) : std::nullopt;
    };
  };
  CHECK(listed_device(node, 1, 0, set_device("0,1", "1")).met);
  CHECK(listed_device(node, 0, 1, set_device("0,1", "0")).met);
  CHECK_FALSE(listed_device(node, 1, 0, set_device("0,1", "0")).met);
  CHECK_FALSE(listed_device(node, 1, 0, set_device("0", "0")).met);
}

TEST_CASE("the ranks of a node of the mapping run together, and no others with them") {
  const Placement placement{"two nodes",
                            {{"n0", {}}, {"n1", {}}},
                            {{0, 0, {}, "", ""}, {0, 1, {}, "", ""}, {1, 0, {}, "", ""}, {1, 1, {}, "", ""}}};
  CHECK(ranks_of_node(placement, 0, {0, 1}).met);
  CHECK(ranks_of_node(placement, 3, {2, 3}).met);
  const Expectation apart = ranks_of_node(placement, 0, {0, 2});
  CHECK_FALSE(apart.met);
  CHECK(apart.expected == "0-1");
  CHECK(apart.actual == "0,2");
  CHECK_FALSE(ranks_of_node(placement, 1, {1}).met);
  CHECK_FALSE(ranks_of_node(placement, 1, {0, 1, 2, 3}).met);
}

TEST_CASE("the ranks of a host find each other") {
  ::setenv("PMIX_NAMESPACE", ("ranks-test-" + std::to_string(::getpid())).c_str(), 1);
  std::vector<std::optional<std::vector<std::size_t>>> found(3);
  std::vector<std::thread> threads;
  for (std::size_t local = 0; local < 3; ++local)
    threads.emplace_back([&, local] {
      found[local] = ranks_here({"Open MPI", 2 * local + 1, local, 6, 3}, Seconds(600));
    });
  for (std::thread& thread : threads) thread.join();
  ::unsetenv("PMIX_NAMESPACE");
  for (const auto& ranks : found) CHECK(ranks == std::vector<std::size_t>{1, 3, 5});
  CHECK(ranks_here({"Open MPI", 4, 0, 6, 1}, Seconds(600)) == std::vector<std::size_t>{4});
  CHECK_FALSE(ranks_here({"Slurm", 4, 0, 6, std::nullopt}, Seconds(600)));
}

TEST_CASE("host and memory of a rank") {
  RankTarget target{.rank = 0, .local_rank = 0, .host = "no-such-host", .gpu = NodeGpu{.name = "GPU0"}};
  const std::vector<Expectation> around = surroundings(target, false);
  REQUIRE(around.size() == 1);
  CHECK(around[0].what == "host");
  CHECK(around[0].expected == "no-such-host");
  CHECK_FALSE(around[0].met);
  target.host.clear();
  target.gpu->numa = 4000;
  CHECK(surroundings(target, false).empty());  // this host does not have the domain
  target.gpu->numa = 0;
  for (const Expectation& memory : surroundings(target, false)) CHECK(memory.met);
}

TEST_CASE("NICs of a rank are on its host") {
  RankTarget target{.rank = 0, .local_rank = 0, .nics = {"lo"}};
  REQUIRE(surroundings(target, false).size() == 1);
  CHECK(surroundings(target, false)[0].what == "NIC");
  CHECK(surroundings(target, false)[0].met);
  target.nics = {"mlx5_77", "lo", "mlx5_78"};
  const Expectation nics = surroundings(target, false)[0];
  CHECK_FALSE(nics.met);
  CHECK(nics.expected == "mlx5_77, mlx5_78");
  CHECK(nics.actual == "none of this name");
}

TEST_CASE("a node whose ranks are all as mapped says so in one line") {
  const Node node = verify_all({{kDevice, kMemory}, {kDevice}, {}});
  CHECK(node.lines == Lines{{"verify: 2 ranks on " + host_name() + ": device, memory as mapped"}, {}, {}});
  CHECK(node.may_start == std::vector<bool>{true, true, true});
}

TEST_CASE("of a device that no driver shows, only the list is said to be as mapped") {
  CHECK(verify_all({{kListed, kMemory}, {kListed}}).lines ==
        Lines{{"verify: 2 ranks on " + host_name() +
               ": list of visible GPUs, memory as mapped; no driver confirms that this host has these GPUs"},
              {}});
  CHECK(verify_all({{kListed}}).lines == Lines{{"verify: rank 0, list of visible GPUs GPU0: as mapped; no driver "
                                                "confirms that this host has these GPUs"}});
  CHECK(listed_device(two_gpus(), 1, 1, nothing).by_lists);
  CHECK(listed_device(two_gpus(), 1, 1, nothing).what == "list of visible GPUs");
}

TEST_CASE("ranks that run far from their GPU are counted") {
  CHECK(verify_all({{kFarDevice, kMemory}, {kDevice}, {kFarDevice}}).lines ==
        Lines{{"verify: 3 ranks on " + host_name() +
               ": device, memory as mapped; the processors of 2 of them are not those near the GPU (--cpu-bind numa)"},
              {},
              {}});
  CHECK(verify_all({{kFarDevice}}).lines ==
        Lines{{"verify: rank 0, device GPU0: as mapped; its processors are not those near the GPU (--cpu-bind numa)"}});
}

TEST_CASE("a rank that is not as mapped says so, and no rank of its node starts") {
  const Node node = verify_all({{kDevice}, {kWrong, kMemory}, {kDevice}});
  CHECK(node.lines == Lines{{}, {"verify: rank 1, device GPU1 instead of GPU0, memory default: not as mapped"}, {}});
  CHECK(node.may_start == std::vector<bool>{false, false, false});
}

TEST_CASE("ranks that cannot meet go by themselves") {
  CHECK(verify_all({{kDevice}}).lines == Lines{{"verify: rank 0, device GPU0: as mapped"}});
  const std::string nothing_compared = "nothing was compared: no host, GPU or bound processors are expected";
  CHECK(verify_all({{}}).lines == Lines{{"verify: rank 0: " + nothing_compared}});
  CHECK(verify_all({{}, {}}).lines == Lines{{"verify: on " + host_name() + " " + nothing_compared}, {}});
  std::vector<std::string> lines;
  const Notices notices{[&](const std::string& line) { lines.push_back(line); }, [](const Diagnostic&) {}};
  // This launcher does not say how many ranks the job has.
  CHECK(verify_node({kDevice}, {"Slurm", 1, 1, std::nullopt, 4}, Seconds(1), notices));
  CHECK_FALSE(verify_node({kWrong}, {"Slurm", 1, 1, std::nullopt, 4}, Seconds(1), notices));
  CHECK(lines == std::vector<std::string>{"verify: rank 1, device GPU0: as mapped",
                                          "verify: rank 1, device GPU1 instead of GPU0: not as mapped"});
}
