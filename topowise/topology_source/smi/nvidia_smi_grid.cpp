// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_grid.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/smi/nvidia_smi_header.hpp>

namespace topowise {
namespace {

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

}  // namespace

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

}  // namespace topowise
