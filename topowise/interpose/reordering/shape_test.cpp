// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/shape.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace topowise::interpose;
using namespace topowise::interpose::reordering;

namespace {

constexpr int kProcesses = 6;
const std::array<int, 8> kUnweighted{};
const std::array<int, 8> kEmpty{};

const Mpi& library() {
  static const Mpi m = [] {
    Mpi made{};
    made.family.proc_null = -2;
    made.family.unweighted = kUnweighted.data();
    made.family.weights_empty = kEmpty.data();
    return made;
  }();
  return m;
}

bool is_grid(std::array<int, 2> extents) {
  const std::array<int, 2> periodic{};
  return grid(kProcesses, 2, extents.data(), periodic.data()).valid;
}

}  // namespace

TEST_CASE("grids that fit the processes, and others") {
  CHECK(is_grid({2, 3}));
  CHECK(is_grid({1, 1}));
  CHECK(!is_grid({2, 4}));
  CHECK(!is_grid({-2, -3}));
  CHECK(!is_grid({0, 3}));
  CHECK(!is_grid({1 << 20, 1 << 20}));
  CHECK(!grid(kProcesses, 0, nullptr, nullptr).valid);
  CHECK(!grid(kProcesses, -1, nullptr, nullptr).valid);
}

TEST_CASE("the digest is of all that processes have to agree on, and of nothing else") {
  const std::array<int, 2> tall{3, 2};
  const std::array<int, 2> wide{2, 3};
  const std::array<int, 2> open{0, 0};
  const std::array<int, 2> closed{1, 0};
  const std::array<int, 2> closed_otherwise{-1, 0};  // .true. of some Fortran compilers
  const auto digest = [](const auto& extents, const auto& periodic) {
    return grid(kProcesses, 2, extents.data(), periodic.data()).digest;
  };
  CHECK(digest(tall, open) == digest(tall, open));
  CHECK(digest(tall, open) != digest(wide, open));
  CHECK(digest(tall, open) != digest(tall, closed));
  CHECK(digest(tall, closed) == digest(tall, closed_otherwise));
}

TEST_CASE("graphs that MPI takes, and others") {
  const std::array<int, 3> index{1, 2, 4};
  const std::array<int, 4> edges{1, 0, 2, 0};
  CHECK(graph(kProcesses, 3, index.data(), edges.data()).valid);
  CHECK(!graph(2, 3, index.data(), edges.data()).valid);
  CHECK(!graph(kProcesses, 0, index.data(), edges.data()).valid);
  CHECK(!graph(kProcesses, 3, nullptr, edges.data()).valid);
  CHECK(!graph(kProcesses, 3, index.data(), nullptr).valid);
  for (const std::array<int, 3> wrong : {std::array{2, 1, 4}, std::array{-1, 2, 4}, std::array{1, 2, 1}})
    CHECK(!graph(kProcesses, 3, wrong.data(), edges.data()).valid);
  for (const std::array<int, 4> wrong : {std::array{1, 0, 2, 3}, std::array{-1, 0, 2, 0}})
    CHECK(!graph(kProcesses, 3, index.data(), wrong.data()).valid);
}

TEST_CASE("edges of any process") {
  const std::array<int, 2> sources{5, 0};
  const std::array<int, 2> degrees{2, 1};
  const std::array<int, 3> destinations{0, 5, -2};  // -2 is MPI_PROC_NULL
  const std::array<int, 3> weights{7, 0, 3};
  const Shape stated =
      stated_edges(library(), kProcesses, 2, sources.data(), degrees.data(), destinations.data(), weights.data());
  CHECK(stated.valid);
  REQUIRE(stated.edges.size() == 2);
  CHECK((stated.edges[0].source == 5 && stated.edges[0].destination == 0 && stated.edges[0].weight == 7));
  CHECK(stated_edges(library(), kProcesses, 2, sources.data(), degrees.data(), destinations.data(), kUnweighted.data())
            .edges[1]
            .weight == 1);
  CHECK(stated_edges(library(), kProcesses, 0, nullptr, nullptr, nullptr, kEmpty.data()).valid);
  CHECK(!stated_edges(library(), kProcesses, -1, nullptr, nullptr, nullptr, kEmpty.data()).valid);
  CHECK(!stated_edges(library(), 5, 2, sources.data(), degrees.data(), destinations.data(), weights.data()).valid);
  CHECK(!stated_edges(library(), kProcesses, 2, sources.data(), degrees.data(), destinations.data(), kEmpty.data())
             .valid);
  const std::array<int, 3> negative{7, -1, 3};
  CHECK(!stated_edges(library(), kProcesses, 2, sources.data(), degrees.data(), destinations.data(), negative.data())
             .valid);
  const std::array<int, 2> no_degrees{-1, 1};
  CHECK(!stated_edges(library(), kProcesses, 2, sources.data(), no_degrees.data(), destinations.data(), weights.data())
             .valid);
}

TEST_CASE("edges of this process: those that leave it") {
  const std::array<int, 2> from{1, 2};
  const std::array<int, 1> to{4};
  const std::array<int, 1> weight{9};
  const Neighbors in{2, from.data(), weight.data()};
  const Shape own = own_edges(library(), kProcesses, 3, in, {1, to.data(), weight.data()});
  CHECK(own.valid);
  REQUIRE(own.edges.size() == 1);
  CHECK((own.edges[0].source == 3 && own.edges[0].destination == 4 && own.edges[0].weight == 9));
  CHECK(own_edges(library(), kProcesses, 3, {0, nullptr, kEmpty.data()}, {0, nullptr, kEmpty.data()}).valid);
  CHECK(!own_edges(library(), kProcesses, 3, {0, nullptr, kEmpty.data()}, {1, to.data(), kEmpty.data()}).valid);
  CHECK(!own_edges(library(), kProcesses, 3, in, {-1, to.data(), weight.data()}).valid);
  CHECK(!own_edges(library(), 2, 1, in, {0, nullptr, kEmpty.data()}).valid);
}
