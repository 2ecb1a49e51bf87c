// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/place_list.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

/// Two compute nodes of two GPUs.
Topology cluster() {
  TopologyBuilder builder("cluster");
  for (int n = 0; n < 2; ++n) {
    const VertexId node = builder.add_vertex({.kind = VertexKind::compute_node, .name = "n" + std::to_string(n)});
    for (int g = 0; g < 2; ++g) {
      const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu,
                                               .name = "GPU" + std::to_string(2 * n + g),
                                               .pci = PciAddress{0, static_cast<std::uint8_t>(16 * (2 * n + g)), 0, 0},
                                               .parent = node});
      builder.add_links({.from = gpu, .to = node, .kind = LinkKind::pcie});
      builder.add_place(PlaceKind::gpu, gpu, 3);
    }
  }
  builder.add_links({.from = VertexId(0), .to = VertexId(3), .kind = LinkKind::network});
  return std::move(builder).build();
}

std::vector<std::size_t> list(std::string_view text) {
  std::vector<std::size_t> indices;
  for (const Place place : parse_place_list(cluster(), text, "--allow")) indices.push_back(place.index());
  return indices;
}

}  // namespace

TEST_CASE("places by number, range, name and bus id, in the order given") {
  CHECK(list("3,0-1") == std::vector<std::size_t>{3, 0, 1});
  CHECK(list("GPU2, 0000:10:00.0") == std::vector<std::size_t>{2, 1});
}

TEST_CASE("wrong places are usage errors that say why") {
  CHECK_THROWS_WITH_AS((void)list("4"), "--allow: place '4' does not exist, 'cluster' has places 0 to 3", Error);
  CHECK_THROWS_WITH_AS((void)list("GPU9"), "--allow: unknown place 'GPU9', did you mean 'GPU0'?", Error);
  CHECK_THROWS_WITH_AS((void)list("2-1"), "--allow: '2-1' runs backwards", Error);
  CHECK_THROWS_WITH_AS((void)list("1,0-1"), "--allow: place 1 is listed twice", Error);
  CHECK_THROWS_AS((void)list(""), Error);
  CHECK_THROWS_AS((void)list("0,,1"), Error);
  CHECK_THROWS_AS((void)list("0-99999999999999999999"), Error);
}

TEST_CASE("a name of two places is refused, their numbers are not") {
  TopologyBuilder builder("alike");
  for (int p = 0; p < 3; ++p) {
    const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = p < 2 ? "GPU0" : "GPU1"});
    builder.add_place(PlaceKind::gpu, gpu);
  }
  const Topology machine = std::move(builder).build();
  CHECK_THROWS_WITH_AS((void)place_named(machine, "GPU0", "--fix"),
                       "--fix: 'GPU0' is the name of 2 places, 0 and 1 among them", Error);
  CHECK(place_named(machine, "GPU1", "--fix") == Place(2));
  CHECK(place_named(machine, "1", "--fix") == Place(1));
}

TEST_CASE("places of another kind hold what is below them") {
  const Topology nodes = with_places(cluster(), PlaceKind::node);
  REQUIRE(nodes.place_count() == 2);
  CHECK(nodes.place(Place(0)).capacity == 6);
  CHECK(nodes.vertex_of(Place(1)).name == "n1");
  CHECK(nodes.path_class(Place(0), Place(1)).kind == PathKind::network);
  CHECK(with_places(cluster(), PlaceKind::gpu).place_count() == 4);
  CHECK_THROWS_WITH_AS((void)with_places(cluster(), PlaceKind::core), "'cluster' has no place of kind 'core'", Error);
}
