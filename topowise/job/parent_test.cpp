// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/parent.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

/// Two nodes, n0 and n1, with so many ranks each.
Placement placement_of(std::size_t on_first, std::size_t on_second) {
  Placement placement{"two", {{"n0", {}}, {"n1", {}}}, {}};
  for (std::size_t k = 0; k < on_first; ++k) placement.ranks.push_back({0, k, k, "place", ""});
  for (std::size_t k = 0; k < on_second; ++k) placement.ranks.push_back({1, k, k, "place", ""});
  return placement;
}

}  // namespace

TEST_CASE("a lone process before a mapping of several ranks makes the workers") {
  CHECK(node_of_parent(placement_of(8, 0), {}, NodeMatch::name, "any") == 0);
  CHECK(node_of_parent(placement_of(0, 8), {}, NodeMatch::name, "any") == 1);
  CHECK(node_of_parent(placement_of(8, 0), {"Slurm", 0, 0, 1, 1}, NodeMatch::name, "any") == 0);
}

TEST_CASE("so does one process on each node, which it finds by its name or its rank") {
  CHECK(node_of_parent(placement_of(4, 4), {"Slurm", 0, 0, 2, 1}, NodeMatch::name, "n1.a.org") == 1);
  CHECK(node_of_parent(placement_of(4, 4), {"Slurm", 1, 0, 2, 1}, NodeMatch::order, "x") == 1);
  CHECK_THROWS_WITH_AS((void)node_of_parent(placement_of(4, 4), {"Slurm", 1, 0, 2, 1}, NodeMatch::name, "x"),
                       "the mapping has no rank on this host, x", Error);
}

TEST_CASE("a rank of a job is no such process") {
  CHECK_FALSE(node_of_parent(placement_of(8, 0), {"x", 0, 0, 8, 8}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(8, 0), {"x", 0, 0, 4, 4}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(1, 0), {}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(1, 1), {"x", 0, 0, 2, 1}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(4, 4), {"x", 0, 0, 2, 2}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(4, 4), {}, NodeMatch::name, "n0"));
  // PRRTE alone sets no size, others no number of ranks on the node.
  CHECK_FALSE(node_of_parent(placement_of(8, 0), {"PMIx", 3, {}, {}, {}}, NodeMatch::name, "n0"));
  CHECK_FALSE(node_of_parent(placement_of(4, 4), {"PALS", 1, {}, 2, {}}, NodeMatch::name, "n0"));
  CHECK(node_of_parent(placement_of(8, 0), {"PALS", 0, {}, 1, {}}, NodeMatch::name, "n0") == 0);
}
