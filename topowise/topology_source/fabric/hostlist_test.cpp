// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/hostlist.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

std::string expand(std::string_view expression, std::size_t limit = 1000) {
  const TextLines lines("t", expression);
  try {
    return fmt::format("{}", fmt::join(expand_hostlist(lines, 0, lines[0], 0, limit), " "));
  } catch (const Error& error) {
    return fmt::format("{}: {}", error.diagnostics().front().position.column, error.what());
  }
}

}  // namespace

TEST_CASE("host lists") {
  CHECK(expand("login") == "login");
  CHECK(expand("a,b,,c") == "a b c");
  CHECK(expand("node[1-3,7]") == "node1 node2 node3 node7");
  CHECK(expand("node[08-11]") == "node08 node09 node10 node11");
  CHECK(expand("grp[10,11],x") == "grp10 grp11 x");
  CHECK(expand("r[1-2]n[1-2]-ib") == "r1n1-ib r1n2-ib r2n1-ib r2n2-ib");
  CHECK(expand("switch.2.[1-2]") == "switch.2.1 switch.2.2");
}

TEST_CASE("host lists that are refused") {
  CHECK(expand("n[1-2") == "1: a bracket is not closed");
  CHECK(expand("n1]") == "3: unexpected ']' in a host list");
  CHECK(expand("n[1-[2]]") == "5: unexpected '[' in a host list");
  CHECK(expand("n[3-1]") == "3: the range '3-1' runs backwards");
  CHECK(expand("n[a]") == "3: 'a' is no number of a host list");
  CHECK(expand("n[0-999999999]") == "3: '0-999999999' exceeds the limit of 1000 names");
  CHECK(expand("n[1-100][1-100]") == "1: 'n[1-100][1-100]' exceeds the limit of 1000 names");
  CHECK(expand("a[1-600],b[1-600]") == "10: 'b[1-600]' exceeds the limit of 1000 names");
  CHECK(expand(std::string(300, 'x')).find("longer than 255 bytes") != std::string::npos);
}
