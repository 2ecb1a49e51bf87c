// SPDX-License-Identifier: BSD-3-Clause
// The grammar, from real output of eleven years: a header line with device names, then one row a device. Cells are
// separated by TABs (the tool), by blanks (pasted text) or both, or by '|' (Markdown). Headers and rows may have a
// prefix (indentation, a log's time stamp). Up to three affinity columns follow the devices, "CPU Affinity", "NUMA
// Affinity", "GPU NUMA ID"; any of their cells may be empty, so they are told apart by their shape. NIC rows may be
// short or missing. A legend and a NIC legend may follow. Copies from web pages lose the TABs, so that cells are glued
// together: "GPU0GPU1CPU AffinityNUMA Affinity".
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include <topowise/base/text.hpp>
#include <topowise/graph/path_class.hpp>

namespace topowise {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array kP2pWords{std::string_view("OK"),  std::string_view("CNS"), std::string_view("GNS"),
                               std::string_view("TNS"), std::string_view("NS"),  std::string_view("DR"),
                               std::string_view("U")};

bool is_p2p_word(std::string_view word) {
  return std::ranges::find(kP2pWords, word) != kP2pWords.end();
}

bool is_cell(std::string_view word) {
  return is_p2p_word(word) || parse_path_class(word).has_value();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// "GPU0", "NIC3", "mlx5_bond_0", "rocep12s0f0", but no class ("NV12") and no word without a number.
bool is_device_name(std::string_view word) {
  if (word.empty() || !is_letter(word.front()) || is_cell(word)) return false;
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; };
  return std::ranges::all_of(word, allowed) && std::ranges::any_of(word, is_digit);
}

/// Where a word of glued header cells is cut: before a name that follows a digit or a small letter.
bool begins_cell(std::string_view word, std::size_t at) {
  constexpr std::array<std::string_view, 5> kNames{"GPU", "NIC", "mlx", "CPU", "NUMA"};
  const char before = word[at - 1];
  if (!is_digit(before) && !(before >= 'a' && before <= 'z')) return false;
  return std::ranges::any_of(kNames, [&](std::string_view name) { return word.substr(at).starts_with(name); });
}

/// Words of a header whose cells are glued.
Words unglued_header(const Words& words) {
  Words parts;
  for (std::string_view word : words) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (!begins_cell(word, at)) continue;
      parts.push_back(word.substr(0, at));
      word.remove_prefix(at);
      at = 0;
    }
    parts.push_back(word);
  }
  return parts;
}

/// Length of the class at the beginning of a word, the digits of a bond included; 0 if there is none.
std::size_t class_length(std::string_view word) {
  constexpr std::array<std::string_view, 8> kClasses{"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "NV"};
  for (const std::string_view name : kClasses) {
    if (!word.starts_with(name)) continue;
    std::size_t length = name.size();
    if (name != "NV") return length;
    while (length < word.size() && is_digit(word[length])) ++length;
    return length > name.size() ? length : 0;
  }
  return 0;
}

/// Words of a row whose cells are glued: "NV12SYSSYS0-31,64-95".
Words unglued_row(const Words& words) {
  Words parts;
  for (const std::string_view word : words) {
    Words cells;
    std::string_view rest = word;
    while (const std::size_t length = class_length(rest)) {
      cells.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    const bool is_glued = cells.size() + (rest.empty() ? 0U : 1U) > 1 && !cells.empty() &&
                          (rest.empty() || is_digit(rest.front()) || rest == "N/A");
    if (!is_glued) {
      parts.push_back(word);
      continue;
    }
    parts.insert(parts.end(), cells.begin(), cells.end());
    if (!rest.empty()) parts.push_back(rest);
  }
  return parts;
}

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
};

/// "... GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity GPU NUMA ID"
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
  if (header.devices.empty() || word != words.end()) return std::nullopt;
  return header;
}

std::optional<Header> parse_header(const Words& words) {
  if (std::optional<Header> header = parse_header_words(words)) return header;
  const Words parts = unglued_header(words);
  return parts.size() > words.size() ? parse_header_words(parts) : std::nullopt;
}

bool is_affinity_shaped(std::string_view word) {
  return is_digit(word.front()) || word.front() == '-' || word.front() == ',' || word == "N/A";
}

/// What follows the device cells. A full tail is taken in order; in a shorter one a list ("0-19,40-59") is the CPU
/// cell, and a final N/A belongs to the last column, because only that one is printed for every row.
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

/// A line of blanks-separated words as a row, if it is one: [prefix] NAME CELL... [affinity].
std::optional<SmiRow> parse_row(const Header& header, const std::set<std::string_view>& names, const Words& words) {
  auto name = words.begin();
  for (; name != words.end(); ++name) {
    // A row of a device whose column was cropped away is known by the cell after its name.
    const bool cell_follows = name + 1 != words.end() && is_cell(name[1]);
    if (names.contains(*name) || is_gpu_name(*name) || (cell_follows && is_device_name(*name))) break;
  }
  if (name == words.end()) return std::nullopt;
  SmiRow row;
  row.name = *name;
  auto word = name + 1;
  bool any_known = false;
  for (; word != words.end() && row.cells.size() < header.devices.size() && !is_affinity_shaped(*word); ++word) {
    any_known = any_known || is_cell(*word);
    row.cells.push_back(*word);
  }
  if (!any_known) return std::nullopt;
  assign_tail(row, header.tail, std::span(words).subspan(static_cast<std::size_t>(word - words.begin())));
  return row;
}

/// A Markdown table: the columns stand where the header puts them, the affinity columns often first.
class PipeTable {
 public:
  /// Takes the header line; false if it is none.
  bool read_header(std::string_view line) {
    const Words cells = cut(line);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (is_device_name(cells[i])) {
        device_columns_.push_back(i);
        header_.devices.push_back(cells[i]);
      }
      if (cells[i].empty() && !name_column_) name_column_ = i;
      if (cells[i] == "CPU Affinity") cpu_column_ = i;
      if (cells[i] == "NUMA Affinity") numa_column_ = i;
    }
    return name_column_ && std::ranges::any_of(header_.devices, is_gpu_name);
  }

  [[nodiscard]] const Words& devices() const { return header_.devices; }

  [[nodiscard]] std::optional<SmiRow> read_row(std::string_view line) const {
    const Words cells = cut(line);
    if (cells.size() <= *name_column_) return std::nullopt;
    SmiRow row;
    row.name = cells[*name_column_];
    if (!is_device_name(row.name)) return std::nullopt;
    for (const std::size_t column : device_columns_) {
      if (column < cells.size()) row.cells.push_back(cells[column]);
    }
    if (cpu_column_ && *cpu_column_ < cells.size()) row.cpus = cells[*cpu_column_];
    if (numa_column_ && *numa_column_ < cells.size()) row.numa = cells[*numa_column_];
    return std::ranges::any_of(row.cells, is_cell) ? std::optional(row) : std::nullopt;
  }

 private:
  /// Cells between the outer bars.
  static Words cut(std::string_view line) {
    line = trim(line);
    if (!line.starts_with('|')) return {};
    line.remove_prefix(1);
    if (line.ends_with('|')) line.remove_suffix(1);
    Words cells = split(line, '|');
    for (std::string_view& cell : cells) cell = trim(cell);
    return cells;
  }

  Header header_;
  std::vector<std::size_t> device_columns_;
  std::optional<std::size_t> name_column_, cpu_column_, numa_column_;
};

bool has_self_cell(const SmiRow& row) {
  return std::ranges::find(row.cells, "X") != row.cells.end();
}

/// Rows may be interrupted by other lines of a log, but not by a legend or the next header. Nothing if there is no row.
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

/// The table whose header is line `l`, if that is a header with a row nearby (words like GPU0 occur in prose, too).
std::optional<SmiTable> table_at(const TextLines& lines, std::size_t l) {
  const auto check_devices = [&](const Words& names) {
    if (names.size() > DeviceMatrix::kMost)
      fail(lines.at(l, {}, fmt::format("more than {} devices in one matrix", DeviceMatrix::kMost)));
  };
  constexpr std::size_t kNearby = 4;
  const auto row_follows = [&](const auto& parse) {
    for (std::size_t next = l + 1; next < lines.size() && next <= l + kNearby; ++next) {
      const std::optional<SmiRow> row = parse(trim(lines[next]));
      if (row && has_self_cell(*row)) return true;
    }
    return false;
  };
  const std::string_view line = trim(lines[l]);
  if (line.find("GPU") == std::string_view::npos) return std::nullopt;
  if (line.starts_with('|')) {
    PipeTable pipes;
    if (!pipes.read_header(line)) return std::nullopt;
    check_devices(pipes.devices());
    const auto parse = [&](std::string_view text) { return pipes.read_row(text); };
    return row_follows(parse) ? read_rows(lines, l, pipes.devices(), parse) : std::nullopt;
  }
  const std::optional<Header> header = parse_header(split_blanks(line));
  if (!header) return std::nullopt;
  check_devices(header->devices);
  const std::set<std::string_view> names(header->devices.begin(), header->devices.end());
  const auto parse = [&](std::string_view text) { return parse_row(*header, names, unglued_row(split_blanks(text))); };
  return row_follows(parse) ? read_rows(lines, l, header->devices, parse) : std::nullopt;
}

/// Wording changed over the years, so only the words before '=' and the NIC names are used.
void read_legends(const TextLines& lines, std::size_t from, SmiTable& table) {
  bool names_pix = false;
  bool names_nvlink = false;  // or is older than NVLink: SOC was the name of SYS
  for (std::size_t l = from; l < lines.size(); ++l) {
    const Words words = split_blanks(lines[l], 3);
    if (words.size() < 2) continue;
    names_pix = names_pix || (words[0] == "PIX" && words[1] == "=");
    names_nvlink = names_nvlink || ((words[0] == "NV#" || words[0] == "SOC") && words[1] == "=");
    if (words.size() == 2 && words[0].starts_with("NIC") && words[0].ends_with(':') &&
        table.nic_names.size() <= DeviceMatrix::kMost)
      table.nic_names.emplace(words[0].substr(0, words[0].size() - 1), words[1]);
  }
  table.pci_only = names_pix && !names_nvlink;
}

}  // namespace

std::string smi_text(std::string_view text) {
  std::string plain = plain_text(text);
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
  if (found) read_legends(lines, found->rows.back().line + 1, *found);
  return found;
}

}  // namespace topowise
