// SPDX-License-Identifier: BSD-3-Clause
// The grammar, from real output of eleven years: a header line with device names, then one row a device. Cells are
// separated by TABs (the tool), by blanks (pasted text) or both, or stand in a grid (Markdown, CSV). Headers and rows
// may have a prefix (indentation, a log's time stamp). Up to three affinity columns follow the devices, "CPU Affinity",
// "NUMA Affinity", "GPU NUMA ID"; any of their cells may be empty, so they are told apart by their shape. NIC rows may
// be short or missing. A legend and a NIC legend may follow. Copies from web pages lose the TABs, so that cells are
// glued together; a word that could be cut in several ways is kept with its row, for no machine may be made of it.
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/nvidia_smi_grid.hpp>

namespace topowise {
namespace {

using Words = SmiWords;

/// Affinity columns at the end of a header.
struct Tail {
  bool cpu = false;
  bool numa = false;
  bool gpu_numa = false;
  [[nodiscard]] std::size_t size() const { return std::size_t{cpu} + std::size_t{numa} + std::size_t{gpu_numa}; }
};

struct Header {
  Words devices;
  Tail tail;
  bool glued = false;
  std::string_view unknown;  ///< columns at the end that no known tool prints
};

/// Takes what follows in a header after its devices and known columns: columns of another language ("CPU-Affinität"),
/// which name CPU and then NUMA, or a new column. False if it is prose.
bool take_unknown(Header& header, std::span<const std::string_view> words) {
  const std::string_view all(
      words.front().data(), static_cast<std::size_t>(words.back().data() + words.back().size() - words.front().data()));
  if (header.tail.cpu) {
    header.unknown = all;
    return true;
  }
  const std::size_t cpu = all.find("CPU");
  const std::size_t numa = all.find("NUMA");
  if (header.devices.size() < 2 || cpu == std::string_view::npos || numa < cpu) return false;
  header.tail.cpu = true;
  header.tail.numa = numa != std::string_view::npos;
  header.tail.gpu_numa = all.rfind("NUMA") != numa;
  return true;
}

/// Reads "... GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity GPU NUMA ID".
std::optional<Header> parse_header_words(const Words& words) {
  Header header;
  auto word = std::ranges::find_if(words, is_gpu_name);
  for (; word != words.end() && is_device_name(*word); ++word) header.devices.push_back(*word);
  const auto take = [&](std::initializer_list<std::string_view> names) {
    if (static_cast<std::size_t>(words.end() - word) < names.size()) return false;
    if (!std::equal(names.begin(), names.end(), word)) return false;
    word += static_cast<std::ptrdiff_t>(names.size());
    return true;
  };
  header.tail.cpu = take({"CPU", "Affinity"});
  header.tail.numa = take({"NUMA", "Affinity"});
  header.tail.gpu_numa = take({"GPU", "NUMA", "ID"});
  if (header.devices.empty()) return std::nullopt;
  return word == words.end() || take_unknown(header, std::span(word, words.end())) ? std::optional(header)
                                                                                   : std::nullopt;
}

std::optional<Header> parse_header(const Words& words) {
  if (std::optional<Header> header = parse_header_words(words)) return header;
  const Words parts = unglued_header(words);
  std::optional<Header> header = parts.size() > words.size() ? parse_header_words(parts) : std::nullopt;
  if (header) header->glued = true;
  return header;
}

bool is_affinity_shaped(std::string_view word) {
  return is_digit(word.front()) || word.front() == '-' || word.front() == ',' || word == "N/A";
}

/// Assigns the words after the device cells. As many words as columns are taken in order. If there are fewer, a list
/// ("0-19,40-59") is the CPU cell, and a final N/A belongs to the last column, because only that one is printed for
/// every row.
void assign_tail(SmiRow& row, const Tail& tail, std::span<const std::string_view> words) {
  std::size_t next = 0;
  const auto left = [&] { return words.size() - next; };
  const bool full = words.size() >= tail.size();
  if (tail.cpu && left() > 0) {
    const bool is_list = words[next].find_first_of("-,") != std::string_view::npos;
    if (full || is_list || tail.size() == 1 || words[next] == "N/A") row.cpus = words[next++];
  }
  if (tail.numa && left() > 0) {
    const bool belongs_to_last = !full && tail.gpu_numa && left() == 1 && words[next] == "N/A";
    if (!belongs_to_last) row.numa = words[next++];
  }
}

/// Reads a line of words between blanks as a row, if it is one: [prefix] NAME CELL... [affinity].
std::optional<SmiRow> parse_row(const Header& header, const SmiCellEnds& ends, std::string_view line) {
  const auto& [words, glued, uncertain] = unglued_row(split_blanks(line), ends);
  auto name = words.begin();
  for (; name != words.end(); ++name) {
    // If the column of a device was cropped away, its row is recognised by the cell after its name.
    const bool cell_follows = name + 1 != words.end() && is_smi_cell(name[1]);
    if (ends.names.contains(*name) || is_gpu_name(*name) || (cell_follows && is_device_name(*name))) break;
  }
  SmiRow row;
  row.name = row.uncertain = uncertain;
  if (name == words.end()) return uncertain.empty() ? std::nullopt : std::optional(row);
  row.name = *name;
  row.uncertain = uncertain.empty() && is_glued_name(row.name) ? row.name : uncertain;
  auto word = name + 1;
  bool any_known = false;
  for (; word != words.end() && row.cells.size() < header.devices.size() && !is_affinity_shaped(*word); ++word) {
    any_known = any_known || is_smi_cell(*word);
    row.cells.push_back(*word);
  }
  if (!any_known && row.uncertain.empty()) return std::nullopt;
  const auto tail = std::span(words).subspan(static_cast<std::size_t>(word - words.begin()));
  assign_tail(row, header.tail, tail);
  row.glued_tail = (glued || header.glued) && tail.size() == 1 && header.tail.size() > 1;
  return row;
}

bool has_self_cell(const SmiRow& row) {
  return std::ranges::find(row.cells, "X") != row.cells.end();
}

/// Reads the rows. Other lines of a log may interrupt them, but a legend or the next header ends them. Nothing if there
/// is no row.
template <class ParseRow>
std::optional<SmiTable> read_rows(const TextLines& lines, std::size_t header_line, const Words& columns,
                                  const ParseRow& parse) {
  SmiTable table;
  table.header_line = header_line;
  table.columns = columns;
  for (std::size_t l = header_line + 1; l < lines.size(); ++l) {
    const std::string_view line = trim(lines[l]);
    if (line.starts_with("Legend") || line.starts_with("NIC Legend") || parse_header(split_blanks(line))) break;
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
    cells += static_cast<std::size_t>(std::ranges::count_if(row.cells, [](auto cell) { return cell != "X"; }));
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
  if (line.find("GPU") == std::string_view::npos) return std::nullopt;
  for (const char separator : {'|', ',', ';'}) {
    const std::optional<SmiGrid> grid = SmiGrid::with_header(line, separator);
    if (!grid) continue;
    check_devices(grid->devices());
    const auto parse = [&](std::string_view text) { return grid->read_row(text); };
    if (row_follows(parse)) return read_rows(lines, l, grid->devices(), parse);
  }
  const std::optional<Header> header = parse_header(split_blanks(line));
  if (!header) return std::nullopt;
  check_devices(header->devices);
  const SmiCellEnds ends = cell_ends_of(lines, l, header->devices);
  const auto parse = [&](std::string_view text) { return parse_row(*header, ends, text); };
  if (!row_follows(parse)) return std::nullopt;
  std::optional<SmiTable> table = read_rows(lines, l, header->devices, parse);
  if (table) table->unknown = header->unknown;
  return table;
}

/// True if the affinity columns stand in the lines after the header.
bool has_lost_tail(const TextLines& lines, const SmiTable& table) {
  if (lines[table.header_line].find("Affinity") != std::string_view::npos) return false;
  for (std::size_t l = table.header_line + 1; l < table.rows.front().line; ++l) {
    if (lines[l].find("CPU Affinity") != std::string_view::npos) return true;
  }
  return false;
}

/// Reads the legends. Their wording changed over the years, so only the words before '=' and the NIC names are used. A
/// line may have a prefix ("> ", "node01: ", its number).
void read_legends(const TextLines& lines, std::size_t from, SmiTable& table) {
  constexpr std::size_t kMostWords = 8;
  bool names_pix = false;
  bool names_nvlink = false;  // also true before NVLink existed: SOC was the name of SYS
  for (std::size_t l = from; l < lines.size(); ++l) {
    const Words words = split_blanks(lines[l], kMostWords);
    if (words.size() < 2) continue;
    if (const auto sign = std::ranges::find(words, "="); sign != words.begin() && sign != words.end()) {
      names_pix = names_pix || sign[-1] == "PIX";
      names_nvlink = names_nvlink || sign[-1] == "NV#" || sign[-1] == "SOC";
    }
    const std::string_view nic = words[words.size() - 2];
    if (nic.starts_with("NIC") && nic.ends_with(':') && table.nic_names.size() <= DeviceMatrix::kMost)
      table.nic_names.emplace(nic.substr(0, nic.size() - 1), words.back());
  }
  table.pci_only = names_pix && !names_nvlink;
}

/// True for "GPU0 X ...": a line that continues no line before it.
bool begins_row(std::string_view line) {
  const Words words = split_blanks(line, 2);
  return words.size() == 2 && is_device_name(words[0]) && is_smi_cell(words[1]);
}

/// The width of a terminal that broke all lines of a table; 0 if nothing is broken. The header's first line, which has
/// this length, must be no header, or a shorter one than together with the lines after it.
std::size_t broken_at(const TextLines& lines) {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1024;
  constexpr std::size_t kMostLines = 32;
  for (std::size_t l = 0; l + 1 < lines.size(); ++l) {
    const std::size_t width = lines[l].size();
    if (width < kNarrowest || width > kWidest || lines[l].find("GPU0") == std::string_view::npos ||
        begins_row(lines[l]))
      continue;
    std::string whole(lines[l]);
    std::size_t next = l + 1;
    for (; next < lines.size() && next < l + kMostLines && lines[next - 1].size() == width; ++next) {
      if (begins_row(lines[next])) break;
      whole += lines[next];
    }
    const std::optional<Header> begin = parse_header(split_blanks(lines[l]));
    const std::optional<Header> joined = next > l + 1 ? parse_header(split_blanks(whole)) : std::nullopt;
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
  std::string plain = with_plain_bars(without_colours(plain_text(text)));
  const TextLines lines({}, plain);
  const std::size_t width = broken_at(lines);
  return width > 0 ? joined_lines(lines, width) : plain;
}

std::optional<SmiTable> find_smi_table(const TextLines& lines, Warnings& warnings) {
  std::optional<SmiTable> found;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::optional<SmiTable> table = table_at(lines, l);
    if (!table) continue;
    l = table->rows.back().line;
    if (!found || (found->is_p2p && !table->is_p2p)) {
      found = std::move(table);
    } else if (!table->is_p2p) {
      warnings.add(lines.at(table->header_line, {}, "a second matrix begins here; only the first one is read"));
      break;
    }
  }
  if (found && !found->unknown.empty())
    warnings.add(lines.at(found->header_line, found->unknown,
                          fmt::format("{} is no column that is known; it is not read", in_quotes(found->unknown))));
  if (found && has_lost_tail(lines, *found))
    warnings.add(lines.at(found->header_line + 1, {},
                          "the header goes on here, where a terminal broke it: lists of processors are not read"));
  if (found) read_legends(lines, found->rows.back().line + 1, *found);
  return found;
}

}  // namespace topowise
