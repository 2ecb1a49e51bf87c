// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>

#include <doctest/doctest.h>

using namespace topowise;

namespace {

constexpr std::string_view kRank0 =
    "# POINT TO POINT\n"
    "E\t0\t1\t100 bytes\t1 msgs sent\t4,0,0,18\n"
    "I\t0\t1\t5704 bytes\t32 msgs sent\n"
    "# OSC\n"
    "S\t0\t1\t77 bytes\t1 msgs sent\n"
    "R\t0\t2\t55 bytes\t1 msgs sent\n"
    "# COLLECTIVES\n"
    "C\t0\t2\t5704 bytes\t32 msgs sent\n"
    "D\tMPI COMMUNICATOR 3 SPLIT FROM 0\tprocs: 0,2\n"
    "O2A\t0\t0 bytes\t0 msgs sent\n"
    "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n";
constexpr std::string_view kOthers =
    "A2A\t1\t0 bytes\t0 msgs sent\nA2A\t2\t0 bytes\t0 msgs sent\nE\t3\t3\t9 bytes\t1 msgs sent\n";

Bytes bytes(const Traffic& traffic, std::size_t source, std::size_t destination) {
  return traffic.bytes(Rank(source), Rank(destination));
}

std::string refusal(std::string_view text) {
  std::vector<Diagnostic> warnings;
  try {
    (void)read_ompi_monitoring("x.prof", text, warnings);
  } catch (const Error& error) {
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

}  // namespace

TEST_CASE("E, I and S add up, R is reversed, C is left out") {
  CHECK(looks_like_ompi_monitoring(kRank0));
  std::vector<Diagnostic> warnings;
  const Traffic traffic = read_ompi_monitoring("x.prof", std::string(kRank0) + std::string(kOthers), warnings);
  CHECK(traffic.ranks() == 4);
  CHECK(bytes(traffic, 0, 1) == Bytes(100 + 5704 + 77));
  CHECK(traffic.entries()[0].messages == 34);
  CHECK(bytes(traffic, 0, 2) == Bytes(0));
  CHECK(bytes(traffic, 2, 0) == Bytes(55));
  CHECK(bytes(traffic, 3, 3) == Bytes(9));
  CHECK(warnings.empty());
}

TEST_CASE("ranks whose rows are missing are named") {
  std::vector<Diagnostic> warnings;
  CHECK(read_ompi_monitoring("x.0.prof", kRank0, warnings).ranks() == 4);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].what == "no rows of 3 of 4 ranks, the first is rank 1: traffic from there is missing");
}

TEST_CASE("damaged rows") {
  CHECK(refusal("E\t0\t1\t100 bytes\t1 msgs\n").starts_with("error: x.prof:1: not 'KIND SOURCE DESTINATION"));
  CHECK(refusal("# POINT TO POINT\nE\t0\tone\t1 bytes\t1 msgs sent\n")
            .starts_with("error: x.prof:2:5: 'one' is not a rank from 0 to 4194303"));
  CHECK(refusal("E\t0\t99999999999\t1 bytes\t1 msgs sent\n").find("'99999999999' is not a rank") != std::string::npos);
  CHECK(refusal("E\t0\t1\t-1 bytes\t1 msgs sent\n").find("'-1' is not a size") != std::string::npos);
  CHECK(refusal("Q\t0\n").starts_with("error: x.prof:1:1: unknown row 'Q'"));
  CHECK(refusal("D\tMPI_COMM_WORLD\n").find("the members ('procs:') are missing") != std::string::npos);
  CHECK(refusal("# POINT TO POINT\n") == "error: x.prof: no rows of any rank");
}
