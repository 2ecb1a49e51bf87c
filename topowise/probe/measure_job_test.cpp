// SPDX-License-Identifier: BSD-3-Clause
// Threads act as the ranks. Where times matter, a memory with made-up times stands in for MPI.
#include <topowise/probe/measure_job.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/thread_team.hpp>
#include <topowise/probe/job_rank.hpp>
#include <topowise/probe/measured_topology.hpp>

using namespace topowise;
using namespace topowise::probe;
using namespace topowise::fixtures;

namespace {

const std::vector<JobRank> kTwoHosts{{.host = "a-1.cluster", .cpus = "0-1"},
                                     {.host = "a-1.cluster", .cpus = "2-3"},
                                     {.host = "b-2.cluster", .cpus = "0-1"},
                                     {.host = "b-2.cluster", .cpus = "2-3"}};

/// 1 us and 10 GB/s on a host, 5 us and 1 GB/s between hosts; every second sample takes a little longer.
Samples two_host_samples() {
  Samples samples{{1000, 1'000'000}, {}};
  for (const auto& [a, b] : all_pairs(4)) {
    const bool near = a.index() / 2 == b.index() / 2;
    PairSamples& pair = samples.pairs.emplace_back(PairSamples{a, b, {}});
    for (const std::size_t size : samples.sizes) {
      const double time = (near ? 1e-6 : 5e-6) + static_cast<double>(size) / (near ? 10e9 : 1e9);
      pair.by_size.push_back({{time, 1.02 * time}, {time, 1.02 * time}, {time, time}});
    }
  }
  return samples;
}

}  // namespace

TEST_CASE("every pair of a job is measured once, and process 0 has all of it in the order of the plan") {
  constexpr std::size_t kRanks = 5;
  Samples samples;
  std::vector<std::size_t> progress;
  as_team(kRanks, [&](const ThreadTeam& team) {
    const std::vector<JobRank> ranks = gather_ranks(team, {.host = team.rank() < 3 ? "x" : "y", .cpus = "0"});
    const HostNumbers hosts = number_hosts(ranks);
    const Topology machine = machine_of(ranks);
    JobPlan job{{{1, 5000}, all_pairs(kRanks), 7, 2}, {}, {0, 1, 2, 3, 4}, hosts.of_rank};
    job.rounds = job_rounds(machine, tournament(kRanks), hosts.of_rank, Sharing::host, kRanks);
    const std::unique_ptr<RankMemory> memory = host_rank_memory(team, job.plan.sizes.back());
    JobSamples measured = measure_in_job(team, team, *memory, job, [&](std::size_t done) {
      if (team.rank() == 0) progress.push_back(done);
    });
    CHECK(measured.ways == std::array<std::size_t, kWays>{10, 0, 0, 0});
    CHECK(measured.reasons.empty());
    CHECK(measured.samples.pairs.empty() == (team.rank() != 0));
    if (team.rank() == 0) samples = std::move(measured.samples);
  });
  CHECK(progress.back() == 10);
  REQUIRE(samples.pairs.size() == 10);
  const std::vector<PairOfPlaces> expected = all_pairs(kRanks);
  for (std::size_t i = 0; i < samples.pairs.size(); ++i) {
    CHECK(PairOfPlaces{samples.pairs[i].first, samples.pairs[i].second} == expected[i]);
    for (const SizeSamples& size : samples.pairs[i].by_size) {
      for (const std::vector<double>* times : {&size.forth, &size.back, &size.both}) {
        REQUIRE(times->size() == 7);
        for (const double time : *times) CHECK(time > 0);
      }
      CHECK(size.forth == size.back);
    }
  }
}

TEST_CASE("a machine is made of what its ranks say, and its levels of what was measured") {
  const HostNumbers hosts = number_hosts(kTwoHosts);
  CHECK(hosts.names == std::vector<std::string>{"a-1.cluster", "b-2.cluster"});
  const auto near = [&](const PairOfPlaces& pair) {
    return hosts.of_rank[pair.first.index()] == hosts.of_rank[pair.second.index()];
  };
  const Samples samples = two_host_samples();
  const MeasuredClasses classes = measured_classes(samples, near);
  const Topology machine = machine_of(kTwoHosts, [&](std::size_t a, std::size_t b) {
    return classes.of_pair.at({Place(a), Place(b)});
  });
  REQUIRE(machine.place_count() == 4);
  CHECK(machine.vertex_of(Place(1)).name == "a-1.cluster/1");
  CHECK(machine.vertex_of(Place(2)).node == "b-2.cluster");
  CHECK(machine.vertex_of(Place(3)).cpus == "2-3");
  REQUIRE(machine.levels().size() == 2);
  CHECK(machine.level(Place(0), Place(1)) == 0);
  CHECK(machine.level(Place(1), Place(2)) == 1);
  const Topology measured = with_measurements(machine, samples, {"measured:probe", "now"});
  CHECK(measured.latency(Place(0), Place(2)).value() == doctest::Approx(1.01 * 6e-6));
  CHECK(measured.bandwidth(Place(2), Place(3)).value() == doctest::Approx(1e6 / 101e-6).epsilon(0.02));
  // Only one size is above 2 KiB: it takes 1005 us between hosts and 101 us on a host.
  CHECK(measured.pair_cost(Metric::latency, Place(0), Place(3)) == doctest::Approx(1005.0 / 101));
}

TEST_CASE("pairs of one host are never farther than others, and classes begin at gaps") {
  Samples samples{{5000}, {}};
  const std::vector<std::pair<std::size_t, double>> others{{1, 9e-6}, {2, 3.0e-6}, {3, 3.5e-6}, {4, 4.0e-6}, {5, 8e-6}};
  for (const auto& [b, time] : others) samples.pairs.push_back({Place(0), Place(b), {{{time}, {time}, {time}}}});
  const MeasuredClasses classes =
      measured_classes(samples, [](const PairOfPlaces& pair) { return pair.second == Place(1); });
  const auto grade = [&](std::size_t b) { return classes.of_pair.at({Place(0), Place(b)}).grade; };
  CHECK(grade(1) == 1);  // slow, but on the same host
  CHECK(grade(2) == 2);
  CHECK(grade(3) == 2);
  CHECK(grade(4) == 2);
  CHECK(grade(5) == 3);
  CHECK(classes.farthest_near.grade == 1);
  CHECK(classes.farthest_far.grade == 3);
}

TEST_CASE("a host with one rank is a place itself") {
  const Topology machine =
      machine_of({{.host = "a", .cpus = "0"}, {.host = "b", .cpus = "0"}, {.host = "b", .cpus = "1"}});
  CHECK(machine.place(Place(0)).kind == PlaceKind::node);
  CHECK(machine.vertex_of(Place(0)).name == "a");
  CHECK(machine.place(Place(2)).kind == PlaceKind::core);
}

TEST_CASE("ranks are found on the places of a known machine") {
  TopologyBuilder builder("known");
  for (const char* name : {"B-2", "c-3", "A-1"})
    builder.add_place(PlaceKind::node, builder.add_vertex({.kind = VertexKind::compute_node, .name = name}));
  const auto on_nodes = ranks_on(std::move(builder).build(), kTwoHosts);
  CHECK(on_nodes == std::vector<std::optional<std::size_t>>{2, std::nullopt, 0});

  TopologyBuilder gpus("node");
  for (const char* pci : {"0000:02:00.0", "0000:01:00.0", "0000:03:00.0"})
    gpus.add_place(PlaceKind::gpu,
                   gpus.add_vertex({.kind = VertexKind::gpu, .name = pci, .pci = PciAddress::parse(pci)}));
  const std::vector<JobRank> two{{.host = "x", .cpus = "0", .gpu_pci = "0000:01:00.0"},
                                 {.host = "x", .cpus = "0", .gpu_pci = "0000:02:00.0"}};
  CHECK(ranks_on(std::move(gpus).build(), two) == std::vector<std::optional<std::size_t>>{1, 0, std::nullopt});

  TopologyBuilder slots("slots");
  for (int i = 0; i < 4; ++i)
    slots.add_place(PlaceKind::slot, slots.add_vertex({.kind = VertexKind::group, .name = "slot"}));
  CHECK(ranks_on(std::move(slots).build(), kTwoHosts) == std::vector<std::optional<std::size_t>>{0, 1, 2, 3});
}

TEST_CASE("the place of each rank: several on a node, GPUs that nobody names by their bus ids") {
  TopologyBuilder nodes("two nodes");
  for (const char* name : {"b-2", "a-1"})
    nodes.add_place(PlaceKind::node, nodes.add_vertex({.kind = VertexKind::compute_node, .name = name, .node = name}),
                    2);
  const Topology cluster = std::move(nodes).build();
  CHECK(places_of(cluster, kTwoHosts) == std::vector<std::optional<Place>>{Place(1), Place(1), Place(0), Place(0)});

  TopologyBuilder gpus("a preset");
  for (int i = 0; i < 3; ++i) gpus.add_place(PlaceKind::gpu, gpus.add_vertex({.kind = VertexKind::gpu, .name = "GPU"}));
  const Topology node = std::move(gpus).build();
  std::vector<JobRank> ranks{{.host = "x", .gpu_pci = "0000:b1:00.0"},
                             {.host = "x", .gpu_pci = "0000:05:00.0"},
                             {.host = "x", .gpu_pci = "0000:41:00.0"}};
  CHECK(places_of(node, ranks) == std::vector<std::optional<Place>>{Place(2), Place(0), Place(1)});
  ranks[2].gpu_pci = ranks[1].gpu_pci;
  CHECK(places_of(node, ranks) == std::vector<std::optional<Place>>(3));
  ranks.pop_back();
  CHECK(places_of(node, ranks) == std::vector<std::optional<Place>>(2));
}
