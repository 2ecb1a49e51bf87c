// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/metis_rows.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/block_lines.hpp>
#include <topowise/traffic_source/matrix/metis_header.hpp>

namespace topowise {
namespace {

class RowsReader {
 public:
  RowsReader(Input input, std::size_t piece, std::size_t pieces)
      : input_(std::move(input)), piece_(piece), pieces_(pieces) {}

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
      lines_.fail({}, fmt::format("{} vertices are announced, but {} lines follow", header_.vertices, vertex));
    return rows;
  }

 private:
  bool next_line() {
    while (lines_.next())
      if (!trim(lines_.line()).starts_with('%')) return true;
    return false;
  }

  void read_header() {
    do {
      if (!next_line()) lines_.fail({}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    } while (trim(lines_.line()).empty());
    const std::optional<metis::Header> header = metis::parse_header(split_blanks(lines_.line()));
    if (!header) lines_.fail({}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    header_ = *header;
  }

  void read_vertex(std::size_t vertex, std::vector<TrafficEntry>& entries) const {
    const std::vector<std::string_view> words = split_blanks(lines_.line());
    const std::size_t step = header_.weighted ? 2 : 1;
    if (words.size() < header_.skipped || (words.size() - header_.skipped) % step != 0)
      lines_.fail({}, fmt::format("vertex {} has {} numbers: not neighbours with weights", vertex + 1, words.size()));
    for (std::size_t i = header_.skipped; i < words.size(); i += step) {
      const std::optional<std::int64_t> to = parse_integer(words[i]);
      if (!to || *to < 1 || *to > static_cast<std::int64_t>(header_.vertices))
        lines_.fail(words[i], fmt::format("'{}' is not a vertex from 1 to {}", printable(words[i]), header_.vertices));
      if (static_cast<std::size_t>(*to) == vertex + 1)
        lines_.fail(words[i], fmt::format("vertex {} is its own neighbour", vertex + 1));
      const std::optional<double> weight = header_.weighted ? parse_double(words[i + 1]) : 1.0;
      if (!weight || !std::isfinite(*weight) || *weight < 0)
        lines_.fail(words[i + 1], fmt::format("'{}' is not an amount of bytes", printable(words[i + 1])));
      entries.push_back({Rank(vertex), Rank(static_cast<std::size_t>(*to) - 1), Bytes(*weight)});
    }
  }

  Input input_;
  BlockLines lines_{input_, static_cast<std::size_t>(-1)};
  std::size_t piece_;
  std::size_t pieces_;
  metis::Header header_;
};

}  // namespace

TrafficRows read_metis_rows(Input input, std::size_t piece, std::size_t pieces) {
  return RowsReader(std::move(input), piece, pieces).read();
}

}  // namespace topowise
