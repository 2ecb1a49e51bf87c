// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/metis_rows.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include <topowise/base/text.hpp>
#include <topowise/traffic_source/matrix/metis_header.hpp>

namespace topowise {
namespace {

class RowsReader {
 public:
  RowsReader(const std::string& path, std::size_t piece, std::size_t pieces)
      : path_(path), piece_(piece), pieces_(pieces), file_(path) {
    if (!file_) throw bad_input(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }

  TrafficRows read() {
    read_header();
    TrafficRows rows{header_.vertices, {}, {}};
    const RankRange own = piece_of(header_.vertices, piece_, pieces_);
    std::size_t vertex = 0;
    // The line of a last vertex without neighbours is empty, and editors drop it.
    for (; vertex < own.end && next_line(); ++vertex) {
      if (own.contains(vertex)) read_vertex(vertex, rows.entries);
    }
    if (vertex < own.end && vertex + 1 < header_.vertices)
      fail({}, fmt::format("{} vertices are announced, but {} lines follow", header_.vertices, vertex));
    return rows;
  }

 private:
  bool next_line() {
    while (std::getline(file_, line_)) {
      ++number_;
      if (!trim(line_).starts_with('%')) return true;
    }
    return false;
  }

  void read_header() {
    do {
      if (!next_line()) fail({}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    } while (trim(line_).empty());
    const std::optional<metis::Header> header = metis::parse_header(split_blanks(line_));
    if (!header) fail({}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    header_ = *header;
  }

  void read_vertex(std::size_t vertex, std::vector<TrafficEntry>& entries) const {
    const std::vector<std::string_view> words = split_blanks(line_);
    const std::size_t step = header_.weighted ? 2 : 1;
    if (words.size() < header_.skipped || (words.size() - header_.skipped) % step != 0)
      fail({}, fmt::format("vertex {} has {} numbers: not neighbours with weights", vertex + 1, words.size()));
    for (std::size_t i = header_.skipped; i < words.size(); i += step) {
      const std::optional<std::int64_t> to = parse_integer(words[i]);
      if (!to || *to < 1 || *to > static_cast<std::int64_t>(header_.vertices))
        fail(words[i], fmt::format("'{}' is not a vertex from 1 to {}", printable(words[i]), header_.vertices));
      if (static_cast<std::size_t>(*to) == vertex + 1)
        fail(words[i], fmt::format("vertex {} is its own neighbour", vertex + 1));
      const std::optional<double> weight = header_.weighted ? parse_double(words[i + 1]) : 1.0;
      if (!weight || !std::isfinite(*weight) || *weight < 0)
        fail(words[i + 1], fmt::format("'{}' is not an amount of bytes", printable(words[i + 1])));
      entries.push_back({Rank(vertex), Rank(static_cast<std::size_t>(*to) - 1), Bytes(*weight)});
    }
  }

  /// `cell` is a part of the current line, or is empty.
  [[noreturn]] void fail(std::string_view cell, std::string what) const {
    const std::size_t column = cell.empty() ? 0 : static_cast<std::size_t>(cell.data() - line_.data()) + 1;
    throw Error(ExitStatus::bad_input,
                {Diagnostic{path_, {number_, column}, std::move(what), cell.empty() ? "" : line_, {}}});
  }

  std::string path_;
  std::size_t piece_;
  std::size_t pieces_;
  std::ifstream file_;
  std::string line_;
  std::size_t number_ = 0;
  metis::Header header_;
};

}  // namespace

TrafficRows read_metis_rows(const std::string& path, std::size_t piece, std::size_t pieces) {
  return RowsReader(path, piece, pieces).read();
}

}  // namespace topowise
