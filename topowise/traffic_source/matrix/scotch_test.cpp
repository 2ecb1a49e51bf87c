// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

using namespace topowise;

namespace {

std::string refusal(const std::string& text) {
  try {
    (void)read_scotch("g", text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.position.line) + ": " + first.what;
  }
  return "accepted";
}

/// A path of three vertices: 0 - 1 of load 5, 1 - 2 of load 7.
void check_path(const std::string& text, double first, double second) {
  CAPTURE(text);
  CHECK(looks_like_scotch(text));
  const Traffic traffic = read_scotch("g", text);
  CHECK(traffic.ranks() == 3);
  CHECK(traffic.entries().size() == 4);
  CHECK(traffic.bytes(Rank(0), Rank(1)).value() == first);
  CHECK(traffic.bytes(Rank(1), Rank(0)).value() == first);
  CHECK(traffic.bytes(Rank(1), Rank(2)).value() == second);
  CHECK(traffic.bytes(Rank(2), Rank(1)).value() == second);
}

}  // namespace

TEST_CASE("graphs with and without loads and labels, counted from 0 or 1") {
  check_path("0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n", 1, 1);
  check_path("0\n3\t4\n1\t000\n1\t2\n2\t1\t3\n1\t2\n", 1, 1);
  check_path("0\n3 4\n0 010\n1 5 1\n2 5 0 7 2\n1 7 1\n", 5, 7);
  check_path("0\n3 4\n0 011\n9 1 5 1\n9 2 5 0 7 2\n9 1 7 1\n", 5, 7);
  check_path("0\n3 4\n1 110\n3 1 7 2\n1 1 5 2\n2 2 5 1 7 3\n", 5, 7);
}

TEST_CASE("what is wrong in a graph is shown where it is") {
  CHECK(refusal("0\n3 4\n0 000\n1 1\n2 0 2\n1 0\n") ==
        "2: the edges are not listed with the same load at both of their ends");
  CHECK(refusal("0\n3 4\n0 010\n1 5 1\n2 5 0 7 2\n1 8 1\n") ==
        "2: the edges are not listed with the same load at both of their ends");
  CHECK(refusal("0\n3 5\n0 000\n1 1\n2 0 2\n1 1\n") == "2: 5 arcs are announced, and 4 are listed");
  CHECK(refusal("0\n3 4\n0 000\n1 1\n2 0 3\n1 1\n") == "5: '3' is not a vertex from 0 to 2");
  CHECK(refusal("0\n3 4\n0 000\n1 0\n") == "4: vertex 0 is its own neighbour");
  CHECK(refusal("0\n3 4\n0 100\n1 1 0\n1 1 0\n") == "5: vertex 1 is listed before");
  CHECK(refusal("0\n3 4\n0 000\n1 1\n") == "5: the graph ends here; a degree is missing");
  CHECK(refusal("0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n7\n") == "7: something behind the 3 vertices");
  CHECK(refusal("0\n4000000 4\n0 000\n").find("2: 4000000 vertices and 4 arcs are announced") == 0);
  CHECK(refusal("0\n3 4\n0 0x0\n") == "3: not three digits, each 0 or 1");
  CHECK(refusal("1\n3 4\n0 000\n") == "1: version '1' of Scotch's graphs, not 0");
  CHECK(!looks_like_scotch("0\n1 2\n"));
  CHECK(!looks_like_scotch("0 1\n1 0\n"));
}
