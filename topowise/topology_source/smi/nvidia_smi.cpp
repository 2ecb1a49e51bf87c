// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/reading/line_prefix.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/smi/gpu_model.hpp>
#include <topowise/topology_source/smi/nvidia_smi_cropped.hpp>
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>
#include <topowise/topology_source/smi/nvidia_smi_words.hpp>
#include <topowise/topology_source/smi/vendor_classes.hpp>

namespace topowise {
namespace {

// The classes in the cells of a table of `nvidia-smi topo -m`, or of another vendor's table of that form.

inline constexpr SmiTool kNvidiaTool{"nvidia-smi", "nvidia-smi topo -m"};

/// Takes words of NVIDIA's tool as they are. Any other word is what the legend or its vendor's documentation says;
/// a warning says once what it is taken for.
class SmiClasses {
 public:
  SmiClasses(const TextLines& lines, const SmiTable& table, Warnings& warnings)
      : lines_(lines), table_(table), warnings_(warnings) {}

  /// The class that a cell states; nothing if nobody defines it.
  [[nodiscard]] std::optional<PathClass> read(const SmiRow& row, std::string_view word);
  /// True for a word of another vendor, whose links have rates that are not known.
  [[nodiscard]] bool is_of_vendor(std::string_view word) const { return others_.contains(word); }
  /// Refuses the table for a cell whose class nobody defines. `pair`: "GPU0 and GPU1".
  [[noreturn]] void refuse(const SmiRow& row, std::string_view word, const std::string& pair) const;
  /// The program that printed the table, as far as names and classes show it.
  [[nodiscard]] SmiTool tool() const;

 private:
  /// What the legend says of a word; empty if it says nothing.
  [[nodiscard]] std::string_view legend_of(std::string_view word) const;

  const TextLines& lines_;
  const SmiTable& table_;
  Warnings& warnings_;
  std::map<std::string_view, std::optional<PathClass>> others_;  ///< words that are not NVIDIA's
  SmiTool tool_{};
};

/// A class of NVIDIA's tool. Other classes ("T1", "M2") belong to other sources.
std::optional<PathClass> nvidia_class(std::string_view word) {
  const std::optional<PathClass> path = parse_path_class(word);
  if (!path || path->kind > PathKind::sys) return std::nullopt;
  if (path->kind == PathKind::xgmi || path->kind == PathKind::xgmi_relay || path->kind == PathKind::vendor_link)
    return std::nullopt;
  constexpr int kWidestBond = 256;
  if (path->kind == PathKind::nvlink && (path->grade < 1 || path->grade > kWidestBond)) return std::nullopt;
  return path;
}

bool is_link(PathClass path) {
  return path.kind == PathKind::vendor_link || path.kind == PathKind::c2c;
}

std::string_view SmiClasses::legend_of(std::string_view word) const {
  const auto entry = std::ranges::find_if(table_.legend, [&](const auto& e) { return stands_for(e.first, word); });
  return entry == table_.legend.end() ? std::string_view() : entry->second;
}

std::optional<PathClass> SmiClasses::read(const SmiRow& row, std::string_view word) {
  if (const std::optional<PathClass> path = nvidia_class(word)) return path;
  const auto known = others_.find(word);
  if (known != others_.end()) return known->second;
  const std::string_view legend = legend_of(word);
  const std::optional<VendorClass> documented = documented_class(word);
  std::optional<PathClass> path = legend.empty() ? std::nullopt : described_class(word, legend);
  std::string what = in_quotes(legend);
  if (documented && (!path || is_link(*path))) {
    path = documented->path;
    what = documented->link;
  }
  if (documented) tool_ = documented->tool;
  if (path && is_link(*path)) warnings_.assume(fmt::format("{} is nearer than PCIe", in_quotes(word)));
  if (path)
    warnings_.add(lines_.at(
        row.line, word,
        fmt::format("{} ({}) counts as {}{}", in_quotes(word), what, to_string(*path),
                    is_link(*path) ? ", nearer than all of PCIe; neither its rate nor its latency is known" : "")));
  others_.emplace(word, path);
  return path;
}

void SmiClasses::refuse(const SmiRow& row, std::string_view word, const std::string& pair) const {
  const std::string_view legend = legend_of(word);
  if (legend.empty())
    fail(lines_.at(
        row.line, word,
        fmt::format("unknown class {} of {}, which no legend in this text defines", in_quotes(word), pair),
        fmt::format("a line '{} = Connection traversing ...' below the table defines it, as do PIX, PXB, PHB, NODE "
                    "or SYS in its place",
                    printable(word))));
  fail(lines_.at(row.line, word,
                 fmt::format("class {} of {} names no known place: it is {}", in_quotes(word), pair, in_quotes(legend)),
                 "PIX, PXB, PHB, NODE or SYS in its place says where the two meet"));
}

SmiTool SmiClasses::tool() const {
  if (!tool_.name.empty()) return tool_;
  const std::string_view name = table_.columns.empty() ? table_.rows.front().name : table_.columns.front();
  if (name.starts_with("NPU") || name.starts_with("Phy-ID")) return documented_class("HCCS")->tool;
  if (name.starts_with("GPU") && name.find('.') != std::string_view::npos) return documented_class("MDF")->tool;
  const bool defines_others =
      std::ranges::any_of(others_, [](const auto& other) { return other.second && is_link(*other.second); });
  SmiTool other{"topology table", "the vendor's tool", GpuVendor::other};
  if (name.starts_with("DCU")) other.vendor = GpuVendor::hygon;
  if (name.starts_with("MLU")) other.vendor = GpuVendor::cambricon;
  if (name.starts_with("GCU")) other.vendor = GpuVendor::enflame;
  if (is_accelerator_name(name) && !name.starts_with("GPU")) return other;
  return defines_others ? other : kNvidiaTool;
}

// The output of `nvidia-smi topo -m` from several hosts in one file. Each line follows the label of its host, and the
// lines come in any order: pdsh, `srun --label`, mpirun with tags.

constexpr std::size_t kMostHosts = 4096;

/// The lines with one label, without the label.
struct Host {
  std::string_view label;
  std::string text;
  std::string table;  ///< the table's content in a form that does not depend on its layout
};

/// The content of a table as text, to compare it with another; empty if there is none.
std::string table_in(std::string_view lines_of_host) {
  const std::string text = smi_text(lines_of_host);
  Warnings ignored;
  SmiTables tables = find_smi_tables(TextLines({}, text), ignored);
  const std::optional<SmiTable>& table = tables.links ? tables.links : tables.peers;
  if (!table) return {};
  std::string said = fmt::format("{}\n", fmt::join(table->columns, " "));
  for (const SmiRow& row : table->rows)
    said += fmt::format("{} {} {} {}\n", row.name, fmt::join(row.cells, " "), row.cpus, row.numa);
  for (const auto& [number, name] : table->nic_names) said += fmt::format("{} {}\n", number, name);
  return said;
}

/// Hosts that have a table, in the order of their first headers.
std::vector<Host> hosts_in(std::string_view text) {
  std::vector<Host> hosts;
  std::map<std::string_view, std::size_t> number;
  for (std::string_view rest = text; !rest.empty() && hosts.size() < kMostHosts;) {
    const std::string_view line = take_part(rest, '\n');
    const std::string_view label = line_label(line);
    if (label.empty() || !names_first_accelerator(line.substr(label.size()))) continue;
    if (number.emplace(label, hosts.size()).second) hosts.push_back({label, {}, {}});
  }
  if (hosts.size() < 2) return {};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    const std::string_view label = line_label(line);
    if (const auto host = number.find(label); host != number.end())
      hosts[host->second].text.append(line.substr(label.size())).append("\n");
  }
  for (Host& host : hosts) host.table = table_in(host.text);
  std::erase_if(hosts, [](const Host& host) { return host.table.empty(); });
  return hosts;
}

std::string without_others(std::string_view text, std::string_view label) {
  std::string kept;
  kept.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    if (line_label(line) == label) kept.append(label.size(), ' ').append(line.substr(label.size()));
    kept += '\n';
  }
  return kept;
}

std::string name_of(const Host& host) {
  std::string_view name = trim(host.label);
  if (name.ends_with(':')) name.remove_suffix(1);
  return printable(name);
}

/// True if the lines with some label form a table.
bool has_labelled_tables(std::string_view text) {
  return !hosts_in(text).empty();
}

/// If several hosts have a table: `text` with empty lines in place of the lines of all hosts but the first one.
/// Otherwise `text`. `warnings` names the hosts whose tables differ from that of the first host.
std::string lines_of_one_host(const std::string& where, std::string text, Warnings& warnings) {
  const std::vector<Host> hosts = hosts_in(text);
  if (hosts.size() < 2) return text;
  constexpr std::size_t kShown = 5;
  std::vector<std::string> others;
  for (const Host& host : hosts) {
    if (host.table != hosts.front().table) others.push_back(name_of(host));
  }
  if (!others.empty()) {
    const std::size_t count = others.size();
    others.resize(std::min(count, kShown));
    warnings.add(fmt::format(
        "{}: holds the tables of {} hosts; {} of them differ from that of {}, which alone is read: "
        "{}{}; a file for each host and cluster:FABRIC,HOST=FILE,... describe them all",
        where, hosts.size(), count, name_of(hosts.front()), fmt::join(others, ", "), count > kShown ? ", ..." : ""));
  }
  return without_others(text, hosts.front().label);
}

// The affinity columns of `nvidia-smi topo -m`: what a rank may be bound to, and which cells are damaged.

struct SmiAffinity {
  int numa = -1;
  std::string cpus;
};

bool is_absent(std::string_view cell) {
  return cell.empty() || cell == "N/A";
}

/// Reads a NUMA cell: one id, or a list that begins with the domain of the processors ("0,3-9" on Grace, where the
/// other domains are memory only).
std::optional<int> parse_numa(std::string_view cell) {
  const std::optional<CpuRanges> ids = parse_cpu_list(cell);
  if (!ids) return std::nullopt;
  const std::optional<std::int64_t> first = parse_integer(cell.substr(0, cell.find_first_of(",-")));
  return first ? std::optional(static_cast<int>(*first)) : std::nullopt;
}

/// Lists that share only some processors with a list of more rows, or of as many rows. One of the two lists has lost a
/// digit, and it is not the list on which most rows agree.
std::vector<CpuRanges> contradicted(const std::map<CpuRanges, std::size_t>& rows_with) {
  std::vector<CpuRanges> bad;
  for (const auto& [list, rows] : rows_with) {
    for (const auto& [other, other_rows] : rows_with) {
      if (other_rows >= rows && partly_overlap(list, other)) {
        bad.push_back(list);
        break;
      }
    }
  }
  return bad;
}

/// True for "56-111,168-2231": the list and the NUMA id after it are glued together. Hyperthreads make ranges of one
/// length, and without its last digits the list has ranges of one length again.
bool is_glued(std::string_view cell, const CpuRanges& list) {
  const auto even = [](const CpuRanges& ranges) {
    return std::ranges::all_of(ranges, [&](const std::pair<int, int>& range) {
      return range.second - range.first == ranges[0].second - ranges[0].first;
    });
  };
  if (list.size() < 2 || even(list)) return false;
  for (std::size_t digits = 1; digits <= 2 && digits < cell.size(); ++digits) {
    const std::optional<CpuRanges> shorter = parse_cpu_list(cell.substr(0, cell.size() - digits));
    if (shorter && shorter->size() == list.size() && even(*shorter)) return true;
  }
  return false;
}

/// True if the next line is the rest of a row that a narrow terminal broke inside its lists, "-155    0" or ",8-11": it
/// has only ends of cells.
bool goes_on(const TextLines& lines, std::size_t row) {
  if (row + 1 >= lines.size()) return false;
  const std::string_view next = trim(lines[row + 1]);
  return !next.empty() && next.find_first_not_of("0123456789,- \tN/A") == std::string_view::npos;
}

bool is_far(std::string_view cell) {
  return cell == "SYS" || cell == "SOC";
}

/// Says why GPUs with equal lists cannot all be in one domain; empty if they can. NVLink hides where two GPUs meet on
/// the host. Then an adapter shows it that is SYS to only some of the GPUs. And no machine has eight GPUs on one socket
/// that are all joined by NVLink.
std::string why_apart(const SmiTable& table, const std::vector<std::size_t>& gpus) {
  constexpr std::size_t kTwoSockets = 8;
  std::size_t hidden = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t far = 0;
    for (const std::size_t r : gpus) {
      if (c >= table.rows[r].cells.size()) continue;
      const std::string_view cell = table.rows[r].cells[c];
      if (is_far(cell)) ++far;
      if (cell.starts_with("NV")) ++hidden;
    }
    if (far == 0) continue;
    if (is_accelerator_name(table.columns[c])) return "although some of them are SYS apart";
    if (far < gpus.size())
      return fmt::format("although {} is SYS from some of them and near to others", printable(table.columns[c]));
  }
  const bool all_hidden = hidden == gpus.size() * (gpus.size() - 1);
  return gpus.size() >= kTwoSockets && all_hidden ? "which NVLink joins, and such boards hang on two sockets" : "";
}

/// Warns if all GPUs have the same list although some pair of them is in different domains: the list comes from a
/// virtual machine or a container that does not know better.
void doubt_equal_lists(const TextLines& lines, const SmiTable& table,
                       const std::vector<std::optional<CpuRanges>>& lists, Warnings& warnings) {
  std::vector<std::size_t> gpus;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!is_accelerator_name(table.rows[r].name)) continue;
    gpus.push_back(r);
    if (!lists[r] || lists[r] != lists[gpus[0]]) return;
  }
  const std::string why = gpus.size() < 2 ? "" : why_apart(table, gpus);
  if (why.empty()) return;
  const SmiRow& first = table.rows[gpus[0]];
  warnings.add(lines.at(first.line, first.cpus,
                        fmt::format("{} for all {} GPUs, {}: these are all processors, not the near ones",
                                    in_quotes(first.cpus), gpus.size(), why)));
}

/// One entry for each row of `table`. A row whose processors cannot be right gets nothing, because a job that is bound
/// by a damaged list runs on the wrong cores; `warnings` says so.
std::vector<SmiAffinity> read_smi_affinity(const TextLines& lines, const SmiTable& table, Warnings& warnings) {
  std::vector<SmiAffinity> affinity(table.rows.size());
  std::vector<std::optional<CpuRanges>> lists(table.rows.size());
  std::vector<std::optional<CpuRanges>> as_printed(table.rows.size());
  std::map<CpuRanges, std::size_t> rows_with;
  const auto refuse = [&](std::size_t r, std::string_view cell, std::string_view why) {
    warnings.add(lines.at(
        table.rows[r].line, cell,
        fmt::format("{} {}; {} will not be bound by it", in_quotes(cell), why, printable(table.rows[r].name))));
    affinity[r] = {};
  };
  const std::vector<bool> cropped = cropped_lists(lines, table);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const SmiRow& row = table.rows[r];
    if (!is_absent(row.cpus) && goes_on(lines, row.line)) {
      refuse(r, row.cpus, "goes on in the next line, where a terminal broke it");
      continue;
    }
    if (cropped[r]) {
      refuse(r, row.cpus, "may be cut off where its line ends");
      continue;
    }
    if (row.glued_tail && !is_absent(row.cpus)) {
      refuse(r, row.cpus, "is not told apart from the cell behind it");
      continue;
    }
    if (!is_absent(row.numa)) {
      const std::optional<int> numa = parse_numa(row.numa);
      if (numa) {
        affinity[r].numa = *numa;
      } else {
        refuse(r, row.numa, "is no NUMA domain");
      }
    }
    if (is_absent(row.cpus)) continue;
    as_printed[r] = lists[r] = parse_cpu_list(row.cpus);
    if (lists[r] && is_glued(row.cpus, *lists[r])) {
      lists[r].reset();
      refuse(r, row.cpus, "looks like two cells that were glued together");
    } else if (lists[r]) {
      affinity[r].cpus = std::string(row.cpus);
      ++rows_with[*lists[r]];
    } else {
      refuse(r, row.cpus, "is no list of processors");
    }
  }
  doubt_equal_lists(lines, table, as_printed, warnings);
  for (const CpuRanges& list : contradicted(rows_with)) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (lists[r] == list) refuse(r, table.rows[r].cpus, "overlaps the processors of other rows in part");
    }
  }
  return affinity;
}

constexpr std::string_view kRightCommand = "nvidia-smi topo -m prints the matrix";

/// Makes classes of cells. Each pair is printed twice, so a damaged table often still says what it was.
class Interpretation {
 public:
  Interpretation(const TextLines& lines, const SmiTable& table, Warnings& warnings)
      : lines_(lines), table_(table), warnings_(warnings), classes_(lines, table, warnings) {
    for (const std::string_view name : table.columns) add_name(name, table.header_line);
    for (const SmiRow& row : table.rows) add_name(row.name, row.line);
    // GPUs come first, in the order of the header; NICs follow in theirs.
    std::stable_partition(names_.begin(), names_.end(), is_accelerator_name);
    for (std::size_t i = 0; i < names_.size(); ++i) index_[names_[i]] = i;
  }

  [[nodiscard]] DeviceMatrix run() {
    DeviceMatrix matrix(devices());
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      if (row_of_[names_[index_[table_.rows[r].name]]] == r) read_row(table_.rows[r], matrix);
    }
    settle_unknown(matrix);
    report_missing(matrix);
    return matrix;
  }

  [[nodiscard]] SmiTool tool() const { return classes_.tool(); }

 private:
  void add_name(std::string_view name, std::size_t line) {
    if (index_.emplace(name, 0).second) names_.push_back(name);
    if (names_.size() > DeviceMatrix::kMost)
      fail(lines_.at(line, name, fmt::format("more than {} devices in one matrix", DeviceMatrix::kMost)));
  }

  std::vector<Device> devices() {
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      const SmiRow& row = table_.rows[r];
      if (!row_of_.emplace(row.name, r).second)
        warnings_.add(
            lines_.at(row.line, row.name, fmt::format("a second row {}; it is ignored", in_quotes(row.name))));
    }
    const std::vector<SmiAffinity> affinity = read_smi_affinity(lines_, table_, warnings_);
    std::vector<Device> devices;
    for (const std::string_view name : names_) {
      Device device{.kind = is_accelerator_name(name) ? VertexKind::gpu : VertexKind::nic, .name = printable(name)};
      const auto legend = table_.nic_names.find(name);
      if (legend != table_.nic_names.end()) device.name = printable(legend->second);
      const auto row = row_of_.find(name);
      if (row != row_of_.end()) {
        device.numa = affinity[row->second].numa;
        device.cpus = affinity[row->second].cpus;
      }
      if (device.kind == VertexKind::gpu) device.number = number_of_accelerator(name);
      devices.push_back(std::move(device));
    }
    return devices;
  }

  /// False for a row that has its X not on the diagonal, or too many cells: it says nothing reliable.
  bool is_aligned(const SmiRow& row) {
    if (row.surplus) {
      warnings_.add(
          lines_.at(row.line, row.name,
                    fmt::format("row {} has more cells than the header; the row is ignored", in_quotes(row.name))));
      return false;
    }
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (is_self_word(row.cells[c]) == (table_.columns[c] == row.name)) continue;
      warnings_.add(lines_.at(row.line, row.cells[c],
                              fmt::format("row {} has {} in column {}; the row is ignored", in_quotes(row.name),
                                          in_quotes(row.cells[c]), in_quotes(table_.columns[c]))));
      return false;
    }
    return true;
  }

  void read_row(const SmiRow& row, DeviceMatrix& matrix) {
    if (row.cells.size() != table_.columns.size()) {
      warnings_.add(lines_.at(row.line, row.name,
                              fmt::format("row {} has {} cells, the header has {}", in_quotes(row.name),
                                          row.cells.size(), table_.columns.size())));
    }
    if (!is_aligned(row)) return;
    const std::size_t a = index_[row.name];
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::size_t b = index_[table_.columns[c]];
      if (a != b && !is_cut_off(lines_, table_, row, row.cells[c])) read_cell(row, c, matrix.pair(a, b));
    }
  }

  void read_cell(const SmiRow& row, std::size_t c, DevicePair& pair) {
    const std::optional<PathClass> path = classes_.read(row, row.cells[c]);
    if (!path) {
      unknown_.emplace_back(&row, c);
      return;
    }
    pair.unknown_rate = pair.unknown_rate || classes_.is_of_vendor(row.cells[c]);
    if (!pair.path || *pair.path == *path) {
      pair.path = path;
      return;
    }
    warnings_.add(
        lines_.at(row.line, row.cells[c],
                  fmt::format("{} to {} is {}, but the other way {}; the farther one is taken", printable(row.name),
                              printable(table_.columns[c]), to_string(*path), to_string(*pair.path))));
    warnings_.assume("the farther class where two cells of a pair differ");
    pair.path = std::max(*path, *pair.path);
  }

  /// Settles the cells whose class nobody defines: by the same pair's other cell, or not at all.
  void settle_unknown(const DeviceMatrix& matrix) {
    for (const auto& [row, c] : unknown_) {
      const std::string_view word = row->cells[c];
      const std::string pair = fmt::format("{} and {}", printable(row->name), printable(table_.columns[c]));
      const std::optional<PathClass>& path = matrix.pair(index_[row->name], index_[table_.columns[c]]).path;
      const bool gpus = is_accelerator_name(row->name) && is_accelerator_name(table_.columns[c]);
      if (!path && gpus) classes_.refuse(*row, word, pair);
      warnings_.add(lines_.at(row->line, word,
                              fmt::format("unknown class {} of {}; {}", in_quotes(word), pair,
                                          path ? fmt::format("the other way it is {}, which is taken", to_string(*path))
                                               : std::string("where they meet is not known"))));
    }
  }

  void report_missing(const DeviceMatrix& matrix) {
    std::vector<std::string> without_row;
    std::vector<std::string> without_column;
    for (const std::string_view name : names_) {
      if (!row_of_.contains(name)) without_row.push_back(printable(name));
      if (std::ranges::find(table_.columns, name) == table_.columns.end()) without_column.push_back(printable(name));
    }
    const auto report = [&](const std::vector<std::string>& names, std::string_view what) {
      if (!names.empty())
        warnings_.add(lines_.at(table_.header_line, {}, fmt::format("no {} for {}", what, fmt::join(names, ", "))));
    };
    report(without_row, "row");
    report(without_column, "column");
    refuse_lost_pairs(matrix);
  }

  /// Refuses a table that says nothing of some pairs of GPUs, because nothing else says how they are joined.
  void refuse_lost_pairs(const DeviceMatrix& matrix) const {
    std::size_t lost = 0;
    std::size_t pairs = 0;
    std::string example;
    for (std::size_t a = 0; a < names_.size() && is_accelerator_name(names_[a]); ++a) {
      for (std::size_t b = a + 1; b < names_.size() && is_accelerator_name(names_[b]); ++b) {
        ++pairs;
        if (!matrix.pair(a, b).path && lost++ == 0)
          example = fmt::format("{} and {}", printable(names_[a]), printable(names_[b]));
      }
    }
    if (lost == 0) return;
    const bool two = lost > 1;
    fail(lines_.at(table_.header_line, {},
                   fmt::format("the cells of {} of {} pairs of GPUs are lost ({}{}): rows or columns were cut off, or "
                               "a terminal broke the lines",
                               lost, pairs, example, two ? ", ..." : ""),
                   fmt::format("{} > FILE keeps the lines whole; a copy from a narrow terminal does not",
                               classes_.tool().command)));
  }

  const TextLines& lines_;
  const SmiTable& table_;
  Warnings& warnings_;
  std::vector<std::string_view> names_;
  std::map<std::string_view, std::size_t> index_;
  std::map<std::string_view, std::size_t> row_of_;
  SmiClasses classes_;
  std::vector<std::pair<const SmiRow*, std::size_t>> unknown_;  ///< cells, by row and column
};

void check_header(const TextLines& lines, const SmiTable& table) {
  if (table.rows.size() > DeviceMatrix::kMost)
    fail(lines.at(table.header_line, {}, fmt::format("more than {} rows in one matrix", DeviceMatrix::kMost)));
  const auto check_cut = [&](std::size_t line, std::string_view word) {
    if (!word.empty())
      fail(lines.at(line, word,
                    fmt::format("the TABs are lost, and where the cells of {} end is not certain", in_quotes(word)),
                    "nvidia-smi topo -m > FILE keeps them"));
  };
  for (const SmiRow& row : table.rows) check_cut(row.line, row.uncertain);
  std::map<std::string_view, std::size_t> seen;
  for (const std::string_view name : table.columns) {
    if (is_glued_name(name)) check_cut(table.header_line, name);
    if (++seen[name] > 1)
      fail(lines.at(table.header_line, name, fmt::format("column {} occurs twice", in_quotes(name))));
  }
}

bool recognises(std::string_view head) {
  const std::string text = smi_text(head);
  Warnings ignored;
  const SmiTables tables = find_smi_tables(TextLines({}, text), ignored);
  return tables.links || tables.peers || has_labelled_tables(head);
}

bool has_nvlink(const DeviceMatrix& matrix) {
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const std::optional<PathClass>& path = matrix.pair(a, b).path;
      if (path && path->kind == PathKind::nvlink) return true;
    }
  }
  return false;
}

/// Warns of "14 NICs found, only displaying 8": nvidia-smi shortens wide tables.
void pass_on_left_out_nics(const TextLines& lines, Warnings& warnings) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (lines[l].find("NICs found") != std::string_view::npos)
      warnings.add(lines.at(l, {}, fmt::format("the tool says {}", in_quotes(trim(lines[l])))));
  }
}

/// Passes on what a table of `topo -p2p` in the same text says of the same GPUs.
void pass_on_peers(const TextLines& lines, std::string_view text, const SmiTable& peers, DeviceMatrix& matrix,
                   Warnings& warnings) {
  std::vector<std::size_t> gpus;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (matrix.device(i).kind == VertexKind::gpu) gpus.push_back(i);
  }
  PeerReport report = read_peers(lines.where(), text, peers);
  if (report.gpus != gpus.size()) {
    warnings.add(lines.at(
        peers.header_line, {},
        fmt::format("a table of 'topo -p2p' has {} GPUs, and there are {}: it is not used", report.gpus, gpus.size())));
    return;
  }
  for (const auto& [a, b] : report.refused) matrix.pair(gpus[a], gpus[b]).refuses_peers = true;
  for (std::string& warning : report.warnings) warnings.add(std::move(warning));
  if (!report.assumption.empty()) warnings.assume(std::move(report.assumption));
}

SmiTables tables_of(const TextLines& lines, Warnings& warnings) {
  SmiTables tables = find_smi_tables(lines, warnings);
  if (tables.links) return tables;
  if (tables.peers)
    fail(lines.at(tables.peers->header_line, {},
                  "this is the table of 'nvidia-smi topo -p2p', which says only whether peers can reach each other",
                  fmt::format("{}; topo.txt+FILE joins both", kRightCommand)));
  Diagnostic diagnostic{.where = lines.where(), .what = "no matrix of 'nvidia-smi topo -m' found"};
  diagnostic.hint = "--format NAME chooses another format";
  fail(std::move(diagnostic));
}

Topology read(const std::string& where, std::string_view input) {
  Warnings warnings;
  const std::string text = smi_text(lines_of_one_host(where, plain_text(input), warnings));
  const TextLines lines(where, text, kLongestLine);
  const SmiTables tables = tables_of(lines, warnings);
  const SmiTable& table = *tables.links;
  check_header(lines, table);
  Interpretation interpretation(lines, table, warnings);
  DeviceMatrix matrix = interpretation.run();
  const std::string_view source = interpretation.tool().name;
  matrix.set_vendor(interpretation.tool().vendor);
  // The matrix has only widths. Without a model the rate is that of most machines, up to Hopper.
  const BytesPerSecond named = nvlink_of_named_gpus(text);
  matrix.set_nvlink(named.value() > 0 ? KindRate{named, Basis::nominal}
                                      : KindRate{nvlink_bandwidth(90), Basis::assumed});
  if (const BytesPerSecond slot = slot_of_named_gpus(text); slot.value() > 0) matrix.set_slot({slot, Basis::nominal});
  const bool hides = table.pci_only && source == kNvidiaTool.name && !has_nvlink(matrix) && may_have_nvlink(text);
  if (hides) warnings.assume(std::string(kNoOtherBonds));
  if (hides)
    warnings.add(lines.at(table.header_line, {},
                          fmt::format("its legend {}: where it was printed by -mp, NVLink is left out (unknown is not "
                                      "absent); {}",
                                      kBondsNotShown, kRightCommand)));
  pass_on_left_out_nics(lines, warnings);
  if (tables.peers) pass_on_peers(lines, text, *tables.peers, matrix, warnings);
  return build_topology(where, matrix, source, warnings);
}

}  // namespace

const TopologyFormat kNvidiaSmiFormat{"nvidia-smi", "nvidia-smi topo -m", recognises, read};

}  // namespace topowise
