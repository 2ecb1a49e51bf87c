// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/metrics.hpp>

#include <doctest/doctest.h>

#include <topowise/graph/json.hpp>
#include <topowise/probe/figure.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/probe/pair_rounds.hpp>

using namespace topowise;
using namespace topowise::probe;

namespace {

/// Two root complexes with one switch each, two GPUs below each switch, and a fifth GPU alone on the first complex:
/// PIX (0,1) (2,3), PHB (0,4) (1,4), SYS the rest.
Topology small_machine() {
  TopologyBuilder builder("small");
  const VertexId numa0 = builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 0"});
  const VertexId numa1 = builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 1"});
  const auto below = [&](VertexId above, VertexKind kind, LinkKind link, const char* name) {
    const VertexId id = builder.add_vertex({.kind = kind, .name = name, .parent = above});
    builder.add_links({.from = id, .to = above, .kind = link});
    return id;
  };
  builder.add_links({.from = numa0, .to = numa1, .kind = LinkKind::inter_socket});
  const VertexId root0 = below(numa0, VertexKind::root_complex, LinkKind::host, "RC0");
  const VertexId root1 = below(numa1, VertexKind::root_complex, LinkKind::host, "RC1");
  const VertexId switch0 = below(root0, VertexKind::pcie_switch, LinkKind::pcie, "S0");
  const VertexId switch1 = below(root1, VertexKind::pcie_switch, LinkKind::pcie, "S1");
  for (const auto& [above, name] : {std::pair{switch0, "GPU0"}, std::pair{switch0, "GPU1"}, std::pair{switch1, "GPU2"},
                                    std::pair{switch1, "GPU3"}, std::pair{root0, "GPU4"}})
    builder.add_place(PlaceKind::gpu, below(above, VertexKind::gpu, LinkKind::pcie, name));
  return std::move(builder).build();
}

constexpr double kMicro = 1e-6;

/// Three equal samples.
SizeSamples times(double forth, double back, double both) {
  const auto three = [](double time) { return std::vector<double>(3, time * kMicro); };
  return {three(forth), three(back), three(both)};
}

/// Sizes 1 KiB, 4 KiB, 1 MB. Hand-made so that every mean is a short number.
Samples small_samples() {
  Samples samples{{1024, 4096, 1'000'000}, {}};
  samples.pairs = {
      {Place(0), Place(1), {times(2, 2, 2), times(2, 4, 4), times(100, 100, 100)}},   // PIX
      {Place(2), Place(3), {times(2, 2, 2), times(4, 6, 4), times(100, 100, 100)}},   // PIX: mean 4 us at 4 KiB
      {Place(0), Place(4), {times(9, 9, 9), times(5, 5, 4), times(160, 160, 200)}},   // PHB
      {Place(0), Place(2), {times(9, 9, 9), times(8, 8, 4), times(400, 400, 400)}}};  // SYS
  return samples;
}

}  // namespace

TEST_CASE("a figure is the median, and what lies far out is left out") {
  const double samples[] = {1.0, 1.1, 0.9, 1.05, 0.95, 9.0};
  const Figure figure = summarise(samples);
  CHECK(figure.outliers == 1);
  CHECK(figure.count == 5);
  CHECK(figure.median == 1.0);
  CHECK(figure.mean == doctest::Approx(1.0));
  CHECK(figure.spread == doctest::Approx(0.0790569));
  CHECK(summarise({}).count == 0);
  const double few[] = {1.0, 100.0};
  CHECK(summarise(few).outliers == 0);
}

TEST_CASE("the three metrics are those computed by hand") {
  const Topology machine = small_machine();
  REQUIRE(machine.levels().size() == 3);
  const Samples samples = small_samples();
  const std::vector<LevelFigures> levels = level_figures(machine, samples);
  CHECK(levels[0].pairs == 2);
  CHECK(levels[0].seconds[1] == doctest::Approx(4 * kMicro));
  CHECK(levels[1].seconds[2] == doctest::Approx(160 * kMicro));
  CHECK(levels[2].bytes_per_second[2] == doctest::Approx(2e6 / 400e-6));
  const Affinities worth = affinities(levels, samples.sizes);
  // Messages of 1 KiB never count. The bandwidth at 4 KiB is the same on every level and does not count either.
  CHECK(worth.latency_sizes == std::vector<std::size_t>{4096, 1'000'000});
  CHECK(worth.bandwidth_sizes == std::vector<std::size_t>{1'000'000});
  CHECK(worth.latency[0] == doctest::Approx((8.0 / 4 + 400.0 / 100) / 2));
  CHECK(worth.latency[1] == doctest::Approx((8.0 / 5 + 400.0 / 160) / 2));
  CHECK(worth.latency[2] == 1.0);
  CHECK(worth.bandwidth[0] == doctest::Approx(4.0));
  CHECK(worth.bandwidth[1] == doctest::Approx(2.0));
  CHECK(worth.bandwidth[2] == 1.0);
  CHECK(worth.distance == std::vector<double>{3, 2, 1});
  const std::vector<double> matrix = by_pair(machine, worth.bandwidth);
  CHECK(matrix[0 * 5 + 1] == doctest::Approx(4.0));
  CHECK(matrix[4 * 5 + 1] == doctest::Approx(2.0));  // not measured: it gets the value of its level
  CHECK(matrix[3 * 5 + 3] == 0.0);
}

TEST_CASE("one level, or none that differs: everything is 1") {
  const Topology machine = small_machine();
  Samples samples = small_samples();
  samples.pairs.resize(2);
  const Affinities worth = affinities(level_figures(machine, samples), samples.sizes);
  CHECK(worth.latency == std::vector<double>{1, 0, 0});
  CHECK(worth.latency_sizes.empty());
}

TEST_CASE("the measured machine has the values, their statistics and costs by affinity, also after writing") {
  const Topology machine = small_machine();
  const Topology measured =
      with_measurements(machine, small_samples(), {"measured:probe", "2026-01-02T03:04:05Z"}, {{.tau = 0.2}, {}, {}});
  const Topology read = topology_from_json("copy", to_json(measured));
  for (const Topology* topology : {&measured, &read}) {
    CHECK(topology->latency(Place(0), Place(4)).value() == doctest::Approx(9 * kMicro));
    CHECK(topology->bandwidth(Place(0), Place(4)).value() == doctest::Approx(1e6 / 160e-6));
    CHECK(topology->bandwidth(Place(4), Place(1)).value() == doctest::Approx(1e6 / 160e-6));
    CHECK(topology->pair_cost(Metric::bandwidth, Place(0), Place(1)) == 1.0);
    CHECK(topology->pair_cost(Metric::bandwidth, Place(1), Place(3)) == doctest::Approx(4.0));
    CHECK(topology->pair_cost(Metric::latency, Place(1), Place(4)) == doctest::Approx(3.0 / 2.05));
    CHECK(topology->pair_cost(Metric::distance, Place(1), Place(3)) == 3.0);
    const PairMatrix& matrix = *topology->pair_matrix(Metric::latency);
    CHECK(matrix.statistics.count[0 * 5 + 1] == 3);
    CHECK(matrix.statistics.count[1 * 5 + 4] == 0);
    CHECK(matrix.statistics.date == "2026-01-02T03:04:05Z");
    CHECK(topology->congestion().tau == 0.2);
    CHECK(to_string(topology->path_class(Place(0), Place(4))) == "PHB");
  }
}

TEST_CASE("odd pairs and uneven directions are reported") {
  const Topology machine = small_machine();
  Samples samples = small_samples();
  CHECK(findings(machine, samples).empty());
  samples.pairs[1].by_size.back() = times(200, 100, 100);
  samples.pairs[0].by_size.front().forth = {1e-6, 1e-6, 1e-6, 1.1e-6, 1e-6, 50e-6};
  const std::vector<std::string> all = findings(machine, samples);
  REQUIRE(all.size() == 2);
  CHECK(all[0] == "1 of 111 samples are outliers and left out, 1 of them of GPU0-GPU1");
  CHECK(all[1] == "GPU2-GPU3: 5 GB/s forth, 10 GB/s back");
}

TEST_CASE("pairs of one round share nothing") {
  const Topology machine = small_machine();
  const auto all = rounds(machine, all_pairs(5), 16);
  std::size_t pairs = 0;
  for (const auto& round : all) pairs += round.size();
  CHECK(pairs == 10);
  REQUIRE(all.front().size() == 2);  // (0,1) and (2,3) are below different switches
  CHECK(all.front()[1] == PairOfPlaces{Place(2), Place(3)});
  CHECK(rounds(machine, all_pairs(5), 1).size() == 10);
}
