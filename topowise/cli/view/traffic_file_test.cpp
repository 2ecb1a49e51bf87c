// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/traffic_file.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>

using namespace topowise;
using topowise::cli::traffic_file;

TEST_CASE("the suffix names the format") {
  const Traffic traffic =
      Traffic::from_entries(3, {{Rank(0), Rank(1), Bytes(1.5), 2}, {Rank(2), Rank(0), Bytes(1e15), 1}});
  CHECK(traffic_file(traffic, "a.csv", false) == "0,1.5,0\n0,0,0\n1000000000000000,0,0\n");
  CHECK(traffic_file(traffic, "a.txt", true) == "0 2 0\n0 0 0\n1 0 0\n");
  CHECK(traffic_file(traffic, "A.MTX", false) ==
        "%%MatrixMarket matrix coordinate real general\n% bytes from rank (row - 1) to rank (column - 1)\n3 3 2\n"
        "1 2 1.5\n3 1 1000000000000000\n");
  CHECK(traffic_file(traffic, "a.json", false).starts_with("{\n  \"schema\": \"topowise.traffic/1\""));
  for (const char* name : {"a.xls", "a", "dir.csv/a"}) CHECK_THROWS_AS((void)traffic_file(traffic, name, false), Error);
}

TEST_CASE("a dense file of very many ranks is refused") {
  const Traffic traffic = Traffic::from_entries(20000, {{Rank(0), Rank(1), Bytes(1), 1}});
  CHECK_THROWS_AS((void)traffic_file(traffic, "a.csv", false), Error);
  CHECK(traffic_file(traffic, "a.mtx", false).size() < 200);
}
