// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/renumber.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

/// Puts rank r on node `nodes[r]` of three nodes; the second node has no ranks.
Placement placed(const std::vector<std::size_t>& nodes) {
  Placement placement;
  for (const char* name : {"n0", "n1", "n2.example.org"}) placement.nodes.push_back({name, {}});
  std::map<std::size_t, std::size_t> used;
  for (const std::size_t node : nodes) placement.ranks.push_back({node, used[node]++, std::nullopt, "P", ""});
  return placement;
}

Process torch(std::size_t node, std::size_t local, std::size_t local_size, std::size_t size) {
  return {.launcher = "torchrun",
          .rank = node * local_size + local,
          .local_rank = local,
          .size = size,
          .local_size = local_size,
          .node_rank = node};
}

Inherited variables(const std::map<std::string, std::string>& values) {
  return [=](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_CASE("a process takes the rank that the mapping has on its host") {
  const Placement placement = placed({2, 0, 2, 0});
  CHECK(renumbered(placement, torch(0, 0, 2, 4), NodeMatch::name, "n0").rank == 1);
  CHECK(renumbered(placement, torch(0, 1, 2, 4), NodeMatch::name, "n0.example.org").rank == 3);
  CHECK(renumbered(placement, torch(1, 1, 2, 4), NodeMatch::name, "n2").rank == 2);
  CHECK(renumbered(placement, torch(1, 0, 2, 4), NodeMatch::order, "elsewhere").rank == 0);
  CHECK(renumbered(placement, torch(1, 0, 2, 4), NodeMatch::order, "elsewhere").local_rank == 0);
}

TEST_CASE("nodes that are alike up to the first dot, or addresses, are different nodes") {
  Placement placement = placed({0, 1, 2});
  placement.nodes = {{"n0.a", {}}, {"n0.b", {}}, {"10.0.0.1", {}}};
  CHECK(renumbered(placement, torch(0, 0, 1, 3), NodeMatch::name, "n0.b").rank == 1);
  CHECK(renumbered(placement, torch(0, 0, 1, 3), NodeMatch::name, "10.0.0.1").rank == 2);
  for (const char* host : {"n0", "10.0.0.2", "10"})
    CHECK_THROWS_AS((void)renumbered(placement, torch(0, 0, 1, 3), NodeMatch::name, host), Error);
}

TEST_CASE("a process whose launcher does not name its node, or its number there, takes nobody's rank") {
  Process process = torch(1, 0, 2, 4);
  process.node_rank_variable = "GROUP_RANK";
  process.node_rank.reset();
  for (const NodeMatch match : {NodeMatch::name, NodeMatch::order}) {
    CHECK_THROWS_WITH_AS(static_cast<void>(renumbered(placed({2, 0, 2, 0}), process, match, "n0")),
                         "the environment has no node rank of this process of torchrun: GROUP_RANK is missing, or no "
                         "number",
                         Error);
    CHECK(renumbered(placed({0, 0}), process, match, "n0").rank == 0);  // a single node needs no number
  }
  process.node_rank = 1;
  process.local_rank.reset();
  CHECK_THROWS_WITH_AS(
      static_cast<void>(renumbered(placed({2, 0, 2, 0}), process, NodeMatch::name, "n0")),
      "the environment has no local rank of this process of torchrun: LOCAL_RANK is missing, or no number", Error);
}

TEST_CASE("on one node, or under a launcher of MPI, ranks stay") {
  const Placement node = placed({0, 0, 0});
  for (std::size_t local = 0; local < 3; ++local)
    CHECK(renumbered(node, torch(0, local, 3, 3), NodeMatch::name, "elsewhere").rank == local);
  const Process mpi{.launcher = "Slurm", .rank = 0, .local_rank = 0, .size = 4, .local_size = 2};
  CHECK(renumbered(placed({2, 0, 2, 0}), mpi, NodeMatch::name, "n0").rank == 0);
}

TEST_CASE("a mapping for other nodes is refused") {
  const Placement placement = placed({2, 0, 2, 0});
  CHECK_THROWS_WITH_AS((void)renumbered(placement, torch(0, 0, 2, 4), NodeMatch::name, "n1"),
                       "the mapping has no rank on this host, n1", Error);
  CHECK_THROWS_AS((void)renumbered(placement, torch(1, 0, 2, 4), NodeMatch::name, "n2.example.com"), Error);
  CHECK_THROWS_WITH_AS((void)renumbered(placement, torch(2, 0, 2, 4), NodeMatch::order, "n1"),
                       "the mapping has ranks on 2 nodes, but this is node rank 2", Error);
  CHECK_THROWS_WITH_AS((void)renumbered(placement, torch(0, 0, 4, 4), NodeMatch::name, "n0"),
                       "the mapping has 2 ranks on node n0, but torchrun has started 4 there", Error);
  CHECK_THROWS_WITH_AS((void)renumbered(placement, torch(0, 9, 2, 4), NodeMatch::name, "n0"),
                       "the mapping has 2 ranks on node n0, but LOCAL_RANK of this process is 9", Error);
}

TEST_CASE("whatever the mapping, the processes of a job take each rank once") {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> nodes;
    for (std::uint32_t i = 2 + random.below(8); i > 0; --i) nodes.push_back(random.below(3));
    const Placement placement = placed(nodes);
    for (const NodeMatch match : {NodeMatch::name, NodeMatch::order}) {
      std::set<std::size_t> taken;
      std::size_t node_rank = 0;
      for (std::size_t node = 0; node < placement.nodes.size(); ++node) {
        const std::size_t here = placement.ranks_by_node()[node].size();
        if (here == 0) continue;
        for (std::size_t local = 0; local < here; ++local) {
          const Process now =
              renumbered(placement, torch(node_rank, local, here, nodes.size()), match, placement.nodes[node].name);
          CHECK(placement.ranks[now.rank].node == node);
          CHECK(placement.ranks[now.rank].local_rank == local);
          taken.insert(now.rank);
        }
        ++node_rank;
      }
      CHECK(taken.size() == nodes.size());
    }
  }
}

TEST_CASE("variables of a rank") {
  const Process before = torch(1, 0, 2, 4);
  Process now = before;
  CHECK(rank_variables(before, now, variables({})).empty());
  now.rank = 1;
  CHECK(rank_variables(before, now, variables({{"WORLD_SIZE", "4"}})) == Variables{{"RANK", "1"}});
  CHECK(rank_variables(before, now, variables({{"ROLE_RANK", "2"}, {"ROLE_WORLD_SIZE", "4"}, {"WORLD_SIZE", "4"}})) ==
        Variables{{"RANK", "1"}, {"ROLE_RANK", "1"}});
  CHECK(rank_variables(before, now, variables({{"ROLE_RANK", "0"}, {"ROLE_WORLD_SIZE", "2"}, {"WORLD_SIZE", "4"}})) ==
        Variables{{"RANK", "1"}});
}

TEST_CASE("rank 0 stays where MASTER_ADDR is, unless torchrun listens there itself") {
  const Process before = torch(1, 0, 2, 4);
  Process now = before;
  now.rank = 0;
  CHECK_THROWS_AS((void)rank_variables(before, now, variables({})), Error);
  CHECK_THROWS_AS((void)rank_variables(before, now, variables({{"TORCHELASTIC_USE_AGENT_STORE", "False"}})), Error);
  CHECK(rank_variables(before, now, variables({{"TORCHELASTIC_USE_AGENT_STORE", "True"}})) == Variables{{"RANK", "0"}});
}
