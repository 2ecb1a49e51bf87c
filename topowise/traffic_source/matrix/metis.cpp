// SPDX-License-Identifier: BSD-3-Clause
// METIS graph files (METIS 5 manual, section 4.1.1): a line "n m [fmt [ncon]]", then a line a vertex with its
// neighbours, counted from 1. `fmt` has three digits: vertex sizes, vertex weights, edge weights.
#include <topowise/traffic_source/matrix/matrix_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <topowise/base/first_index.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/rank_range.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/block_lines.hpp>
#include <topowise/reading/matrix_reading.hpp>
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

using Header = metis::Header;

bool is_remark(std::string_view line) {
  return trim(line).starts_with('%');
}

class MetisReader {
 public:
  MetisReader(const std::string& where, std::string_view text)
      : text_(text), lines_(where, text), diagnostics_(lines_) {}

  Traffic read() {
    std::size_t line = 0;
    while (line < lines_.size() && matrix::is_comment(lines_[line], "%")) ++line;
    const std::optional<Header> header =
        line < lines_.size() ? metis::parse_header(split_blanks(lines_[line], 5)) : std::nullopt;
    if (!header) diagnostics_.fail(line, {}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    header_ = *header;
    // Every vertex has a line, which may be empty. So the announced number of vertices is checked against the lines.
    if (header_.vertices > lines_.size() - line)
      diagnostics_.fail(line, {},
                        fmt::format("{} vertices are announced, but only {} lines follow", header_.vertices,
                                    lines_.size() - line - 1));
    // The number of edges is checked, too: each edge is named twice, and takes two bytes each time.
    const std::size_t header_line = line;
    if (header_.edges / header_.vertices > header_.vertices)
      diagnostics_.fail(
          line, {},
          fmt::format("{} edges are announced, more than {} vertices can have", header_.edges, header_.vertices));
    kept_ = header_.edges <= text_.size() && matrix::can_hold(text_.size(), 2 * header_.edges);
    if (kept_) {
      neighbors_.reserve(2 * header_.edges);
      if (header_.weighted) weights_.reserve(2 * header_.edges);
    }
    std::size_t vertex = 0;
    for (++line; line < lines_.size(); ++line) {
      if (is_remark(lines_[line])) continue;
      first_.push_back(neighbors_.size());
      if (vertex < header_.vertices)
        read_vertex(line, vertex);
      else if (!trim(lines_[line]).empty())
        diagnostics_.fail(line, {}, fmt::format("a line after those of {} vertices", vertex));
      ++vertex;
    }
    // The line of a last vertex without neighbours is empty, and editors drop it.
    if (vertex + 1 < header_.vertices)
      diagnostics_.fail(header_line, {},
                        fmt::format("{} vertices are announced, but {} lines follow", header_.vertices, vertex));
    check_both_ways(header_line);
    diagnostics_.throw_if_any();
    return traffic();
  }

 private:
  void read_vertex(std::size_t line, std::size_t vertex) {
    const std::size_t count = count_words(lines_[line]);
    const std::size_t step = header_.weighted ? 2 : 1;
    if (count < header_.skipped || (count - header_.skipped) % step != 0)
      return diagnostics_.add(line, {},
                              fmt::format("vertex {} has {} numbers: not neighbours with weights", vertex + 1, count));
    std::string_view rest = lines_[line];
    for (std::size_t i = 0; i < header_.skipped; ++i) (void)take_word(rest);
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const auto neighbor = matrix::whole_number(diagnostics_, line, word, "a vertex", 1, header_.vertices);
      const double weight = header_.weighted ? matrix::amount(diagnostics_, line, take_word(rest)) : 1;
      if (!neighbor) continue;
      if (*neighbor == vertex + 1)
        diagnostics_.add(line, word, fmt::format("vertex {} is its own neighbour", vertex + 1));
      if (listed_++ >= 2 * header_.edges || !kept_) continue;
      neighbors_.push_back(static_cast<std::uint32_t>(*neighbor - 1));
      if (header_.weighted) weights_.push_back(weight);
    }
  }

  void check_both_ways(std::size_t header_line) {
    if (!diagnostics_.empty()) return;
    if (listed_ != 2 * header_.edges)
      return diagnostics_.add(
          header_line, {},
          fmt::format("{} edges are announced, but {} neighbours are listed instead of twice as many", header_.edges,
                      listed_));
    first_.resize(header_.vertices + 1, neighbors_.size());
    for (std::size_t v = 0; v < header_.vertices; ++v) sort_row(v);
    for (std::size_t v = 0; v < header_.vertices; ++v) {
      for (std::size_t i = first_[v]; i < first_[v + 1]; ++i) {
        if (times(v, edge(i)) <= times(neighbors_[i], {static_cast<std::uint32_t>(v), edge(i).second})) continue;
        return diagnostics_.add(
            header_line, {},
            fmt::format("the edge from vertex {} to {} is not listed with the same weight at both ends", v + 1,
                        neighbors_[i] + 1));
      }
    }
  }

  using Edge = std::pair<std::uint32_t, double>;  ///< a neighbour and a weight
  [[nodiscard]] Edge edge(std::size_t i) const { return {neighbors_[i], header_.weighted ? weights_[i] : 1.0}; }

  void sort_row(std::size_t vertex) {
    std::vector<Edge> row;
    for (std::size_t i = first_[vertex]; i < first_[vertex + 1]; ++i) row.push_back(edge(i));
    std::ranges::sort(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      neighbors_[first_[vertex] + i] = row[i].first;
      if (header_.weighted) weights_[first_[vertex] + i] = row[i].second;
    }
  }

  /// Number of times that the vertex lists such an edge. Its row must be sorted.
  [[nodiscard]] std::size_t times(std::size_t vertex, const Edge& wanted) const {
    const std::size_t end = first_[vertex + 1];
    const std::size_t first = first_index(first_[vertex], end, [&](std::size_t i) { return edge(i) < wanted; });
    return first_index(first, end, [&](std::size_t i) { return edge(i) == wanted; }) - first;
  }

  [[nodiscard]] Traffic traffic() const {
    TrafficBuilder traffic;
    for (std::size_t v = 0; v < header_.vertices; ++v) {
      for (std::size_t i = first_[v]; i < first_[v + 1];) {
        TrafficEntry sum = matrix::entry(v, neighbors_[i], 0);
        for (; i < first_[v + 1] && neighbors_[i] == sum.destination.index(); ++i) sum.bytes += Bytes(edge(i).second);
        traffic.add(sum);
      }
    }
    return std::move(traffic).finish(header_.vertices);
  }

  std::string_view text_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  Header header_;
  bool kept_ = false;
  std::size_t listed_ = 0;  ///< number of neighbours listed, each as often as it is named
  // Vertex v lists what stands from first_[v] to first_[v + 1].
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> neighbors_;
  std::vector<double> weights_;  ///< empty if all weights are 1
};

}  // namespace

TrafficRows read_metis_rows(Input input, std::size_t piece, std::size_t pieces) {
  return RowsReader(std::move(input), piece, pieces).read();
}

/// A matrix of 2 to 4 columns also begins with a line of 2 to 4 numbers, but it has as many lines as columns, and all
/// are equally long. A METIS file has one line more than vertices, or lines of different lengths.
bool looks_like_metis(std::string_view head) {
  constexpr std::size_t kWholeHead = 65536;
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  std::optional<Header> header;
  std::size_t columns = 0;
  std::size_t rows = 0;
  bool ragged = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_remark(lines[i]) || (!header && trim(lines[i]).empty())) continue;
    const std::size_t words = count_words(lines[i]);
    if (!header) {
      header = metis::parse_header(split_blanks(lines[i], 5));
      if (!header) return false;
      columns = words;
    }
    ++rows;
    if (words != columns && (i + 1 < lines.size() || head.size() < kWholeHead)) ragged = true;
  }
  if (!header || (rows == columns && !ragged)) return false;
  return ragged || rows == header->vertices + 1;
}

Traffic read_metis(const std::string& where, std::string_view text) {
  return MetisReader(where, text).read();
}

}  // namespace topowise
