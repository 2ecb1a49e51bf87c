// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/smi/gpu_model.hpp>
#include <topowise/topology_source/smi/nvidia_smi_affinity.hpp>
#include <topowise/topology_source/smi/nvidia_smi_classes.hpp>
#include <topowise/topology_source/smi/nvidia_smi_cropped.hpp>
#include <topowise/topology_source/smi/nvidia_smi_hosts.hpp>
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>
#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

namespace topowise {
namespace {

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
