// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

using namespace topowise;

namespace {

/// Two root complexes with one GPU and one NIC each, joined by a link whose rate no one states. `machine` is JSON text
/// about the whole machine, `first` about the first root complex.
Topology two_root_complexes(const std::string& machine, const std::string& first) {
  std::string text = R"({"schema": "topowise.topology/1", )" + machine + R"("vertices": [)";
  for (int rc = 0; rc < 2; ++rc) {
    const std::string name = std::to_string(rc);
    text += R"({"kind": "root-complex", "name": "RC)" + name + "\"" + (rc == 0 ? first : "") + "}, ";
    text += R"({"kind": "gpu", "name": "GPU)" + name + R"(", "parent": "RC)" + name + R"("}, )";
    text += R"({"kind": "nic", "name": "NIC)" + name + R"(", "parent": "RC)" + name + (rc == 0 ? "\"}, " : "\"}], ");
  }
  text += R"("places": [{"kind": "gpu", "vertex": "GPU0"}, {"kind": "gpu", "vertex": "NIC0"},
    {"kind": "gpu", "vertex": "GPU1"}, {"kind": "gpu", "vertex": "NIC1"}], "links": [)";
  for (const std::string rc : {"0", "1"}) {
    for (const std::string device : {"GPU", "NIC"}) {
      for (const bool up : {true, false}) {
        const std::string ends[] = {device + rc, "RC" + rc};
        text += R"({"kind": "pcie", "from": ")" + ends[up ? 0 : 1] + R"(", "to": ")" + ends[up ? 1 : 0] +
                R"(", "bandwidth_bytes_per_s": 8e9}, )";
      }
    }
  }
  text +=
      R"({"kind": "inter-socket", "from": "RC0", "to": "RC1"}, {"kind": "inter-socket", "from": "RC1", "to": "RC0"}]})";
  return topology_from_json("machine.json", text);
}

/// The rate in bytes/s of a message alone.
double rate(const Topology& topology, std::size_t from, std::size_t to, const CongestionParameters& parameters = {}) {
  CongestionModel model(topology, CongestionModelName::automatic, parameters);
  return model.rate_alone(model.flow(Place(from), Place(to)));
}

std::string refusal(const std::string& machine, const std::string& first) {
  try {
    (void)two_root_complexes(machine, first);
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("congestion parameters: the nominal bandwidth and the paper's tau if nobody states any") {
  const Topology topology = two_root_complexes("", "");
  for (const std::size_t rc : {0, 2}) CHECK(rate(topology, rc, rc + 1) == doctest::Approx(8e9 * (1 - kPaperTau)));
}

TEST_CASE("congestion parameters: of the machine, of a root complex, of the user") {
  const Topology topology = two_root_complexes(R"("congestion": {"link_bandwidth_bytes_per_s": 6e9, "tau": 0.25}, )",
                                               R"(, "congestion": {"tau": 0})");
  CHECK(rate(topology, 0, 1) == doctest::Approx(6e9));  // tau of the first root complex, bandwidth of the machine
  CHECK(rate(topology, 2, 3) == doctest::Approx(6e9 * 0.75));  // tau and bandwidth of the machine
  CHECK(rate(topology, 2, 0) == doctest::Approx(6e9));  // into the first root complex; the link between has no rate
  CHECK(rate(topology, 0, 2) == doctest::Approx(6e9 * 0.75));
  const CongestionParameters user{.link_bandwidth = BytesPerSecond(4e9), .tau = 0.5 / 2};
  for (const std::size_t rc : {0, 2}) CHECK(rate(topology, rc, rc + 1, user) == doctest::Approx(3e9));
  const Topology measured =
      two_root_complexes("", R"(, "congestion": {"link_bandwidth_bytes_per_s": 10e9, "tau": 0.1})");
  CHECK(rate(measured, 0, 1) == doctest::Approx(9e9));
  CHECK(rate(measured, 2, 3) == doctest::Approx(8e9 * (1 - kPaperTau)));
}

TEST_CASE("congestion parameters: max-min takes each root complex's own tau") {
  const Topology topology = two_root_complexes("", R"(, "congestion": {"tau": 0.4})");
  CongestionModel model(topology, CongestionModelName::max_min);
  CHECK(model.rate_alone(model.flow(Place(0), Place(1))) == doctest::Approx(8e9 * 0.6));
  CHECK(model.rate_alone(model.flow(Place(2), Place(3))) == doctest::Approx(8e9 * (1 - kPaperTau)));
}

TEST_CASE("congestion parameters: what is out of range is refused with its position") {
  CHECK(refusal(R"("congestion": {"tau": 0.5}, )", "") == "congestion.tau: tau is '0.5', it must be in [0, 0.5)");
  CHECK(refusal(R"("congestion": {"link_bandwidth_bytes_per_s": 0}, )", "") ==
        "congestion.link_bandwidth_bytes_per_s: '0' is not above 0");
  CHECK(refusal("", R"(, "congestion": {"tau": -1})") ==
        "vertices[0].congestion.tau: tau is '-1', it must be in [0, 0.5)");
  TopologyBuilder builder("m");
  builder.add_place(PlaceKind::gpu, builder.add_vertex({.name = "GPU0"}));
  builder.set_congestion({.tau = 0.7});
  CHECK_THROWS_WITH_AS((void)std::move(builder).build(), "tau of 'm' is '0.7', it must be in [0, 0.5)", Error);
}
