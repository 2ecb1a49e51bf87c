// SPDX-License-Identifier: BSD-3-Clause
// The order of events, on a memory with made-up times.
#include <topowise/probe/measure.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include <topowise/base/error.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/host_memory.hpp>

using namespace topowise;
using namespace topowise::probe;

namespace {

constexpr double kBandwidth = 10e9;
constexpr double kTau = 0.2;

/// GPUs 0 and 1 below one switch and GPU 2 below another, on one root complex of the first socket; GPU 3 on the second
/// socket.
Topology one_and_a_half_sockets() {
  TopologyBuilder builder("sockets");
  const VertexId numa[] = {builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 0"}),
                           builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 1"})};
  const auto below = [&](VertexId above, VertexKind kind, LinkKind link, const char* name, const char* cpus = "") {
    const VertexId id = builder.add_vertex({.kind = kind, .name = name, .cpus = cpus, .parent = above});
    builder.add_links({.from = id, .to = above, .kind = link, .bandwidth = BytesPerSecond(16e9), .source = "nominal"});
    return id;
  };
  builder.add_links({.from = numa[0], .to = numa[1], .kind = LinkKind::inter_socket, .bandwidth = BytesPerSecond(9e9)});
  const VertexId root = below(numa[0], VertexKind::root_complex, LinkKind::host, "RC0");
  const VertexId left = below(root, VertexKind::pcie_switch, LinkKind::pcie, "S0");
  const VertexId right = below(root, VertexKind::pcie_switch, LinkKind::pcie, "S1");
  const VertexId other = below(numa[1], VertexKind::root_complex, LinkKind::host, "RC1");
  for (const auto& [above, name] :
       {std::pair{left, "GPU0"}, std::pair{left, "GPU1"}, std::pair{right, "GPU2"}, std::pair{other, "GPU3"}})
    builder.add_place(PlaceKind::gpu, below(above, VertexKind::gpu, LinkKind::pcie, name, "0"));
  return std::move(builder).build();
}

/// Answers by the congestion model: a message alone has the rate B (4 GB/s between the sockets) after 1 us; two
/// messages to one GPU share B by tau.
class MadeUp final : public Memory {
 public:
  explicit MadeUp(const Topology& machine) : machine_(machine) {}

  [[nodiscard]] std::string description() const override { return "made up"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] std::vector<Place> places() const override { return {Place(0), Place(1), Place(2), Place(3)}; }
  [[nodiscard]] std::size_t most_at_once() const override { return 4; }
  [[nodiscard]] std::unique_ptr<Line> connect(Place first, Place second, std::size_t largest) override;

  std::atomic<int> ping_pongs{0};
  std::optional<PairOfPlaces> broken;

 private:
  friend class MadeUpLine;
  const Topology& machine_;
};

class MadeUpLine final : public Line {
 public:
  MadeUpLine(MadeUp& memory, Place first, Place second)
      : memory_(memory), path_(memory.machine_.path_class(first, second)) {}

  double send(std::size_t bytes) override {
    const bool far = path_.kind == PathKind::phb;
    return static_cast<double>(bytes) / (kBandwidth * (far ? 0.5 - kTau : 0.5 + kTau));
  }
  PingPong ping_pong(std::size_t bytes) override {
    ++memory_.ping_pongs;
    const double rate = path_.kind == PathKind::sys ? 4e9 : kBandwidth;
    const double time = 1e-6 + static_cast<double>(bytes) / rate;
    return {time, time};
  }
  double both_ways(std::size_t /*bytes*/) override { return 0.0; }

 private:
  MadeUp& memory_;
  PathClass path_;
};

std::unique_ptr<Line> MadeUp::connect(Place first, Place second, std::size_t /*largest*/) {
  if (broken == PairOfPlaces{first, second}) throw not_available("the GPU is lost");
  return std::make_unique<MadeUpLine>(*this, first, second);
}

}  // namespace

TEST_CASE("every pair and size is measured as often as planned, in the order of the plan") {
  const Topology machine = one_and_a_half_sockets();
  MadeUp memory(machine);
  const Plan plan{{1000, 1'000'000}, all_pairs(4), 5, 2};
  std::vector<std::size_t> progress;
  const Samples samples = measure(machine, memory, plan, [&](std::size_t done) { progress.push_back(done); });
  CHECK(memory.ping_pongs == 6 * 2 * 7);
  CHECK(progress.back() == 6);
  REQUIRE(samples.pairs.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(PairOfPlaces{samples.pairs[i].first, samples.pairs[i].second} == plan.pairs[i]);
    for (const SizeSamples& size : samples.pairs[i].by_size) {
      CHECK(size.forth.size() == 5);
      CHECK(size.both == std::vector<double>(5, 1e-9));  // the value for a clock that stood still
    }
  }
}

TEST_CASE("an error of one line ends the measurement with its own words") {
  const Topology machine = one_and_a_half_sockets();
  MadeUp memory(machine);
  memory.broken = PairOfPlaces{Place(2), Place(3)};
  CHECK_THROWS_WITH_AS((void)measure(machine, memory, {{1000}, all_pairs(4), 1, 0}, [](std::size_t) {}),
                       "the GPU is lost", Error);
}

TEST_CASE("calibration finds what the messages were made by") {
  const Topology machine = one_and_a_half_sockets();
  MadeUp memory(machine);
  const Samples samples = measure(machine, memory, {{1000, 1'000'000}, all_pairs(4), 5, 0}, [](std::size_t) {});
  CHECK(steady_rate(samples, samples.pairs[0]) == doctest::Approx(kBandwidth));  // without the microsecond
  CHECK(start_up(samples)->value() == doctest::Approx(1e-6));
  const std::vector<CompetingTransfers> found = competing_transfers(machine, memory.places(), 4);
  REQUIRE(found.size() == 2);
  CHECK(found[0].target == Place(0));
  CHECK(found[0].near == Place(1));
  CHECK(found[0].far == Place(2));
  const Calibration calibration = calibrate(machine, samples, memory, 5);
  REQUIRE(calibration.parameters.link_bandwidth);
  REQUIRE(calibration.parameters.tau);
  CHECK(calibration.parameters.link_bandwidth->value() == doctest::Approx(kBandwidth));
  CHECK(*calibration.parameters.tau == doctest::Approx(kTau));
  CHECK(std::ranges::count(calibration.notes,
                           "a message takes 1 us beside its bytes, which 'predict --startup' adds") == 1);
  REQUIRE(calibration.links.size() == 2);  // both directions between the sockets
  CHECK(calibration.links.begin()->second.value() == doctest::Approx(4e9));
}

TEST_CASE("tau of messages alone is what those behind the root complex lose") {
  const Topology machine = one_and_a_half_sockets();
  const auto samples = [](double near, double far) {
    return Samples{{1'000'000},
                   {{Place(0), Place(1), {{{near}, {near}, {near}}}},
                    {Place(0), Place(2), {{{far}, {far}, {far}}}},
                    {Place(0), Place(3), {{{9.0}, {9.0}, {9.0}}}}}};
  };
  CHECK(*tau_of_messages_alone(machine, samples(1, 1.21)) == doctest::Approx(0.17355).epsilon(1e-4));
  CHECK(*tau_of_messages_alone(machine, samples(1, 1)) == 0);
  CHECK_FALSE(tau_of_messages_alone(machine, samples(1, 2.1)));
  CHECK_FALSE(tau_of_messages_alone(machine, samples(1, 0.9)));
  Samples near_only = samples(1, 1);
  near_only.pairs.resize(1);
  CHECK_FALSE(tau_of_messages_alone(machine, near_only));
}

TEST_CASE("without a switch nothing is calibrated, and it is said") {
  const Topology machine = one_and_a_half_sockets();
  MadeUp memory(machine);
  const Samples samples = measure(machine, memory, {{1000}, {{Place(0), Place(3)}}, 5, 0}, [](std::size_t) {});
  const Calibration calibration = calibrate(machine, samples, memory, 5);
  CHECK(calibration.parameters.empty());
  CHECK_FALSE(start_up(samples));  // of one size
  CHECK(calibration.notes.back().find("not measured") != std::string::npos);
}

TEST_CASE("messages through host memory arrive, both ways too") {
  const Topology machine = one_and_a_half_sockets();
  HostMemory memory(machine);
  const Samples samples = measure(machine, memory, {{1, 5000}, {{Place(0), Place(1)}}, 20, 1}, [](std::size_t) {});
  for (const SizeSamples& size : samples.pairs[0].by_size) {
    CHECK(size.forth.size() == 20);
    for (const std::vector<double>* times : {&size.forth, &size.back, &size.both}) {
      for (const double time : *times) CHECK(time > 0);
    }
  }
}
