// SPDX-License-Identifier: BSD-3-Clause
// One matrix in all forms that the formats of matrices and graphs allow: lines, columns, order, marks, ends of lines,
// number types. Each form is the same traffic or is refused; most are read. csv_test.cpp does the same for tables.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/encoding.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

namespace {

using Matrix = std::map<std::pair<std::size_t, std::size_t>, double>;
constexpr std::size_t kRanks = 5;

/// No row is like a column: what is transposed is another matrix.
const Matrix kTraffic{{{0, 1}, 7}, {{0, 4}, 3}, {{1, 0}, 2}, {{2, 3}, 11}, {{3, 0}, 13}, {{4, 2}, 5}};
/// For formats whose edges go both ways.
const Matrix kBothWays{{{0, 1}, 7},  {{1, 0}, 7},  {{0, 4}, 3}, {{4, 0}, 3},
                       {{2, 3}, 11}, {{3, 2}, 11}, {{2, 4}, 5}, {{4, 2}, 5}};

double at(const Matrix& matrix, std::size_t row, std::size_t column) {
  const auto found = matrix.find({row, column});
  return found == matrix.end() ? 0 : found->second;
}

/// Counts the forms that are read and that are refused, and checks each that is read.
struct Tally {
  std::string format;
  std::size_t read = 0;
  std::size_t refused = 0;

  void take(const std::string& text, const Matrix& wanted) {
    CAPTURE(text);
    Matrix found;
    std::size_t ranks = 0;
    try {
      const Traffic traffic = read_traffic_text("form", text, {.format = format}).traffic;
      ranks = traffic_ranks(traffic, found);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(!error.diagnostics().front().what.empty());
      ++refused;
      return;
    }
    ++read;
    CHECK(ranks == kRanks);
    CHECK(found == wanted);
  }

 private:
  static std::size_t traffic_ranks(const Traffic& traffic, Matrix& found) {
    for (const TrafficEntry& entry : traffic.entries())
      if (entry.bytes.value() > 0) found[{entry.source.index(), entry.destination.index()}] += entry.bytes.value();
    return traffic.ranks();
  }
};

/// What may be around the lines of any text: a mark of the order of bytes, other ends of lines, empty lines at the end.
std::string dressed(Random& random, std::string text) {
  const std::uint32_t ends = random.below(3);
  std::string lines;
  for (const char c : text) lines += c != '\n' ? std::string(1, c) : ends == 0 ? "\n" : ends == 1 ? "\r\n" : "\r";
  if (random.below(4) == 0) lines += ends == 2 ? "\r" : "\n";
  return (random.below(2) == 0 ? "\xEF\xBB\xBF" : "") + lines;
}

std::string blanks(Random& random) {
  return std::array<std::string, 3>{" ", "   ", "\t"}[random.below(3)];
}

template <class Value>
void shuffle(Random& random, std::vector<Value>& values) {
  random.shuffle(std::span<Value>(values));
}

std::vector<std::pair<std::pair<std::size_t, std::size_t>, double>> shuffled(Random& random, const Matrix& matrix) {
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, double>> entries(matrix.begin(), matrix.end());
  shuffle(random, entries);
  return entries;
}

std::string number(Random& random, double value) {
  return random.below(3) == 0 ? fmt::format("{:.1f}", value) : fmt::format("{:g}", value);
}

/// A zip archive of files that are not compressed.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files) {
  const auto little = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
  };
  const auto crc32 = [](const std::string& text) {
    std::uint32_t crc = ~0U;
    for (const char c : text) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
  };
  std::string all;
  std::string list;
  for (const auto& [name, content] : files) {
    const std::string common = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(crc32(content), 4) +
                               little(content.size(), 4) + little(content.size(), 4) + little(name.size(), 2) +
                               little(0, 2);
    list += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
            little(all.size(), 4) + name;
    all += "PK\x03\x04" + common + name + content;
  }
  return all + list + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(list.size(), 4) + little(all.size(), 4) + little(0, 2);
}

template <class Number>
std::string raw(const std::vector<double>& values, bool swapped) {
  std::string bytes;
  for (const double value : values) {
    const auto number = static_cast<Number>(value);
    std::array<char, sizeof(Number)> one{};
    std::memcpy(one.data(), &number, sizeof(Number));
    if (swapped) std::ranges::reverse(one);
    bytes.append(one.data(), one.size());
  }
  return bytes;
}

/// A file of NumPy in a random type and order of bytes.
std::string npy(Random& random, const std::string& shape, const std::vector<double>& values, bool fortran = false) {
  const bool swapped = random.below(2) == 0;
  const std::uint32_t type = random.below(5);
  const std::array<std::string, 5> names{"f8", "f4", "i8", "i4", "u2"};
  const std::string content = type == 0   ? raw<double>(values, swapped)
                              : type == 1 ? raw<float>(values, swapped)
                              : type == 2 ? raw<std::int64_t>(values, swapped)
                              : type == 3 ? raw<std::int32_t>(values, swapped)
                                          : raw<std::uint16_t>(values, swapped);
  std::vector<std::string> fields{fmt::format("'descr': '{}{}'", swapped ? '>' : '<', names[type]),
                                  fmt::format("'fortran_order': {}", fortran ? "True" : "False"),
                                  fmt::format("'shape': {}", shape)};
  shuffle(random, fields);
  std::string header = fmt::format("{{{}, {}, {}, }}", fields[0], fields[1], fields[2]);
  header += std::string((64 - (10 + header.size() + 1) % 64) % 64, ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 255) +
         static_cast<char>(header.size() >> 8) + header + content;
}

std::string npy_of_text(const std::string& text) {
  std::string header = fmt::format("{{'descr': '|S{}', 'fortran_order': False, 'shape': (), }}", text.size());
  header += std::string((64 - (10 + header.size() + 1) % 64) % 64, ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 255) +
         static_cast<char>(header.size() >> 8) + header + text;
}

std::vector<double> dense(const Matrix& matrix, bool by_column = false) {
  std::vector<double> values;
  for (std::size_t a = 0; a < kRanks; ++a)
    for (std::size_t b = 0; b < kRanks; ++b) values.push_back(by_column ? at(matrix, b, a) : at(matrix, a, b));
  return values;
}

std::string square() {
  return fmt::format("({0}, {0})", kRanks);
}

/// The arrays of scipy.sparse.save_npz() in a random form, in any order.
std::vector<std::pair<std::string, std::string>> sparse(Random& random) {
  const std::string form = std::array<std::string, 3>{"coo", "csr", "csc"}[random.below(3)];
  std::vector<std::pair<std::string, std::string>> files{
      {"format.npy", npy_of_text(form)},
      {"shape.npy", npy(random, "(2,)", {static_cast<double>(kRanks), static_cast<double>(kRanks)})}};
  std::vector<double> rows;
  std::vector<double> columns;
  std::vector<double> data;
  std::vector<double> begins{0};
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    rows.push_back(static_cast<double>(row));
    columns.push_back(static_cast<double>(column));
    data.push_back(value);
  };
  if (form == "coo") {
    for (const auto& [pair, value] : shuffled(random, kTraffic)) add(pair.first, pair.second, value);
  } else {
    for (std::size_t line = 0; line < kRanks; ++line) {
      for (const auto& [pair, value] : shuffled(random, kTraffic))
        if ((form == "csr" ? pair.first : pair.second) == line) add(pair.first, pair.second, value);
      begins.push_back(static_cast<double>(data.size()));
    }
  }
  const std::string size = fmt::format("({},)", data.size());
  files.emplace_back("data.npy", npy(random, size, data));
  if (form == "coo") {
    files.emplace_back("row.npy", npy(random, size, rows));
    files.emplace_back("col.npy", npy(random, size, columns));
  } else {
    files.emplace_back("indices.npy", npy(random, size, form == "csr" ? columns : rows));
    files.emplace_back("indptr.npy", npy(random, fmt::format("({},)", begins.size()), begins));
  }
  shuffle(random, files);
  return files;
}

constexpr int kForms = 300;

}  // namespace

TEST_CASE("MatrixMarket: entries in any order, any number form, marks and ends of lines") {
  Random random(1);
  Tally forced{"matrix-market"};
  Tally found;
  for (int i = 0; i < kForms; ++i) {
    const std::string head = std::array<std::string, 3>{
        "%%MatrixMarket matrix coordinate real general", "%%matrixmarket MATRIX Coordinate Real General",
        "%%MatrixMarket  matrix coordinate  real general"}[random.below(3)];
    std::string text = head + "\n" + (random.below(2) == 0 ? "% a comment\n" : "") +
                       fmt::format("{0}{1}{0}{1}{2}\n", kRanks, blanks(random), kTraffic.size());
    for (const auto& [pair, value] : shuffled(random, kTraffic))
      text += fmt::format("{}{}{}{}{}\n", pair.first + 1, blanks(random), pair.second + 1, blanks(random),
                          number(random, value));
    text = dressed(random, text);
    forced.take(text, kTraffic);
    found.take(text, kTraffic);
  }
  CHECK(forced.read == kForms);
  CHECK(found.read == kForms);
}

TEST_CASE("graphs of METIS and Scotch: edges of a vertex in any order, numbered from 0 or 1") {
  Random random(2);
  Tally metis{"metis"};
  Tally scotch{"scotch"};
  for (int i = 0; i < kForms; ++i) {
    std::string lines;
    std::string rows;
    const std::size_t base = random.below(2);
    const bool labels = random.below(2) == 0;
    for (std::size_t u = 0; u < kRanks; ++u) {
      std::vector<std::pair<std::size_t, double>> edges;
      for (const auto& [pair, value] : kBothWays)
        if (pair.first == u) edges.emplace_back(pair.second, value);
      shuffle(random, edges);
      rows += labels ? fmt::format("{}{}", u + base, blanks(random)) : "";
      rows += fmt::format("{}", edges.size());
      for (const auto& [v, value] : edges) {
        lines += fmt::format("{}{}{:g}{}", v + 1, blanks(random), value, blanks(random));
        rows += fmt::format("{}{:g}{}{}", blanks(random), value, blanks(random), v + base);
      }
      lines += "\n";
      rows += "\n";
    }
    const std::size_t edges = kBothWays.size() / 2;
    metis.take(dressed(random,
                       fmt::format("{}{} {} 1\n{}", random.below(2) == 0 ? "% a comment\n" : "", kRanks, edges, lines)),
               kBothWays);
    scotch.take(dressed(random, fmt::format("0\n{}{}{}\n{} {}10\n{}", kRanks, blanks(random), 2 * edges, base,
                                            labels ? 1 : 0, rows)),
                kBothWays);
  }
  CHECK(metis.read == kForms);
  CHECK(scotch.read == kForms);
}

TEST_CASE("plain matrices and QAPLIB: blanks, comments, ends of lines") {
  Random random(3);
  Tally plain{"matrix"};
  Tally qaplib{"qaplib"};
  for (int i = 0; i < kForms; ++i) {
    std::string rows;
    std::string wrapped = fmt::format("{}\n\n", kRanks);
    for (std::size_t u = 0; u < kRanks; ++u) {
      if (random.below(4) == 0) rows += std::array<std::string, 2>{"# a comment\n", "% a comment\n"}[random.below(2)];
      for (std::size_t v = 0; v < kRanks; ++v) {
        rows += (v > 0 || random.below(2) == 0 ? blanks(random) : "") + number(random, at(kTraffic, u, v));
        wrapped += fmt::format("{:g}{}", at(kTraffic, u, v), random.below(6) == 0 ? "\n" : " ");
      }
      rows += "\n";
    }
    for (std::size_t k = 0; k < kRanks * kRanks; ++k) wrapped += k % kRanks == 0 ? "\n1" : " 1";
    plain.take(dressed(random, rows), kTraffic);
    qaplib.take(dressed(random, wrapped + "\n"), kTraffic);
  }
  CHECK(plain.read == kForms);
  CHECK(qaplib.read == kForms);
}

TEST_CASE("NumPy's files: any type and order of bytes, rows or columns first, arrays of an archive in any order") {
  Random random(4);
  Tally single;
  Tally archive;
  for (int i = 0; i < kForms; ++i) {
    const bool fortran = random.below(2) == 0;
    const std::string array = npy(random, square(), dense(kTraffic, fortran), fortran);
    single.take(array, kTraffic);
    std::vector<std::pair<std::string, std::string>> files{
        {std::array<std::string, 4>{"bytes.npy", "weight.npy", "volume.npy", "size.npy"}[random.below(4)], array}};
    if (random.below(2) == 0) {
      Matrix ones = kTraffic;
      for (auto& [pair, value] : ones) value = 1;
      files.emplace_back(random.below(2) == 0 ? "messages.npy" : "count.npy", npy(random, square(), dense(ones)));
    }
    if (random.below(2) == 0) files.emplace_back("times.npy", npy(random, "(3,)", {1, 2, 3}));
    shuffle(random, files);
    archive.take(zip(files), kTraffic);
    archive.take(zip(sparse(random)), kTraffic);
  }
  CHECK(single.read == kForms);
  CHECK(archive.read == 2 * kForms);
}

TEST_CASE("our JSON and rows of Open MPI's monitoring: rows and members in any order") {
  Random random(5);
  Tally json{"json"};
  Tally monitoring{"ompi-monitoring"};
  Tally found;
  const auto object = [&](std::vector<std::string> members, std::string_view gap) {
    shuffle(random, members);
    return fmt::format("{{{}{}{}}}", gap, fmt::join(members, fmt::format(",{}", gap)), gap);
  };
  for (int i = 0; i < kForms; ++i) {
    std::vector<std::string> entries;
    std::vector<std::string> rows;
    for (const auto& [pair, value] : shuffled(random, kTraffic)) {
      const auto& [from, to] = pair;
      std::vector<std::string> members{fmt::format("\"source\": {}", from), fmt::format("\"destination\":{}", to),
                                       fmt::format("\"bytes\": {:.1f}", value)};
      if (random.below(2) == 0) members.emplace_back("\"messages\": 3");
      entries.push_back(object(std::move(members), random.below(2) == 0 ? "" : " "));
      const double external = random.below(3);
      const bool received = random.below(2) == 0;
      rows.push_back(fmt::format("E\t{}\t{}\t{} bytes\t1 msgs sent", from, to, value - external));
      rows.push_back(fmt::format("{}\t{}\t{}\t{} bytes\t1 msgs sent", received ? "R" : "I", received ? to : from,
                                 received ? from : to, external));
      if (random.below(3) == 0) rows.push_back(fmt::format("C\t{}\t{}\t99 bytes\t1 msgs sent", from, to));
    }
    for (std::size_t rank = 0; rank < kRanks; ++rank)
      rows.push_back(fmt::format("A2A\t{}\t0 bytes\t0 msgs sent", rank));
    shuffle(random, rows);
    const std::string text = object({"\"schema\": \"topowise.traffic/1\"", fmt::format("\"ranks\": {}", kRanks),
                                     fmt::format("\"entries\": [{}]", fmt::join(entries, ",\n"))},
                                    random.below(2) == 0 ? "\n" : "\r\n");
    json.take(text, kTraffic);
    found.take(text, kTraffic);
    monitoring.take(dressed(random, fmt::format("# POINT TO POINT\n{}\n", fmt::join(rows, "\n"))), kTraffic);
  }
  CHECK(json.read == kForms);
  CHECK(found.read == kForms);
  CHECK(monitoring.read == kForms);
}

TEST_CASE("archives that are no traffic say what they are") {
  Random random(5);
  const auto refusal = [](const std::string& text) -> Diagnostic {
    try {
      (void)read_traffic_text("form", text, {});
    } catch (const Error& error) {
      return error.diagnostics().front();
    }
    return {};
  };
  const std::string matrix = npy(random, square(), dense(kTraffic));
  CHECK(refusal(zip({})).what == "the archive is empty: no array was given to numpy.savez()");
  CHECK(refusal(zip({{"hosts.npy", npy_of_text("n01")}})).what == "'hosts' holds texts, and no traffic");
  CHECK(refusal(zip({{"a.npy", matrix}, {"b.npy", matrix}})).what == "which of its arrays is the traffic? 'a', 'b'");
  CHECK(refusal(zip({{"bytes.npy", matrix}, {"messages.npy", npy_of_text("n01")}})).what ==
        "'messages' holds texts, and no numbers of messages");
  std::vector<std::pair<std::string, std::string>> blocks{{"format.npy", npy_of_text("bsr")},
                                                          {"shape.npy", npy(random, "(2,)", {4, 4})},
                                                          {"data.npy", npy(random, "(1, 2, 2)", {1, 2, 3, 4})}};
  const Diagnostic block = refusal(zip(blocks));
  CHECK(block.what == "a sparse matrix in the form 'bsr', which is not read");
  CHECK(block.hint == "scipy.sparse.save_npz(FILE, matrix.tocsr())");
}
