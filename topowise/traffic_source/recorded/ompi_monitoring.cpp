// SPDX-License-Identifier: BSD-3-Clause
// Rows, TAB separated (ompi/mca/common/monitoring/common_monitoring.c):
//   E source destination N bytes M msgs sent HISTOGRAM   point to point, by the program
//   I ...                                                the same by the library: collectives after their decomposition
//   S ...  R ...                                         one-sided: bytes put by the source, bytes that the source got
//   C ...                                                collectives, by a naive count: the same bytes as in I; left
//   out D NAME procs: 0,1,...  O2A/A2O/A2A RANK ...          the same by communicator: only its ranks are used
// The histogram is missing on some I rows. R moves data towards its source, so its direction is reversed.
#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostCount = std::size_t{1} << 53;

class MonitoringReader {
 public:
  void add(const std::string& where, std::string_view text) {
    const TextLines lines(where, text);
    if (entries_.empty()) entries_.reserve(count_pairs(lines));
    matrix::TextDiagnostics diagnostics(lines);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      if (!matrix::is_comment(lines[line], "#")) read_row({line, lines[line], diagnostics});
    }
    diagnostics.throw_if_any();
  }

  Traffic finish(const std::string& where, std::vector<Diagnostic>& warnings) {
    if (ranks_ == 0) throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, "no rows of any rank", {}, {}}});
    warn_of_missing_ranks(where, warnings);
    return Traffic::from_entries(ranks_, std::move(entries_));
  }

 private:
  struct Row {
    std::size_t line;
    std::string_view text;
    matrix::TextDiagnostics& diagnostics;

    void add_diagnostic(std::string_view cell, const std::string& what) const { diagnostics.add(line, cell, what); }
  };

  /// Number of rows that describe a pair.
  static std::size_t count_pairs(const TextLines& lines) {
    std::size_t count = 0;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::string_view text = lines[line].substr(0, 2);
      count += text == "E\t" || text == "I\t" || text == "S\t" || text == "R\t" ? 1U : 0U;
    }
    return count;
  }

  void read_row(const Row& row) {
    const std::vector<std::string_view> words = split_blanks(row.text, 10);
    const std::string_view kind = words.front();
    if (kind == "E" || kind == "I" || kind == "S" || kind == "R" || kind == "C") return read_pair(row, words);
    if (kind == "O2A" || kind == "A2O" || kind == "A2A") {
      if (words.size() < 2) return row.add_diagnostic({}, "the rank is missing");
      if (const auto rank = read_rank(row, words[1])) wrote_[*rank] = true;
      return;
    }
    if (kind == "D") return read_members(row);
    row.add_diagnostic(kind, fmt::format("unknown row '{}'", printable(kind.substr(0, 40))));
  }

  void read_pair(const Row& row, const std::vector<std::string_view>& words) {
    if (words.size() < 8 || words.size() > 9 || words[4] != "bytes" || words[6] != "msgs" || words[7] != "sent")
      return row.add_diagnostic({}, "not 'KIND SOURCE DESTINATION N bytes M msgs sent'");
    const auto source = read_rank(row, words[1]);
    const auto destination = read_rank(row, words[2]);
    const auto bytes = matrix::whole_number(row.diagnostics, row.line, words[3], "a size", 0, kMostCount);
    const auto messages = matrix::whole_number(row.diagnostics, row.line, words[5], "a count", 0, kMostCount);
    if (!source || !destination || !bytes || !messages) return;
    wrote_[*source] = true;
    if (words[0] == "C") return;
    const bool towards_source = words[0] == "R";
    entries_.push_back({Rank(towards_source ? *destination : *source), Rank(towards_source ? *source : *destination),
                        Bytes(static_cast<double>(*bytes)), *messages});
  }

  void read_members(const Row& row) {
    const std::size_t list = row.text.rfind("procs:");
    if (list == std::string_view::npos) return row.add_diagnostic({}, "the members ('procs:') are missing");
    std::string_view rest = trim(row.text.substr(list + 6));
    do (void)read_rank(row, trim(take_part(rest, ',')));
    while (!rest.empty());
  }

  std::optional<std::size_t> read_rank(const Row& row, std::string_view word) {
    const auto rank = matrix::whole_number(row.diagnostics, row.line, word, "a rank", 0, matrix::kMostRanks - 1);
    if (rank && *rank >= ranks_) {
      ranks_ = *rank + 1;
      wrote_.resize(ranks_);
    }
    return rank;
  }

  void warn_of_missing_ranks(const std::string& where, std::vector<Diagnostic>& warnings) const {
    const auto missing = static_cast<std::size_t>(std::ranges::count(wrote_, false));
    if (missing == 0) return;
    const auto first = static_cast<std::size_t>(std::ranges::find(wrote_, false) - wrote_.begin());
    warnings.push_back({where,
                        {},
                        fmt::format("no rows of {} of {} ranks, the first is rank {}: traffic from there is missing",
                                    missing, ranks_, first),
                        {},
                        "give the directory with the .prof files of all ranks, or join them: cat NAME.*.prof"});
  }

  std::size_t ranks_ = 0;
  std::vector<bool> wrote_;  ///< by rank: true if the text has rows that this rank wrote
  std::vector<TrafficEntry> entries_;
};

}  // namespace

bool looks_like_ompi_monitoring(std::string_view head) {
  return matrix::is_text(head) &&
         (head.starts_with("# POINT TO POINT") || head.starts_with("E\t") || head.starts_with("I\t"));
}

Traffic read_ompi_monitoring(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings) {
  MonitoringReader reader;
  reader.add(where, text);
  return reader.finish(where, warnings);
}

Traffic read_ompi_monitoring_files(const std::string& where, std::span<const std::string> paths,
                                   std::vector<Diagnostic>& warnings) {
  MonitoringReader reader;
  for (const std::string& path : paths) reader.add(path, read_found_file(path));
  return reader.finish(where, warnings);
}

}  // namespace topowise
