// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

/// All pieces together are the whole matrix, and no two pieces have the same rank.
void check_pieces(const std::string& argument) {
  CAPTURE(argument);
  const Traffic whole = read_traffic(argument);
  for (const std::size_t pieces : {1, 3, 50}) {
    CAPTURE(pieces);
    std::vector<TrafficEntry> joined;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::optional<TrafficRows> rows = read_traffic_rows(argument, {}, piece, pieces);
      REQUIRE(rows);
      REQUIRE(rows->ranks == whole.ranks());
      for (const TrafficEntry& entry : rows->entries) {
        CHECK(piece_of(whole.ranks(), piece, pieces).contains(entry.source.index()));
        joined.push_back(entry);
      }
    }
    const Traffic again = Traffic::from_entries(whole.ranks(), joined);
    CHECK(std::ranges::equal(again.entries(), whole.entries()));
  }
}

}  // namespace

TEST_CASE("patterns and METIS files by pieces") {
  for (const char* argument : {"pattern:stencil2d:5x7:w=3", "pattern:torus3d:2x3x4", "pattern:hypercube:4",
                               "pattern:ring:11", "pattern:ring:1", "pattern:alltoall:9",
                               "pattern:random:31:degree=5:seed=4", "pattern:transpose:4x6", "pattern:llm:2x2x4"})
    check_pieces(argument);
  const std::string path = "rows_test.graph";
  std::ofstream(path) << "% remark\n4 3 1\n2 5\n1 5 3 7\n% another\n2 7 4 1\n3 1\n";
  check_pieces(path);
  std::filesystem::remove(path);
  CHECK_FALSE(read_traffic_rows("-", {}, 0, 2));
}
