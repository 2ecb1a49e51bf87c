// SPDX-License-Identifier: BSD-3-Clause
// METIS graph files (METIS 5 manual, section 4.1.1): a line "n m [fmt [ncon]]", then a line a vertex with its
// neighbours, counted from 1. `fmt` has three digits: vertex sizes, vertex weights, edge weights.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/matrix/metis_header.hpp>

namespace topowise {
namespace {

using Header = metis::Header;

bool is_remark(std::string_view line) {
  return trim(line).starts_with('%');
}

class MetisReader {
 public:
  MetisReader(const std::string& where, std::string_view text) : lines_(where, text), complaints_(lines_) {}

  Traffic read() {
    std::size_t line = 0;
    while (line < lines_.size() && matrix::is_comment(lines_[line], "%")) ++line;
    const std::optional<Header> header =
        line < lines_.size() ? metis::parse_header(split_blanks(lines_[line])) : std::nullopt;
    if (!header) complaints_.fail(line, {}, "no first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
    header_ = *header;
    // Every vertex has a line, if an empty one: what is announced is checked before it is believed.
    if (header_.vertices > lines_.size() - line)
      complaints_.fail(line, {},
                       fmt::format("{} vertices are announced, but only {} lines follow", header_.vertices,
                                   lines_.size() - line - 1));
    const std::size_t header_line = line;
    std::size_t vertex = 0;
    for (++line; line < lines_.size(); ++line) {
      if (is_remark(lines_[line])) continue;
      if (vertex < header_.vertices)
        read_vertex(line, vertex);
      else if (!trim(lines_[line]).empty())
        complaints_.fail(line, {}, fmt::format("a line after those of {} vertices", vertex));
      ++vertex;
    }
    // A last vertex without neighbours is an empty line; editors drop it.
    if (vertex + 1 < header_.vertices)
      complaints_.fail(header_line, {},
                       fmt::format("{} vertices are announced, but {} lines follow", header_.vertices, vertex));
    check_both_ways(header_line);
    complaints_.throw_if_any();
    return Traffic::from_entries(header_.vertices, std::move(entries_));
  }

 private:
  void read_vertex(std::size_t line, std::size_t vertex) {
    const std::vector<std::string_view> words = split_blanks(lines_[line]);
    const std::size_t step = header_.weighted ? 2 : 1;
    if (words.size() < header_.skipped || (words.size() - header_.skipped) % step != 0)
      return complaints_.add(
          line, {}, fmt::format("vertex {} has {} numbers: not neighbours with weights", vertex + 1, words.size()));
    for (std::size_t i = header_.skipped; i < words.size(); i += step) {
      const auto neighbor = matrix::whole_number(complaints_, line, words[i], "a vertex", 1, header_.vertices);
      const double weight = header_.weighted ? matrix::amount(complaints_, line, words[i + 1]) : 1;
      if (!neighbor) continue;
      if (*neighbor == vertex + 1)
        complaints_.add(line, words[i], fmt::format("vertex {} is its own neighbour", vertex + 1));
      entries_.push_back(matrix::entry(vertex, *neighbor - 1, weight));
    }
  }

  void check_both_ways(std::size_t header_line) {
    if (!complaints_.empty()) return;
    if (entries_.size() != 2 * header_.edges)
      complaints_.add(header_line, {},
                      fmt::format("{} edges are announced, but {} neighbours are listed instead of twice as many",
                                  header_.edges, entries_.size()));
    const auto key = [](const TrafficEntry& e) { return std::tuple(e.source, e.destination, e.bytes); };
    const auto reversed = [](const TrafficEntry& e) { return std::tuple(e.destination, e.source, e.bytes); };
    std::ranges::sort(entries_, {}, key);
    std::vector<TrafficEntry> back = entries_;
    std::ranges::sort(back, {}, reversed);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (key(entries_[i]) == reversed(back[i])) continue;
      const TrafficEntry& lonely = key(entries_[i]) < reversed(back[i]) ? entries_[i] : back[i];
      return complaints_.add(
          header_line, {},
          fmt::format("the edge from vertex {} to {} is not listed with the same weight at both ends",
                      lonely.source.index() + 1, lonely.destination.index() + 1));
    }
  }

  TextLines lines_;
  matrix::Complaints complaints_;
  Header header_;
  std::vector<TrafficEntry> entries_;
};

}  // namespace

/// A matrix of 2 to 4 columns also begins with a line of 2 to 4 numbers: it has as many lines as columns and all are
/// equally long. METIS has a line more than vertices, or lines of different lengths.
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
    const std::vector<std::string_view> words = split_blanks(lines[i]);
    if (!header) {
      header = metis::parse_header(words);
      if (!header) return false;
      columns = words.size();
    }
    ++rows;
    if (words.size() != columns && (i + 1 < lines.size() || head.size() < kWholeHead)) ragged = true;
  }
  if (!header || (rows == columns && !ragged)) return false;
  return ragged || rows == header->vertices + 1;
}

Traffic read_metis(const std::string& where, std::string_view text) {
  return MetisReader(where, text).read();
}

}  // namespace topowise
