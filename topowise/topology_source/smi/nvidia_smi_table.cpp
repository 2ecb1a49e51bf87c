// SPDX-License-Identifier: BSD-3-Clause
// The grammar, from real output of eleven years: a header line with device names, then one row a device. Cells are
// separated by TABs (the tool), by blanks (pasted text) or both, or are in a grid (Markdown, CSV). Headers and rows
// may have a prefix (indentation, a log's time stamp). Up to three affinity columns follow the devices, "CPU Affinity",
// "NUMA Affinity", "GPU NUMA ID", in any order; any of their cells may be empty, so they are told apart by their shape.
// NIC rows may be short or missing. A legend and a NIC legend may follow. Copies from web pages lose the TABs, so that
// cells are glued together; a word that could be cut in several ways is kept with its row, for no machine may be made
// of it.
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/nvidia_smi_header.hpp>
#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {
namespace {

// The matrix of `nvidia-smi topo -m` as people pass it on: a Markdown table, a box of lines, CSV. The columns have the
// order of the header; often the affinity columns come first.

class SmiGrid {
 public:
  /// Reads the header `line` with `separator` between its cells; nothing if it is no header.
  [[nodiscard]] static std::optional<SmiGrid> with_header(std::string_view line, char separator);

  [[nodiscard]] const SmiWords& devices() const { return devices_; }
  /// Reads a row; nothing if the line is none.
  [[nodiscard]] std::optional<SmiRow> read_row(std::string_view line) const;

 private:
  [[nodiscard]] SmiWords cut(std::string_view line) const;

  char separator_ = '|';
  std::size_t width_ = 0;
  SmiWords devices_;
  std::vector<bool> is_device_;  ///< by column
  std::optional<std::size_t> cpu_column_, numa_column_;
};

/// The cell without quotes and without the marks that make it bold or code.
std::string_view bare(std::string_view cell) {
  constexpr std::string_view kMarks = "*`\"";
  cell = trim(cell);
  const auto is_mark = [&](char c) { return kMarks.find(c) != std::string_view::npos; };
  while (!cell.empty() && is_mark(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_mark(cell.back())) cell.remove_suffix(1);
  return trim(cell);
}

/// The parts between separators that are not in quotes: "0-7,16-23" in CSV is one cell.
SmiWords split_unquoted(std::string_view line, char separator) {
  SmiWords cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] != separator || quoted) continue;
    cells.push_back(line.substr(begin, at - begin));
    begin = at + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

bool has(std::string_view cell, std::string_view word) {
  return cell.find(word) != std::string_view::npos;
}

std::optional<SmiGrid> SmiGrid::with_header(std::string_view line, char separator) {
  if (!has(line, std::string_view(&separator, 1))) return std::nullopt;
  SmiGrid grid;
  grid.separator_ = separator;
  const SmiWords cells = grid.cut(line);
  grid.width_ = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    grid.is_device_.push_back(is_device_name(cells[i]));
    if (grid.is_device_.back())
      grid.devices_.push_back(cells[i]);
    else if (affinity_columns(cells[i]).front() == AffinityColumn::cpu)
      grid.cpu_column_ = i;
    else if (affinity_columns(cells[i]).front() == AffinityColumn::numa)
      grid.numa_column_ = i;
  }
  const bool is_header =
      std::ranges::any_of(grid.devices_, is_accelerator_name) && grid.devices_.size() < grid.is_device_.size();
  return is_header ? std::optional(std::move(grid)) : std::nullopt;
}

std::optional<SmiRow> SmiGrid::read_row(std::string_view line) const {
  const SmiWords cells = cut(line);
  SmiRow row;
  for (std::size_t i = 0; i < std::min(cells.size(), width_); ++i) {
    if (is_device_[i])
      row.cells.push_back(cells[i]);
    else if (row.name.empty() && is_device_name(cells[i]))
      row.name = cells[i];
  }
  if (row.name.empty() || !std::ranges::any_of(row.cells, may_be_cell)) return std::nullopt;
  if (cpu_column_ && *cpu_column_ < cells.size()) row.cpus = cells[*cpu_column_];
  if (numa_column_ && *numa_column_ < cells.size()) row.numa = cells[*numa_column_];
  row.glued_tail = cells.size() > width_;  // a list without quotes contains the separators of the file
  return row;
}

/// Cuts a line into cells. A table with outer bars has them on both sides.
SmiWords SmiGrid::cut(std::string_view line) const {
  line = trim(line);
  if (separator_ == '|' && line.size() > 1 && line.starts_with('|') && line.ends_with('|'))
    line = line.substr(1, line.size() - 2);
  SmiWords cells = separator_ == '|' ? split(line, separator_) : split_unquoted(line, separator_);
  for (std::string_view& cell : cells) cell = bare(cell);
  return cells;
}

using Words = SmiWords;

bool is_affinity_shaped(std::string_view word) {
  return is_digit(word.front()) || word.front() == '-' || word.front() == ',' || word == "N/A";
}

/// Reads a line of words between blanks as a row, if it is one: [prefix] NAME CELL... [affinity].
std::optional<SmiRow> parse_row(const SmiHeader& header, const SmiCellEnds& ends, std::string_view line) {
  const auto& [words, glued, uncertain] = unglued_row(split_blanks(line), ends);
  auto name = words.begin();
  for (; name != words.end(); ++name) {
    // If the column of a device was cropped away, its row is recognised by the cell after its name.
    const bool cell_follows = name + 1 != words.end() && is_smi_cell(name[1]);
    if (ends.names.contains(*name) || is_accelerator_name(*name) || (cell_follows && is_device_name(*name))) break;
  }
  SmiRow row;
  row.name = row.uncertain = uncertain;
  if (name == words.end()) return uncertain.empty() ? std::nullopt : std::optional(row);
  row.name = *name;
  row.uncertain = uncertain.empty() && is_glued_name(row.name) ? row.name : uncertain;
  auto word = name + 1;
  if (!header.lead.empty()) {
    auto end = word;
    while (end != words.end() && end - word < std::ssize(header.lead) && is_affinity_shaped(*end)) ++end;
    assign_affinity(row, header.lead, std::span(word, end));
    word = end;
  }
  bool any_known = false;
  bool all_in_form = true;
  for (; word != words.end() && row.cells.size() < header.devices.size() && !is_affinity_shaped(*word); ++word) {
    any_known = any_known || is_smi_cell(*word);
    all_in_form = all_in_form && may_be_cell(*word);
    row.cells.push_back(*word);
  }
  const bool in_form = all_in_form && row.cells.size() >= std::min<std::size_t>(2, header.devices.size());
  if (!any_known && !in_form && row.uncertain.empty()) return std::nullopt;
  const auto tail = std::span(words).subspan(static_cast<std::size_t>(word - words.begin()));
  row.surplus = !tail.empty() && row.cells.size() == header.devices.size() && may_be_cell(tail.front());
  assign_affinity(row, header.tail, tail);
  row.glued_tail = (glued || header.glued) && tail.size() == 1 && header.tail.size() > 1;
  return row;
}

bool has_self_cell(const SmiRow& row) {
  return std::ranges::any_of(row.cells, is_self_word);
}

/// Reads the rows. Other lines of a log may interrupt them, but a legend or the next header ends them. Nothing if there
/// is no row.
template <class ParseRow>
std::optional<SmiTable> read_rows(const TextLines& lines, std::size_t header_line, std::size_t first_row,
                                  const Words& columns, const ParseRow& parse) {
  SmiTable table;
  table.header_line = header_line;
  table.columns = columns;
  for (std::size_t l = first_row; l < lines.size(); ++l) {
    const std::string_view line = trim(lines[l]);
    if (line.starts_with("Legend") || line.starts_with("NIC Legend") || parse_smi_header(split_blanks(line))) break;
    std::optional<SmiRow> row = parse(line);
    if (!row) continue;
    if (table.rows.size() > DeviceMatrix::kMost) break;  // too many already
    row->line = l;
    row->cells.shrink_to_fit();
    table.rows.push_back(std::move(*row));
  }
  if (table.rows.empty()) return std::nullopt;
  std::size_t p2p_cells = 0;
  std::size_t cells = 0;
  for (const SmiRow& row : table.rows) {
    p2p_cells += static_cast<std::size_t>(std::ranges::count_if(row.cells, is_p2p_word));
    cells += static_cast<std::size_t>(std::ranges::count_if(row.cells, [](auto cell) { return !is_self_word(cell); }));
  }
  table.is_p2p = p2p_cells > 0 && p2p_cells * 2 > cells;
  return table;
}

/// What is needed to know where glued cells end in the table below line `header`.
SmiCellEnds cell_ends_of(const TextLines& lines, std::size_t header, const Words& devices) {
  SmiCellEnds ends;
  ends.names.insert(devices.begin(), devices.end());
  for (std::size_t l = header + 1; l < lines.size() && l <= header + 2 * devices.size(); ++l)
    add_bond_widths(lines[l], ends);
  return ends;
}

/// True for "GPU0 X ...": a line that continues no line before it.
bool begins_row(std::string_view line) {
  const Words words = split_blanks(line, 2);
  return words.size() == 2 && is_device_name(words[0]) && may_be_cell(words[1]);
}

/// The names of the rows below line `header`, as far as few other lines are among them.
std::set<std::string_view> labels_below(const TextLines& lines, std::size_t header) {
  constexpr std::size_t kMostOthers = 4;
  std::set<std::string_view> labels;
  std::size_t others = 0;
  for (std::size_t l = header + 1; l < lines.size() && labels.size() <= DeviceMatrix::kMost; ++l) {
    const Words words = split_blanks(lines[l], 2);
    if (words.size() == 2 && is_device_name(words[0]) && may_be_cell(words[1]))
      labels.insert(words[0]);
    else if (++others > kMostOthers)
      break;
  }
  return labels;
}

/// True if each row has a cell for each column, and X where it meets its own name.
bool is_whole(const SmiTable& table) {
  const auto whole = [&](const SmiRow& row) {
    if (row.surplus || row.cells.size() != table.columns.size()) return false;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (is_self_word(row.cells[c]) != (table.columns[c] == row.name)) return false;
    }
    return true;
  };
  return std::ranges::all_of(table.rows, whole);
}

/// True for "CPU Affinity NUMA Affinity", the end of a header that a terminal broke.
bool is_lost_tail(const TextLines& lines, std::size_t l) {
  return lines[l].find("Affinity") != std::string_view::npos &&
         affinity_columns(lines[l]).front() != AffinityColumn::other && !may_name_accelerators(lines[l]);
}

/// The table whose header a terminal broke, although its rows are whole: "GPU0" and below it "GPU1 CPU Affinity".
/// Nothing if the lines do not fit together in every row.
std::optional<SmiTable> table_of_broken_header(const TextLines& lines, std::size_t l, const SmiHeader& begin) {
  constexpr std::size_t kMostLines = 16;
  if (!begin.tail.empty() || !begin.unknown.empty()) return std::nullopt;
  Words words = split_blanks(lines[l]);
  std::size_t next = l + 1;
  for (; next < lines.size() && next < l + kMostLines && !begins_row(lines[next]); ++next) {
    const Words more = split_blanks(lines[next]);
    if (more.empty() || std::ranges::find(words, more.front()) != words.end()) break;  // a name is there once
    const bool goes_on = is_device_name(more.front()) && parse_smi_header(more);
    if (!goes_on && !is_lost_tail(lines, next)) break;
    words.insert(words.end(), more.begin(), more.end());
  }
  const bool rows_follow = next > l + 1 && next < lines.size() && begins_row(lines[next]);
  std::optional<SmiHeader> header = rows_follow ? parse_smi_header(words) : std::nullopt;
  if (!header || header->devices.size() > DeviceMatrix::kMost) return std::nullopt;
  header->devices = cut_by_labels(header->devices, labels_below(lines, next - 1));
  const SmiCellEnds ends = cell_ends_of(lines, next - 1, header->devices);
  std::optional<SmiTable> table =
      read_rows(lines, l, next, header->devices, [&](std::string_view text) { return parse_row(*header, ends, text); });
  const bool distinct = ends.names.size() == header->devices.size();
  const auto has_tail = [](const SmiRow& row) { return !row.cpus.empty() || !row.numa.empty(); };
  if (!table || !distinct || !is_whole(*table)) return std::nullopt;
  if (!header->tail.empty() && std::ranges::none_of(table->rows, has_tail)) return std::nullopt;
  table->unknown = header->unknown;
  return table;
}

/// The table whose header is line `l`. A row must be near the header, because words like GPU0 occur in prose, too.
std::optional<SmiTable> table_at(const TextLines& lines, std::size_t l) {
  const auto check_devices = [&](const Words& names) {
    if (names.size() > DeviceMatrix::kMost)
      fail(lines.at(l, {}, fmt::format("more than {} devices in one matrix", DeviceMatrix::kMost)));
  };
  constexpr std::size_t kNearby = 4;
  const auto row_follows = [&](const auto& parse) {
    std::size_t seen = 0;
    for (std::size_t next = l + 1; next < lines.size() && seen < kNearby; ++next) {
      const std::string_view text = trim(lines[next]);
      if (text.empty()) continue;
      ++seen;
      const std::optional<SmiRow> row = parse(text);
      if (row && (has_self_cell(*row) || !row->uncertain.empty())) return true;
    }
    return false;
  };
  const std::string_view line = trim(lines[l]);
  if (!may_name_accelerators(line)) return std::nullopt;
  for (const char separator : {'|', ',', ';'}) {
    const std::optional<SmiGrid> grid = SmiGrid::with_header(line, separator);
    if (!grid) continue;
    check_devices(grid->devices());
    const auto parse = [&](std::string_view text) { return grid->read_row(text); };
    if (row_follows(parse)) return read_rows(lines, l, l + 1, grid->devices(), parse);
  }
  std::optional<SmiHeader> header = parse_smi_header(split_blanks(line));
  if (!header) return std::nullopt;
  add_devices_before(*header, split_blanks(line), labels_below(lines, l));
  check_devices(header->devices);
  if (std::optional<SmiTable> whole = table_of_broken_header(lines, l, *header)) return whole;
  SmiCellEnds ends = cell_ends_of(lines, l, header->devices);
  const auto parse = [&](std::string_view text) { return parse_row(*header, ends, text); };
  if (!row_follows(parse)) return std::nullopt;
  header->devices = cut_by_labels(header->devices, labels_below(lines, l));
  check_devices(header->devices);
  ends = cell_ends_of(lines, l, header->devices);
  std::optional<SmiTable> table = read_rows(lines, l, l + 1, header->devices, parse);
  if (table) table->unknown = header->unknown;
  return table;
}

/// True if the affinity columns are in the lines after the header, and their cells are lost with them.
bool has_lost_tail(const TextLines& lines, const SmiTable& table) {
  if (std::ranges::any_of(table.rows, [](const SmiRow& row) { return !row.cpus.empty(); })) return false;
  if (lines[table.header_line].find("Affinity") != std::string_view::npos) return false;
  for (std::size_t l = table.header_line + 1; l < table.rows.front().line; ++l) {
    if (lines[l].find("CPU Affinity") != std::string_view::npos) return true;
  }
  return false;
}

/// Reads the legends. Their wording changed over the years; of NVIDIA's own, only the words before '=' and the NIC
/// names are used. A line may have a prefix ("> ", "node01: ", its number). What is before line `from`, the end of
/// the table, only defines classes.
void read_legends(const TextLines& lines, std::size_t from, SmiTable& table) {
  constexpr std::size_t kMostWords = 8;
  constexpr std::size_t kMostEntries = 256;
  bool names_pix = false;
  bool names_nvlink = false;  // also true before NVLink existed: SOC was the name of SYS
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const Words words = split_blanks(lines[l], kMostWords);
    if (words.size() < 2) continue;
    if (const auto sign = std::ranges::find(words, "="); sign != words.begin() && sign != words.end()) {
      names_pix = names_pix || (l >= from && sign[-1] == "PIX");
      names_nvlink = names_nvlink || (l >= from && (sign[-1] == "NV#" || sign[-1] == "SOC"));
      const std::string_view line = lines[l];
      if (table.legend.size() < kMostEntries)
        table.legend.emplace(sign[-1], trim(line.substr(static_cast<std::size_t>(sign->data() - line.data()) + 1)));
    }
    const std::string_view nic = words[words.size() - 2];
    if (l >= from && nic.starts_with("NIC") && nic.ends_with(':') && table.nic_names.size() <= DeviceMatrix::kMost)
      table.nic_names.emplace(nic.substr(0, nic.size() - 1), words.back());
  }
  table.pci_only = names_pix && !names_nvlink;
}

/// The width of a terminal that broke all lines of a table; 0 if nothing is broken. The header's first line, which has
/// this length, must be no header, or a shorter one than together with the lines after it.
std::size_t broken_at(const TextLines& lines) {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1024;
  constexpr std::size_t kMostLines = 32;
  for (std::size_t l = 0; l + 1 < lines.size(); ++l) {
    const std::size_t width = lines[l].size();
    if (width < kNarrowest || width > kWidest || !names_first_accelerator(lines[l]) || begins_row(lines[l])) continue;
    std::string whole(lines[l]);
    std::size_t next = l + 1;
    for (; next < lines.size() && next < l + kMostLines && lines[next - 1].size() == width; ++next) {
      if (begins_row(lines[next])) break;
      whole += lines[next];
    }
    const std::optional<SmiHeader> begin = parse_smi_header(split_blanks(lines[l]));
    const std::optional<SmiHeader> joined = next > l + 1 ? parse_smi_header(split_blanks(whole)) : std::nullopt;
    if (joined && begins_row(lines[next]) && lines[next].size() <= width &&
        (!begin || begin->devices.size() + begin->tail.size() < joined->devices.size() + joined->tail.size()))
      return width;
  }
  return 0;
}

/// The text with the lines joined that a terminal of `width` columns broke. Empty lines follow in their place, so that
/// each line keeps its number.
std::string joined_lines(const TextLines& lines, std::size_t width) {
  std::string joined;
  std::size_t taken = 0;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const bool goes_on = lines[l].size() == width && l + 1 < lines.size() && !lines[l + 1].empty();
    joined += lines[l];
    if (goes_on && !begins_row(lines[l + 1])) {
      ++taken;
      continue;
    }
    joined.append(taken + 1, '\n');
    taken = 0;
  }
  return joined;
}

/// Removes the codes of colours that lost their ESC.
std::string without_colours(std::string plain) {
  std::size_t kept = 0;  // in place: the text may be large
  for (std::size_t i = 0; i < plain.size(); ++i) {
    std::size_t end = i + 1;
    while (plain[i] == '[' && end < plain.size() && (is_digit(plain[end]) || plain[end] == ';')) ++end;
    if (plain[i] == '[' && end < plain.size() && plain[end] == 'm')
      i = end;
    else
      plain[kept++] = plain[i];
  }
  plain.resize(kept);
  return plain;
}

/// True if what follows "GPU 1" shows that this is a name in a table: another heading, a cell, or the end of a header.
bool is_in_table(std::string_view rest, bool after_another) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const Words next = split_blanks(line, 1);
  if (next.empty()) return after_another;
  if (!is_blank(line.front())) return false;
  return next[0] == "GPU" || next[0] == "CPU" || next[0] == "NUMA" || next[0] == "Node" || is_smi_cell(next[0]);
}

/// Joins names that have a blank in them: "GPU 1" becomes " GPU1", and a tile "GPU 1/0" becomes " GPU1.0". So each
/// position keeps its number.
std::string with_joined_names(std::string plain) {
  constexpr std::string_view kName = "GPU ";
  const auto end_of_digits = [&](std::size_t at) {
    while (at < plain.size() && is_digit(plain[at])) ++at;
    return at;
  };
  std::size_t last = 0;  // the end of the last name that was joined
  for (std::size_t at = plain.find(kName); at != std::string::npos; at = plain.find(kName, at + 1)) {
    const std::size_t number = at + kName.size();
    const std::size_t slash = end_of_digits(number);
    const std::size_t tile = slash < plain.size() && plain[slash] == '/' ? end_of_digits(slash + 1) : slash;
    const bool is_tile = tile > slash + 1;
    const std::size_t end = is_tile ? tile : slash;
    const bool same_line = last > 0 && plain.find('\n', last) > at;
    if (slash == number || (!is_tile && !is_in_table(std::string_view(plain).substr(end), same_line))) continue;
    if (is_tile) plain[slash] = '.';
    plain.replace(at, kName.size(), " GPU");
    last = end;
  }
  return plain;
}

/// Replaces the lines of a drawn box by bars, in place.
std::string with_plain_bars(std::string plain) {
  constexpr std::array<std::string_view, 2> kDrawn{"\xe2\x94\x82", "\xe2\x94\x83"};
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain.size(); ++kept) {
    const std::string_view here = std::string_view(plain).substr(i, kDrawn[0].size());
    const bool is_drawn = std::ranges::find(kDrawn, here) != kDrawn.end();
    plain[kept] = is_drawn ? '|' : plain[i];
    i += is_drawn ? here.size() : 1;
  }
  plain.resize(kept);
  return plain;
}

}  // namespace

std::string smi_text(std::string_view text) {
  std::string plain = with_joined_names(with_plain_bars(without_colours(plain_text(text))));
  const TextLines lines({}, plain);
  const std::size_t width = broken_at(lines);
  return width > 0 ? joined_lines(lines, width) : plain;
}

SmiTables find_smi_tables(const TextLines& lines, Warnings& warnings) {
  constexpr std::size_t kMostTables = 64;
  SmiTables found;
  std::size_t tables = 0;
  const auto keep = [&](std::optional<SmiTable>& kept, SmiTable table, std::string_view what) {
    if (!kept)
      kept = std::move(table);
    else
      warnings.add(lines.at(table.header_line, {}, fmt::format("{} begins here; only the first one is read", what)));
  };
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::optional<SmiTable> table = table_at(lines, l);
    if (!table) continue;
    l = table->rows.back().line;
    if (++tables > kMostTables) {
      warnings.add(
          lines.at(table->header_line, {}, fmt::format("more than {} tables; no further ones are read", kMostTables)));
      break;
    }
    if (table->is_p2p)
      keep(found.peers, *std::move(table), "a second table of 'topo -p2p'");
    else
      keep(found.links, *std::move(table), "a second matrix");
  }
  if (!found.links) return found;
  SmiTable& links = *found.links;
  for (const std::string_view unknown : links.unknown) {
    std::size_t l = links.header_line;  // the line of a broken header in which it stands
    while (l + 1 < links.rows.front().line && lines[l + 1].data() <= unknown.data()) ++l;
    warnings.add(
        lines.at(l, unknown, fmt::format("{} is no column that is known; it is not read", in_quotes(unknown))));
  }
  if (has_lost_tail(lines, links))
    warnings.add(lines.at(links.header_line + 1, {},
                          "the header goes on here, where a terminal broke it: lists of processors are not read"));
  read_legends(lines, links.rows.back().line + 1, links);
  return found;
}

}  // namespace topowise
