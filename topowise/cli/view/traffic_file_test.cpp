// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/traffic_file.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>

using namespace topowise;
using topowise::cli::traffic_file;

TEST_CASE("the suffix names the format") {
  const Traffic traffic =
      Traffic::from_entries(3, {{Rank(0), Rank(1), Bytes(1.5), 2}, {Rank(2), Rank(0), Bytes(1e15), 1}});
  CHECK(traffic_file(traffic, "a.csv", "bytes") == "0,1.5,0\n0,0,0\n1000000000000000,0,0\n");
  CHECK(traffic_file(traffic, "a.csv", "") == "source,destination,bytes,messages\n0,1,1.5,2\n2,0,1000000000000000,1\n");
  CHECK(traffic_file(traffic, "a.txt", "messages") == "0 2 0\n0 0 0\n1 0 0\n");
  CHECK(traffic_file(traffic, "A.MTX", "") ==
        "%%MatrixMarket matrix coordinate real general\n% bytes from rank (row - 1) to rank (column - 1)\n3 3 2\n"
        "1 2 1.5\n3 1 1000000000000000\n");
  CHECK(traffic_file(traffic, "a.json", "").starts_with("{\n  \"schema\": \"topowise.traffic/1\""));
  for (const char* name : {"a.xls", "a", "dir.csv/a"}) CHECK_THROWS_AS((void)traffic_file(traffic, name, ""), Error);
}

TEST_CASE("a dense file of very many ranks is refused") {
  const Traffic traffic = Traffic::from_entries(20000, {{Rank(0), Rank(1), Bytes(1), 1}});
  CHECK_THROWS_AS((void)traffic_file(traffic, "a.csv", "bytes"), Error);
  CHECK(traffic_file(traffic, "a.csv", "") == "source,destination,bytes,messages\n0,1,1,1\n19999,19999,0,0\n");
  CHECK(traffic_file(traffic, "a.mtx", "").size() < 200);
}

TEST_CASE("what a file loses") {
  const Traffic several = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(8), 2}});
  const Traffic one = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(8), 1}});
  for (const char* name : {"a.txt", "a.MTX"}) {
    CHECK(cli::loses_messages(several, name, ""));
    CHECK_FALSE(cli::loses_messages(several, name, "bytes"));  // asked for
    CHECK_FALSE(cli::loses_messages(one, name, ""));
  }
  for (const char* name : {"a.csv", "a.json", "-"}) CHECK_FALSE(cli::loses_messages(several, name, ""));
}
