// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/metis_rows.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <topowise/base/text.hpp>
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
      fail({}, fmt::format("{} vertices are announced, but {} lines follow", header_.vertices, vertex));
    return rows;
  }

 private:
  bool next_line() {
    while (read_line()) {
      ++number_;
      if (!trim(line_).starts_with('%')) return true;
    }
    return false;
  }

  /// Reads on to the next line feed, or to the end of the input; false there.
  bool read_line() {
    line_.clear();
    while (true) {
      const std::size_t end = block_.find('\n');
      line_ += block_.substr(0, end);
      if (end != std::string_view::npos) {
        block_.remove_prefix(end + 1);
        return true;
      }
      block_ = input_.next();
      if (block_.empty()) return !line_.empty();
    }
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
                {Diagnostic{input_.where(), {number_, column}, std::move(what), cell.empty() ? "" : line_, {}}});
  }

  Input input_;
  std::size_t piece_;
  std::size_t pieces_;
  std::string_view block_;  ///< read, and not yet cut into lines
  std::string line_;
  std::size_t number_ = 0;
  metis::Header header_;
};

}  // namespace

TrafficRows read_metis_rows(Input input, std::size_t piece, std::size_t pieces) {
  return RowsReader(std::move(input), piece, pieces).read();
}

}  // namespace topowise
