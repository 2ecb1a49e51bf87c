// SPDX-License-Identifier: BSD-3-Clause
// Whatever a table's columns, names and marks are: it is the same traffic, or it is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

using namespace topowise;

namespace {

struct Reading {
  std::optional<Traffic> traffic;
  std::string refusal;
  std::size_t warnings = 0;
};

Reading read(const std::string& text) {
  Reading reading;
  std::vector<Diagnostic> warnings;
  try {
    reading.traffic = read_csv("table", text, warnings);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    reading.refusal = error.diagnostics().front().what;
  }
  reading.warnings = warnings.size();
  return reading;
}

/// The entries as "0>1:50", in order.
std::string pairs(const std::string& text) {
  const Reading reading = read(text);
  if (!reading.traffic) return reading.refusal;
  std::string all = std::to_string(reading.traffic->ranks());
  for (const TrafficEntry& entry : reading.traffic->entries())
    all += fmt::format(" {}>{}:{:g}", entry.source.index(), entry.destination.index(), entry.bytes.value());
  return all;
}

using Rows = std::vector<std::vector<std::string>>;

std::string table(const Rows& rows, char separator, bool quoted, const std::string& end) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? std::string(1, separator) : "") + (quoted ? "\"" + row[i] + "\"" : row[i]);
    text += end;
  }
  return text;
}

std::vector<std::size_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

Rows with_order(const Rows& rows, const std::vector<std::size_t>& columns) {
  Rows result;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string>& to = result.emplace_back();
    for (const std::size_t column : columns) to.push_back(row[column]);
  }
  return result;
}

}  // namespace

TEST_CASE("the tables that pandas and R write") {
  CHECK(pairs(",0,1,2\n0,0.0,5.0,1.0\n1,5.0,0.0,0.0\n2,1.0,0.0,0.0\n") == "3 0>1:5 0>2:1 1>0:5 2>0:1");
  CHECK(pairs("0,1,2,3,4\n0,5,0,0,0\n5,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n") == "5 0>1:5 1>0:5");
  CHECK(pairs("\"\",\"V1\",\"V2\"\n\"1\",0,7\n\"2\",8,0\n") == "2 0>1:7 1>0:8");
  CHECK(pairs(",src,dst,weight\n0,0,1,5.0\n1,1,2,6.0\n") == "3 0>1:5 1>2:6");
  CHECK(pairs(",0,1\n0,,4.0\n1,3.0,\n") == "2 0>1:4 1>0:3");  // no number where nothing is sent
  CHECK(pairs("source,destination,bytes\n0.0,1.0,5\n") == "2 0>1:5");
}

TEST_CASE("names decide which ranks rows and columns are") {
  CHECK(pairs(",r1,r2,r3\nr0,10,20,0\nr1,0,30,0\nr2,0,0,40\n") == "4 0>1:10 0>2:20 1>2:30 2>3:40");
  CHECK(pairs(",r1,r0\nr0,10,0\nr1,0,20\n") == "2 0>1:10 1>0:20");
  CHECK(pairs("host,b,a\na,10,0\nb,0,20\n") == "2 0>1:10 1>0:20");
  CHECK(pairs(",a,b\nc,10,0\nd,0,20\n").starts_with("column 'a' has no row of that name"));
  CHECK(pairs(",1,2\n1,0,5\n2,6,0\n").starts_with("the names 1 to 2 can be ranks of a job of 3, or count ranks"));
  CHECK(pairs(",r0,r0\nr0,0,5\nr1,6,0\n") == "two rows or two columns are called 'r0'");
  CHECK(pairs("r1,r0\n0,5\n6,0\n").starts_with("the names say another order"));
}

TEST_CASE("a square list of pairs is no matrix, and what can be both is refused") {
  CHECK(pairs("src,dst,bytes\n0,1,5000\n0,2,1000\n1,2,2000\n") == "3 0>1:5000 0>2:1000 1>2:2000");
  CHECK(pairs("0,1,5000\n0,2,1000\n1,2,2000\n") == "3 rows of 3 numbers can be a matrix or a list of pairs");
  CHECK(pairs("0,1,2\n0,5,1\n5,0,2\n1,2,0\n") == "4 rows of 3 numbers can be a matrix or a list of pairs");
  for (const char* text : {"0 1 100\n1 2 200\n2 5 300\n", "0\t1\t100\n1\t2\t200\n2\t5\t300\n"}) {
    CAPTURE(text);
    CHECK(looks_like_csv(text));
    CHECK(pairs(text) == "3 rows of 3 numbers can be a matrix or a list of pairs");
  }
  CHECK(looks_like_csv("0 1 5 2\n0 2 1 1\n1 2 6 1\n2 0 6 1\n"));
  CHECK_FALSE(looks_like_csv("0 2 3\n2 0 4\n3 4 0\n"));  // nobody sends to itself
  CHECK_FALSE(looks_like_csv("5 0 1\n0 5 1\n1 1 5\n"));  // no list: rank 1 would send to itself
  CHECK(pairs("0,2,3\n2,0,4\n3,4,0\n") == "3 0>1:2 0>2:3 1>0:2 1>2:4 2>0:3 2>1:4");  // nobody sends to itself
  CHECK(pairs("0,1,5000\n0,2,1000\n") == "3 0>1:5000 0>2:1000");
  CHECK(pairs("0,1,5000,2\n0,2,1000,1\n1,2,6,1\n2,0,6,1\n3,0,6,1\n") == "4 0>1:5000 0>2:1000 1>2:6 2>0:6 3>0:6");
}

TEST_CASE("the heading of a list") {
  CHECK(pairs("to,Bytes,FROM\n1,5,0\n") == "2 0>1:5");
  CHECK(pairs("from,to\n0,1\n") == "no column says how many bytes a pair exchanges");
  CHECK(pairs("src,from,to,bytes\n0,0,1,5\n") == "another column has the meaning of 'from', too");
  CHECK(read("from,to,bytes,colour\n0,1,5,red\n").warnings == 1);
}

TEST_CASE("headings of sparse matrices, of Gephi and of Excel") {
  CHECK(pairs("row,col,val\n0,1,5\n1,2,7\n") == "3 0>1:5 1>2:7");
  CHECK(pairs("row,source,target,bytes\n0,0,1,5\n1,1,0,6\n") == "2 0>1:5 1>0:6");  // numbers of the rows
  CHECK(pairs(",i,j\ni,0,5\nj,6,0\n") == "2 0>1:5 1>0:6");                         // hosts i and j
  CHECK(pairs("Source,Target,Type,Weight\n0,1,Directed,5\n") == "2 0>1:5");
  CHECK(pairs("Source,Target,Type,Weight\n0,1,Undirected,5\n1,2,Directed,6\n") == "3 0>1:5 1>0:5 1>2:6");
  CHECK(read("source,target,type,bytes\n0,1,p2p,5\n").warnings == 1);
  CHECK(pairs("sep=;\nsource;target;bytes\n0;1;5\n") == "2 0>1:5");
  CHECK(pairs("'source','target','bytes'\n'0','1','5'\n") == "2 0>1:5");
  CHECK(read("from,to,bytes\n1,2,5\n2,3,6\n3,1,7\n").warnings == 1);  // ranks may count from 1
  CHECK(read("from,to,bytes\n1,3,5\n").warnings == 0);
}

TEST_CASE("decimal commas between semicolons and TABs, and thousands that may be decimals") {
  CHECK(pairs("source;target;bytes\n0;1;5,5\n1;0;6\n") == "2 0>1:5.5 1>0:6");
  CHECK(pairs("0;5,5;1\n5,5;0;2\n1;2;0\n") == "3 0>1:5.5 0>2:1 1>0:5.5 1>2:2 2>0:1 2>1:2");
  CHECK(pairs("0\t0,25\n1,5\t0\n") == "2 0>1:0.25 1>0:1.5");
  const std::string thousands = "its numbers have three digits behind a comma or point: thousands, or decimals";
  CHECK(pairs("source;target;bytes\n0;1;1.000\n1;0;2.500\n") == thousands);
  CHECK(pairs("source;target;bytes\n0;1;1,000\n1;0;2\n") == thousands);
  CHECK(pairs("source;target;bytes\n0;1;1,125\n1;0;2,5\n") == "2 0>1:1.125 1>0:2.5");
  CHECK(pairs("source,target,bytes\n0,1,\"1,000\"\n") == "'1,000' is not a number");
  CHECK(pairs("source,target,bytes\n0,1,1.125\n") == "2 0>1:1.125");
}

TEST_CASE("the cell above the names of the rows, sums, and halves of matrices") {
  for (const std::string corner : {"src", "rank", "from\\to", "sender/receiver", "source"})
    CHECK(pairs(corner + ",0,1\n0,0.0,5.0\n1,6.0,0.0\n") == "2 0>1:5 1>0:6");
  for (const std::string corner : {"dst", "to\\from", "receiver | sender", "Target"})
    CHECK(pairs(corner + ",0,1\n0,0.0,5.0\n1,6.0,0.0\n") == "2 0>1:6 1>0:5");
  CHECK(pairs("\t0\t1\n0\t0\t5\n1\t6\t0\n") == "2 0>1:5 1>0:6");
  CHECK(looks_like_csv("\t0\t1\n0\t0\t5\n1\t6\t0\n"));
  CHECK(pairs(",0,1,All\n0,0,5,5\n1,6,0,6\nAll,6,5,11\n") == "'All' is called as if it summed up the others");
  CHECK(pairs(",r0,r1,total\nr0,0,5,5\nr1,6,0,6\n") == "'total' is called as if it summed up the others");
  CHECK(pairs(",0,1,2\n0,0,5,1\n1,,0,2\n2,,,0\n") ==
        "all cells below the diagonal are blank: nothing is sent, or the matrix is symmetric");
  CHECK(pairs(",0,1,2\n0,0,,\n1,5,0,\n2,1,2,0\n") ==
        "all cells above the diagonal are blank: nothing is sent, or the matrix is symmetric");
  CHECK(pairs(",0,1,2\n0,0,5,\n1,,0,2\n2,,,0\n") == "3 0>1:5 1>2:2");  // no half: a pair is missing in it
  CHECK(read("0,5,1\n0,0,2\n0,0,0\n").warnings == 1);
  CHECK(read("0,5,0\n0,0,2\n0,0,0\n").warnings == 0);
}

TEST_CASE("columns in any order, under any usual name, between any marks: the same list") {
  const std::vector<std::string> sources{"source", "src", "Sender", "from"};
  const std::vector<std::string> destinations{"destination", "dst", "receiver", "to", "target"};
  const std::vector<std::string> amounts{"bytes", "weight", "size", "volume"};
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    Rows rows{{"", sources[random.below(static_cast<std::uint32_t>(sources.size()))],
               destinations[random.below(static_cast<std::uint32_t>(destinations.size()))],
               amounts[random.below(static_cast<std::uint32_t>(amounts.size()))], "messages"}};
    std::vector<TrafficEntry> entries;
    const std::size_t count = 1 + random.below(8);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t a = random.below(6);
      const std::size_t b = random.below(6);
      const std::size_t bytes = 1 + random.below(5000);
      entries.push_back({Rank(a), Rank(b), Bytes(static_cast<double>(bytes)), 1});
      rows.push_back({std::to_string(i), std::to_string(a), std::to_string(b), std::to_string(bytes), "1"});
    }
    std::size_t ranks = 0;
    for (const TrafficEntry& entry : entries)
      ranks = std::max({ranks, entry.source.index() + 1, entry.destination.index() + 1});
    const Traffic right = Traffic::from_entries(ranks, entries);
    const char separator = ",;\t"[random.below(3)];
    const std::string text = table(with_order(rows, shuffled(5, random)), separator, random.below(2) == 0,
                                   random.below(2) == 0 ? "\n" : "\r\n");
    CAPTURE(text);
    const Reading reading = read(text);
    REQUIRE(reading.traffic);
    CHECK(std::ranges::equal(reading.traffic->entries(), right.entries()));
  }
}

TEST_CASE("rows and columns with names in any order: the same matrix, or it is refused") {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random.below(5);
    const std::string prefix = std::vector<std::string>{"", "r", "rank ", "GPU", "node-"}[random.below(5)];
    std::vector<TrafficEntry> entries;
    Rows rows{{""}};
    for (std::size_t i = 0; i < n; ++i) rows[0].push_back(prefix + std::to_string(i));
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(prefix + std::to_string(i));
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t bytes = random.below(3) == 0 ? 0 : random.below(100);
        row.push_back(std::to_string(bytes));
        if (bytes > 0) entries.push_back({Rank(i), Rank(j), Bytes(static_cast<double>(bytes)), 0});
      }
    }
    const Traffic right = Traffic::from_entries(n, entries);
    std::vector<std::size_t> columns{0};
    for (const std::size_t column : shuffled(n, random)) columns.push_back(column + 1);
    Rows changed = with_order(rows, columns);
    const bool ordered_rows = prefix == "node-";  // names of hosts: the order of the rows is that of the ranks
    if (!ordered_rows) {
      const std::vector<std::size_t> order = shuffled(n, random);
      const Rows before = changed;
      for (std::size_t i = 0; i < n; ++i) changed[i + 1] = before[order[i] + 1];
    }
    const std::string text = table(changed, ',', false, "\n");
    CAPTURE(text);
    const Reading reading = read(text);
    REQUIRE(reading.traffic);
    CHECK(reading.traffic->ranks() == n);
    CHECK(std::ranges::equal(reading.traffic->entries(), right.entries()));
  }
}

TEST_CASE("a list of pairs between blanks, with and without a heading") {
  const std::string expected = "3 0>1:50 1>0:7 2>0:1.5";
  for (const std::string& text : {std::string("source destination bytes\n0 1 50\n1 0 7\n2 0 1.5\n"),
                                  std::string("  dst   src  bytes \n1 0 50\n0  1 7 \n0 2 1.5"),
                                  std::string("% comment\n0 1 25\n1 0 7\n2 0 1.5\n0 1 25\n"),
                                  std::string("0\t1\t50\t2\n1\t0\t7\t1\n2\t0\t1.5\t0\n")}) {
    CAPTURE(text);
    CHECK(looks_like_csv(text));
    CHECK(pairs(text) == expected);
    CHECK(read(text).warnings == (text.find("bytes") == std::string::npos ? 1 : 0));
  }
}

TEST_CASE("matrices, graphs and other numbers between blanks are no lists") {
  for (const std::string text :
       {"0 1 0\n1 0 0\n0 0 0\n", "0 1\n1 0\n", "4 3 001\n2 1 1\n1 1 3\n2 1 4\n3 1 2\n", "0 1 2 3\n", "0 0 5\n1 0 5\n",
        "0 1 x\n1 0 2\n", "0.5 1 2\n1 0 2\n", "", "0\n3 4\n0 000\n"}) {
    CAPTURE(text);
    CHECK(looks_like_csv(text) == (text == "0 1 2 3\n"));
  }
}
