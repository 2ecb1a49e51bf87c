// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/matrix_file.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

Bytes bytes(const Traffic& traffic, std::size_t source, std::size_t destination) {
  return traffic.bytes(Rank(source), Rank(destination));
}

/// The first refusal as "LINE:COLUMN: text", or "accepted".
std::string refusal(Traffic (*read)(const std::string&, std::string_view), std::string_view text) {
  try {
    (void)read("file", text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    const Diagnostic& first = error.diagnostics().front();
    CHECK(first.where == "file");
    return std::to_string(first.position.line) + ":" + std::to_string(first.position.column) + ": " + first.what;
  }
  return "accepted";
}

Traffic read_instance(const std::string& where, std::string_view text) {
  std::vector<Diagnostic> warnings;
  Traffic traffic = read_qaplib(where, text, warnings);
  CHECK(warnings.empty());
  return traffic;
}

Traffic read_table(const std::string& where, std::string_view text) {
  std::vector<Diagnostic> warnings;
  return read_csv(where, text, warnings);
}

}  // namespace

TEST_CASE("a plain matrix: row i is what rank i sends") {
  const std::string_view text = "# bytes\n0 10\t0\n\n2.5e3 0 1\r\n0 0 7\n";
  CHECK(looks_like_matrix_text(text));
  const Traffic traffic = read_matrix_text("file", text);
  CHECK(traffic.ranks() == 3);
  CHECK(bytes(traffic, 0, 1) == Bytes(10));
  CHECK(bytes(traffic, 1, 0) == Bytes(2500));
  CHECK(bytes(traffic, 1, 2) == Bytes(1));
  CHECK(bytes(traffic, 2, 2) == Bytes(7));
  CHECK(traffic.entries().size() == 4);
}

TEST_CASE("a damaged matrix is reported where it is damaged, all of it at once") {
  CHECK(refusal(read_matrix_text, "0 1\n1 x\n") == "2:3: 'x' is not a number");
  CHECK(refusal(read_matrix_text, "0 1\n-1 0\n") == "2:1: '-1' is negative");
  CHECK(refusal(read_matrix_text, "0 1 2\n1 0\n2 3 0\n") == "2:0: row 2 has 2 numbers, the first has 3");
  CHECK(refusal(read_matrix_text, "0 1\n1 0 5\n") == "2:5: row 2 has 3 numbers, the first has 2");
  CHECK(refusal(read_matrix_text, "0 1 2\n1 0 2\n") == "3:0: the matrix ends after 2 of 3 rows");
  CHECK(refusal(read_matrix_text, "0 1\n1 0\n1 1\n") == "3:1: row 3 of a matrix with 2 columns");
  CHECK(refusal(read_matrix_text, "0 inf\n1 0\n") == "1:3: 'inf' is not a number");
  CHECK(refusal(read_matrix_text, "# nothing\n") == "2:0: no numbers");
  try {
    (void)read_matrix_text("file", "0 a\nb 0\n");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.diagnostics().size() == 2);
  }
}

TEST_CASE("CSV: with and without names, any separator") {
  const Traffic plain = read_table("file", "0,10\n20,0\n");
  CHECK(bytes(plain, 1, 0) == Bytes(20));
  for (const std::string_view text :
       {"\"\";\"r0\";\"r1\"\nr0;0;10\nr1;20;0\n", "r0\tr1\nr0\t0\t10\nr1\t20\t0\n", "r0,r1\n0,10,\n20,0,\n"}) {
    CAPTURE(text);
    CHECK(looks_like_csv(text));
    const Traffic named = read_table("file", text);
    CHECK(named.ranks() == 2);
    CHECK(bytes(named, 0, 1) == Bytes(10));
    CHECK(bytes(named, 1, 0) == Bytes(20));
  }
  CHECK(refusal(read_table, "0,1\n1,zero\n") == "2:3: 'zero' is not a number");
  CHECK(refusal(read_table, "0,1e400\n1,0\n") == "1:3: '1e400' is beyond the range of numbers (1.8e308)");
  CHECK(refusal(read_table, "0,1\n1\n") == "2:0: row 2 has 1 numbers, the first has 2");
  CHECK(refusal(read_table, "a,b,c\n0,1\n1,0\n") == "2:0: 2 numbers under 3 column names");
}

TEST_CASE("CSV: a list of pairs") {
  const Traffic list = read_table("file", "source,destination,bytes,messages\n0,3,100,2\n3,0,7\n0,3,1,1\n");
  CHECK(list.ranks() == 4);
  CHECK(bytes(list, 0, 3) == Bytes(101));
  CHECK(list.entries()[0].messages == 3);
  CHECK(refusal(read_table, "source,destination,bytes\n0,-1,5\n") == "2:3: '-1' is not a rank from 0 to 4194303");
  CHECK(refusal(read_table, "source,destination,bytes\n0,1\n") == "2:0: 2 cells instead of source, destination, bytes");
  CHECK(refusal(read_table, "source,destination,bytes\n") == "2:0: the list is empty");
}

TEST_CASE("MatrixMarket: coordinate, pattern, symmetric, array") {
  const Traffic general =
      read_matrix_market("file", "%%MatrixMarket matrix coordinate real general\n% remark\n3 3 2\n1 2 5\n3 1 2.5\n");
  CHECK(general.ranks() == 3);
  CHECK(bytes(general, 0, 1) == Bytes(5));
  CHECK(bytes(general, 2, 0) == Bytes(2.5));
  const Traffic symmetric =
      read_matrix_market("file", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
  CHECK(bytes(symmetric, 0, 1) == Bytes(1));
  CHECK(bytes(symmetric, 1, 0) == Bytes(1));
  CHECK(bytes(symmetric, 2, 2) == Bytes(1));
  const Traffic array = read_matrix_market("file", "%%MatrixMarket matrix array integer general\n2 2\n0\n3\n4\n0\n");
  CHECK(bytes(array, 1, 0) == Bytes(3));  // the array is stored column by column
  CHECK(bytes(array, 0, 1) == Bytes(4));
  const Traffic half = read_matrix_market("file", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n3\n4\n");
  CHECK(bytes(half, 0, 1) == Bytes(3));
  CHECK(bytes(half, 1, 1) == Bytes(4));
}

TEST_CASE("MatrixMarket: damage") {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  CHECK(refusal(read_matrix_market, banner + "3 3 1000000000\n1 2 5\n") ==
        "2:0: 1000000000 entries are announced, but 1 are there");
  CHECK(refusal(read_matrix_market, banner + "3 3 1\n1 2 5\n1 3 5\n") ==
        "4:0: more than the 1 entries that line 2 announces");
  CHECK(refusal(read_matrix_market, banner + "3 3 1\n1 4 5\n") == "3:3: '4' is not a column from 1 to 3");
  CHECK(refusal(read_matrix_market, banner + "3 4 1\n1 2 5\n") == "2:3: 3 rows and 4 columns are no square matrix");
  CHECK(refusal(read_matrix_market, banner) == "2:0: the line with the sizes is missing");
  CHECK(refusal(read_matrix_market, banner + "99999999999 99999999999 1\n").find("not a number of ranks") !=
        std::string::npos);
  CHECK(refusal(read_matrix_market, "%%MatrixMarket matrix coordinate complex general\n1 1 0\n") ==
        "1:34: 'complex' is not read, only real, integer, double, pattern");
  // This is not a comment above numbers that happen to form a square matrix.
  const std::string one_percent = "%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5\n2 3 1\n";
  CHECK(looks_like_matrix_market(one_percent));
  CHECK(refusal(read_matrix_market, one_percent) == "1:0: the banner '%%MatrixMarket' begins with two '%'");
}

TEST_CASE("METIS: each neighbour listed is one direction") {
  const Traffic plain = read_metis("file", "% ring of 4\n4 4\n2 4\n1 3\n2 4\n1 3\n");
  CHECK(plain.ranks() == 4);
  CHECK(plain.entries().size() == 8);
  CHECK(bytes(plain, 0, 3) == Bytes(1));
  const Traffic weighted = read_metis("file", "3 2 011 2\n7 7 2 5\n7 7 1 5 3 9\n7 7 2 9\n");
  CHECK(weighted.ranks() == 3);
  CHECK(bytes(weighted, 1, 2) == Bytes(9));
  CHECK(bytes(weighted, 2, 1) == Bytes(9));
  CHECK(bytes(weighted, 0, 2) == Bytes(0));
  CHECK(read_metis("file", "3 1\n2\n1\n\n").ranks() == 3);  // vertex 3 has no neighbour
  CHECK(read_metis("file", "3 1\n2\n1\n").ranks() == 3);
}

TEST_CASE("METIS: damage") {
  CHECK(refusal(read_metis, "1000000 2\n2\n1\n") == "1:0: 1000000 vertices are announced, but only 2 lines follow");
  CHECK(refusal(read_metis, "2 1\n2\n1\n1\n") == "4:0: a line after those of 2 vertices");
  CHECK(refusal(read_metis, "2 1\n3\n1\n") == "2:1: '3' is not a vertex from 1 to 2");
  CHECK(refusal(read_metis, "2 1 1\n2 5 1\n1 5\n") == "2:0: vertex 1 has 3 numbers: not neighbours with weights");
  CHECK(refusal(read_metis, "3 2\n2 3\n1\n2\n") ==
        "1:0: the edge from vertex 1 to 3 is not listed with the same weight at both ends");
  CHECK(refusal(read_metis, "2 1 1\n2 5\n1 6\n") ==
        "1:0: the edge from vertex 1 to 2 is not listed with the same weight at both ends");
  CHECK(refusal(read_metis, "2 3\n2\n1\n") ==
        "1:0: 3 edges are announced, but 2 neighbours are listed instead of twice as many");
  CHECK(refusal(read_metis, "2 1\n1\n1\n") == "2:1: vertex 1 is its own neighbour");
}

TEST_CASE("QAPLIB: the first matrix is the traffic, line ends mean nothing") {
  const Traffic traffic = read_instance("file", "2\n\n0 3\n4 0\n\n0 1 1\n0\n");
  CHECK(traffic.ranks() == 2);
  CHECK(bytes(traffic, 0, 1) == Bytes(3));
  CHECK(bytes(traffic, 1, 0) == Bytes(4));
  CHECK(refusal(read_instance, "2\n0 3 4 0\n0 1 1\n") ==
        "4:0: the file ends after 7 of the 8 numbers of two matrices of 2 x 2");
  CHECK(refusal(read_instance, "2\n0 3 4 0\n0 1 1 0 9\n") == "3:9: more numbers than two matrices of 2 x 2");
  CHECK(refusal(read_instance, "99999999\n0\n") == "1:1: '99999999' is not a size from 1 to 65536");
}

TEST_CASE("QAPLIB: what ranks send to themselves is missing in hop-bytes, and the reader says how much") {
  const auto warning = [](std::string_view text) {
    std::vector<Diagnostic> warnings;
    (void)read_qaplib("file", text, warnings);
    return warnings.empty() ? std::string() : warnings.front().what;
  };
  const std::string begin =
      "both diagonals hold numbers above 0; what ranks send to themselves costs nothing here: hop-bytes are ";
  CHECK(warning("2\n5 3 4 6\n0 1 1 0\n") == "");  // here the distance of a place to itself is 0
  CHECK(warning("2\n0 3 4 0\n2 1 1 2\n") == "");
  CHECK(warning("2\n5 3 4 6\n2 1 1 2\n") == begin + "22 less than QAPLIB's cost");  // 5 x 2 + 6 x 2
  CHECK(warning("2\n5 3 4 5\n2 1 1 3\n") == begin + "25 less than QAPLIB's cost");
  CHECK(warning("2\n5 3 4 6\n2 1 1 3\n") == begin + "less, by what depends on the mapping, than QAPLIB's cost");
}

TEST_CASE("what could be two formats is the one that it fits") {
  CHECK(looks_like_metis("4 4\n2 4\n1 3\n2 4\n1 3\n"));
  CHECK_FALSE(looks_like_metis("0 5\n5 0\n"));
  CHECK_FALSE(looks_like_metis("1 5\n5 1\n"));
  // This is a valid 3 x 3 matrix as well; --format metis decides.
  CHECK_FALSE(looks_like_metis("2 1 11\n1 2 5\n1 1 5\n"));
  CHECK(looks_like_metis("3 2 011 2\n7 7 2 5\n7 7 1 5 3 9\n7 7 2 9\n"));
  CHECK(looks_like_qaplib("2\n0 1 1 0\n0 1 1 0\n"));
  CHECK_FALSE(looks_like_qaplib("2 2\n0 1\n"));
  CHECK_FALSE(looks_like_matrix_text(std::string_view("1 2\0 3", 6)));
  CHECK_FALSE(looks_like_csv("0 1\n1 0\n"));
}
