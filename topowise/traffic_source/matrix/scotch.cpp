// SPDX-License-Identifier: BSD-3-Clause
// Scotch's .grf (Scotch user's guide, "Graph files"): "0", "VERTICES ARCS", "BASE FLAGS", then for each vertex its
// label, its load, its degree, and of each neighbour the load of the edge and the vertex. The three digits of FLAGS say
// which of labels, edge loads and vertex loads are there. Each edge is listed at both of its ends.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostArcs = std::size_t{1} << 40;

/// A number that two arcs have in common only by chance (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

std::uint64_t mark_of(std::size_t from, std::size_t to, double load) {
  return mixed(mixed(mixed(from) + to) + std::bit_cast<std::uint64_t>(load));
}

class ScotchReader {
 public:
  ScotchReader(const std::string& where, std::string_view text)
      : text_(text), lines_(where, text), diagnostics_(lines_) {}

  Traffic read() {
    if (const std::string_view version = word(); version != "0")
      diagnostics_.fail(line_, version,
                        fmt::format("version '{}' of Scotch's graphs, not 0", printable(version.substr(0, 40))));
    vertices_ = required("a number of vertices", 1, matrix::kMostRanks);
    const std::size_t header = line_;
    const std::size_t arcs = required("a number of arcs", 0, kMostArcs);
    base_ = required("a base", 0, 1);
    read_flags();
    // A vertex takes two bytes, and so does an arc.
    if (!matrix::can_hold(text_.size(), vertices_) || !matrix::can_hold(text_.size(), arcs))
      diagnostics_.fail(
          header, {},
          fmt::format("{} vertices and {} arcs are announced, more than the file can hold", vertices_, arcs));
    std::vector<bool> seen(vertices_, false);
    for (std::size_t i = 0; i < vertices_; ++i) read_vertex(i, seen);
    if (const std::string_view more = word(); !more.empty())
      diagnostics_.fail(line_, more, fmt::format("something behind the {} vertices", vertices_));
    if (found_ != arcs)
      diagnostics_.fail(header, {}, fmt::format("{} arcs are announced, and {} are listed", arcs, found_));
    if (forward_ != backward_)
      diagnostics_.fail(header, {}, "the edges are not listed with the same load at both of their ends");
    return std::move(entries_).finish(vertices_);
  }

 private:
  /// The next word of the text; empty at its end.
  std::string_view word() {
    while (true) {
      const std::string_view next = take_word(rest_);
      if (!next.empty()) return next;
      if (begun_ == lines_.size()) return {};
      line_ = begun_++;
      rest_ = lines_[line_];
    }
  }

  std::size_t required(std::string_view what, std::size_t least, std::size_t most) {
    const std::string_view next = word();
    if (next.empty()) diagnostics_.fail(lines_.size(), {}, fmt::format("the graph ends here; {} is missing", what));
    const std::optional<std::size_t> number = matrix::whole_number(diagnostics_, line_, next, what, least, most);
    diagnostics_.throw_if_any();
    return number.value_or(least);
  }

  void read_flags() {
    const std::string_view flags = word();
    const auto is_flag = [](char c) { return c == '0' || c == '1'; };
    if (flags.empty() || flags.size() > 3 || !std::ranges::all_of(flags, is_flag))
      diagnostics_.fail(line_, flags, "not three digits, each 0 or 1");
    const auto digit = [&](std::size_t from_right) {
      return flags.size() > from_right && flags[flags.size() - 1 - from_right] == '1';
    };
    vertex_loads_ = digit(0);
    edge_loads_ = digit(1);
    labels_ = digit(2);
  }

  void read_vertex(std::size_t number, std::vector<bool>& seen) {
    std::size_t vertex = number;
    if (labels_) vertex = required("a vertex", base_, base_ + vertices_ - 1) - base_;
    if (seen[vertex]) diagnostics_.fail(line_, {}, fmt::format("vertex {} is listed before", vertex + base_));
    seen[vertex] = true;
    if (vertex_loads_ && word().empty()) diagnostics_.fail(lines_.size(), {}, "the graph ends here");
    const std::size_t degree = required("a degree", 0, kMostArcs);
    for (std::size_t i = 0; i < degree; ++i) {
      double load = 1;
      if (edge_loads_) {
        const std::string_view cell = word();
        if (cell.empty()) diagnostics_.fail(lines_.size(), {}, "the graph ends here; the load of an edge is missing");
        load = matrix::amount(diagnostics_, line_, cell);
        diagnostics_.throw_if_any();
      }
      const std::size_t other = required("a vertex", base_, base_ + vertices_ - 1) - base_;
      if (other == vertex) diagnostics_.fail(line_, {}, fmt::format("vertex {} is its own neighbour", vertex + base_));
      ++found_;
      forward_ += mark_of(vertex, other, load);
      backward_ += mark_of(other, vertex, load);
      if (load > 0) entries_.add(matrix::entry(vertex, other, load));
    }
  }

  std::string_view text_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  std::string_view rest_;  ///< of the line
  std::size_t line_ = 0;   ///< the line of the last word
  std::size_t begun_ = 0;  ///< the next line
  std::size_t vertices_ = 0;
  std::size_t base_ = 0;
  bool labels_ = false;
  bool edge_loads_ = false;
  bool vertex_loads_ = false;
  std::size_t found_ = 0;      ///< number of arcs
  std::uint64_t forward_ = 0;  ///< sums over all arcs: they differ if an arc has no counterpart
  std::uint64_t backward_ = 0;
  TrafficBuilder entries_;
};

}  // namespace

bool looks_like_scotch(std::string_view head) {
  if (!matrix::is_text(head) || trim(take_part(head, '\n')) != "0") return false;
  if (count_words(take_part(head, '\n')) != 2) return false;
  std::string_view line = take_part(head, '\n');
  const std::string_view base = take_word(line);
  const std::string_view flags = take_word(line);
  return (base == "0" || base == "1") && flags.size() == 3 && trim(line).empty() &&
         std::ranges::all_of(flags, [](char c) { return c == '0' || c == '1'; });
}

Traffic read_scotch(const std::string& where, std::string_view text) {
  return ScotchReader(where, text).read();
}

}  // namespace topowise
