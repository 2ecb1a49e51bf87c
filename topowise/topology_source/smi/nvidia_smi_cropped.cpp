// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_cropped.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise {
namespace {

/// The columns that a line takes on the screen.
std::size_t width_of(std::string_view line) {
  constexpr std::size_t kTab = 8;
  std::size_t width = 0;
  for (const char c : line) width = c == '\t' ? (width / kTab + 1) * kTab : width + 1;
  return width;
}

std::string_view without_end_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

bool ends_line(std::string_view line, std::string_view cell) {
  return !cell.empty() && cell.data() + cell.size() == line.data() + line.size();
}

/// True if a header ends like "... CPU Affin".
bool is_cropped_header(std::string_view line) {
  constexpr std::string_view kTitle = "CPU Affinity";
  const std::size_t begin = line.rfind("CPU");
  return begin != std::string_view::npos && line.size() - begin < kTitle.size() &&
         kTitle.starts_with(line.substr(begin));
}

/// True for "0-11," and "0-11,24-3", whose end is missing, and for "0-11,2", because hyperthreads make ranges of one
/// length.
bool looks_cut(std::string_view cell) {
  const std::optional<CpuRanges> list = parse_cpu_list(cell);
  if (!list) return is_digit(cell.front());
  return std::ranges::any_of(*list, [&](const std::pair<int, int>& range) {
    return range.second - range.first != list->front().second - list->front().first;
  });
}

/// True for "32-63,96-12", because hyperthreads make ranges of one length.
bool ends_short(std::string_view cell) {
  const std::optional<CpuRanges> list = parse_cpu_list(cell);
  return list && list->back().second - list->back().first < list->front().second - list->front().first;
}

/// Marks the rows whose lists end at the right edge of the text, if that edge cut the header or several lists.
void add_cut_right(const TextLines& lines, const SmiTable& table, std::vector<bool>& cropped) {
  const std::string_view header = without_end_blanks(lines[table.header_line]);
  std::size_t edge = width_of(header);
  for (const SmiRow& row : table.rows) edge = std::max(edge, width_of(without_end_blanks(lines[row.line])));
  std::vector<std::size_t> at_edge;
  std::vector<std::string_view> cut;  // different lists that look cut
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string_view line = without_end_blanks(lines[table.rows[r].line]);
    const std::string_view cell = table.rows[r].cpus;
    if (!ends_line(line, cell) || !is_digit(cell.front()) || width_of(line) < edge) continue;
    at_edge.push_back(r);
    if (looks_cut(cell) && std::ranges::find(cut, cell) == cut.end()) cut.push_back(cell);
  }
  const bool unfinished =
      std::ranges::any_of(cut, [](std::string_view cell) { return !parse_cpu_list(cell).has_value(); });
  if (!is_cropped_header(header) && !unfinished && cut.size() < 2) return;
  for (const std::size_t r : at_edge) cropped[r] = true;
}

bool lacks_rows(const SmiTable& table) {
  return !std::ranges::all_of(table.columns, [&](std::string_view name) {
    return std::ranges::find(table.rows, name, &SmiRow::name) != table.rows.end();
  });
}

/// True if nothing follows `cell` of that row in the text.
bool ends_text(const TextLines& lines, const SmiRow& row, std::string_view cell) {
  if (!ends_line(without_end_blanks(lines[row.line]), cell)) return false;
  for (std::size_t l = row.line + 1; l < lines.size(); ++l) {
    if (!trim(lines[l]).empty()) return false;
  }
  return true;
}

/// Marks the last row if the text ends in its list, and that may be a part of the list: rows are missing or a NUMA id
/// that all others have, and no list of another row has as few parts; or it is the only list whose last range is
/// shorter than its first.
void add_cut_below(const TextLines& lines, const SmiTable& table, std::vector<bool>& cropped) {
  const SmiRow& last = table.rows.back();
  if (last.cpus.empty() || !ends_text(lines, last, last.cpus)) return;
  const auto parts = [](const SmiRow& row) { return std::ranges::count(row.cpus, ','); };
  bool fewest = true;
  bool lacks_numa = last.numa.empty() && table.rows.size() > 1;
  bool is_short = ends_short(last.cpus);
  for (const SmiRow& row : table.rows) {
    if (&row == &last || row.cpus.empty()) continue;
    lacks_numa = lacks_numa && !row.numa.empty();
    fewest = fewest && parts(row) > parts(last);
    is_short = is_short && !ends_short(row.cpus);
  }
  if ((fewest && (lacks_numa || lacks_rows(table))) || is_short) cropped.back() = true;
}

}  // namespace

bool is_cut_off(const TextLines& lines, const SmiTable& table, const SmiRow& row, std::string_view cell) {
  if (&row != &table.rows.back() || !is_digit(cell.back()) || !ends_text(lines, row, cell)) return false;
  return row.cells.size() < table.columns.size() || lacks_rows(table);
}

std::vector<bool> cropped_lists(const TextLines& lines, const SmiTable& table) {
  std::vector<bool> cropped(table.rows.size(), false);
  add_cut_right(lines, table, cropped);
  add_cut_below(lines, table, cropped);
  return cropped;
}

}  // namespace topowise
