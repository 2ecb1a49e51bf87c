// SPDX-License-Identifier: BSD-3-Clause
// The numbers mean this (AMD's documentation of `amd-smi topology`): "hops" is 1 for GPUs of one xGMI fabric, whether
// they are joined directly or not, 2 for PCIe below one NUMA domain, 3 across two. "Weight" adds 15 for each xGMI link
// on the way, so a pair of twice the smallest xGMI weight is reached through another GPU.
#include <topowise/topology_source/smi/amd_links.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

bool is_title_rule(char c) {
  return c == '=' || is_blank(c);
}

/// The title in "==== Weight between two GPUs ====" or "WEIGHT TABLE:".
std::optional<std::string> parse_title(std::string_view line) {
  line = trim(line);
  constexpr std::size_t kLongest = 256;
  if (line.ends_with("TABLE:")) return std::string(line.substr(0, std::min(line.size() - 1, kLongest)));
  if (!line.starts_with("==") || !line.ends_with("==")) return std::nullopt;
  while (!line.empty() && is_title_rule(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_title_rule(line.back())) line.remove_suffix(1);
  return std::string(line.substr(0, kLongest));
}

bool read_positive(std::string_view cell, double& value) {
  const std::optional<double> number = parse_double(cell);
  if (!number || !std::isfinite(*number) || *number < 0) return false;
  value = *number;
  return true;
}

}  // namespace

std::vector<AmdTable> find_amd_tables(const TextLines& lines, bool (*is_label)(std::string_view)) {
  constexpr std::size_t kMostTables = 1024;
  constexpr std::size_t kMostRows = std::size_t{1} << 16;
  std::vector<AmdTable> tables;
  std::size_t rows = 0;
  std::string title;
  bool inside = false;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (std::optional<std::string> found = parse_title(lines[l])) {
      title = std::move(*found);
      inside = false;
      continue;
    }
    const std::vector<std::string_view> words = split_blanks(lines[l]);
    if (words.empty() || !is_label(words.front())) continue;
    if (std::ranges::all_of(words, is_label) && !inside) {
      if (tables.size() == kMostTables) fail(lines.at(l, {}, fmt::format("more than {} tables", kMostTables)));
      if (words.size() > DeviceMatrix::kMost)
        fail(lines.at(l, {}, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost)));
      tables.push_back({.title = title, .header_line = l, .columns = words});
      inside = true;
    } else if (inside) {
      if (++rows > kMostRows) fail(lines.at(l, {}, fmt::format("more than {} rows in all tables", kMostRows)));
      tables.back().rows.push_back({.line = l, .name = words.front()});
    }
  }
  return tables;
}

AmdLinks::AmdLinks(const TextLines& lines, std::vector<std::string_view> labels, Warnings& warnings)
    : lines_(lines), labels_(std::move(labels)), pairs_(unordered_pairs(labels_.size())), warnings_(warnings) {
  for (std::size_t i = 0; i < labels_.size(); ++i) index_.emplace(labels_[i], i);
}

std::optional<std::size_t> AmdLinks::index_of(std::string_view label) const {
  const auto found = index_.find(label);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

AmdLinks::Pair& AmdLinks::pair(std::size_t a, std::size_t b) {
  return pairs_[number_of_pair(a, b)];
}

void AmdLinks::visit(const AmdTable& table, const ReadCell& read) {
  std::size_t refused = 0;
  std::string example;
  for (const AmdTable::Row& row : table.rows) {
    const std::optional<std::size_t> a = index_of(row.name);
    std::vector<std::string_view> cells = split_blanks(lines_[row.line]);
    cells.erase(cells.begin());
    if (cells.size() != table.columns.size()) {
      warnings_.add(lines_.at(row.line, row.name,
                              fmt::format("row {} has {} cells, the header has {}", in_quotes(row.name), cells.size(),
                                          table.columns.size())));
    }
    for (std::size_t c = 0; a && c < std::min(cells.size(), table.columns.size()); ++c) {
      const std::optional<std::size_t> b = index_of(table.columns[c]);
      if (!b || a == b || read(cells[c], pair(*a, *b)) || refused++ > 0) continue;
      example = located(lines_.at(row.line, cells[c],
                                  fmt::format("{} for {} and {} is not read", in_quotes(cells[c]), printable(row.name),
                                              printable(table.columns[c]))));
    }
  }
  if (refused > 0)
    warnings_.add(
        fmt::format("{}; the table {} has {} of this kind", example, in_quotes(table.title), counted(refused, "cell")));
}

bool AmdLinks::read_type(std::string_view cell, Pair& pair) {
  const bool is_xgmi = cell == "XGMI" || cell == "XMGI";  // ROCm 5.7 writes XMGI
  if (!is_xgmi && cell != "PCIE") return false;
  const Type type = is_xgmi ? Type::xgmi : Type::pcie;
  const bool agrees = pair.type == Type::unknown || pair.type == type;
  pair.type = std::max(pair.type, type);
  return agrees;
}

void AmdLinks::read_types(const AmdTable& table) {
  visit(table, read_type);
}

void AmdLinks::read_weights(const AmdTable& table) {
  std::size_t types = 0;
  visit(table, [&](std::string_view cell, Pair& pair) {
    if (read_type(cell, pair)) return ++types > 0;
    return read_positive(cell, pair.weight);
  });
  if (types > 0)
    warnings_.add(
        lines_.at(table.header_line, {},
                  fmt::format("the table {} holds link types; they are taken as such", in_quotes(table.title))));
}

void AmdLinks::read_hops(const AmdTable& table) {
  visit(table, [](std::string_view cell, Pair& pair) { return read_positive(cell, pair.hops); });
}

bool AmdLinks::read_bandwidth(std::string_view cell, Pair& pair) {
  const std::size_t dash = cell.find('-');
  if (cell == "N/A") return true;  // printed for PCIe pairs, too
  return dash != std::string_view::npos && read_positive(cell.substr(0, dash), pair.min_mb_per_s) &&
         read_positive(cell.substr(dash + 1), pair.max_mb_per_s);
}

void AmdLinks::read_bandwidths(const AmdTable& table) {
  visit(table, read_bandwidth);
}

bool AmdLinks::read_access_cell(std::string_view cell, Pair& pair) {
  const std::string word = lower(cell);
  const bool refused = word == "disabled" || word == "false";
  pair.no_access = pair.no_access || refused;
  return refused || word == "enabled" || word == "true" || word == "n/a";
}

void AmdLinks::read_access(const AmdTable& table) {
  visit(table, read_access_cell);
}

bool AmdLinks::state(std::size_t a, std::size_t b, AmdProperty property, std::string_view cell) {
  Pair& stated = pair(a, b);
  switch (property) {
    case AmdProperty::weight:
      return read_positive(cell, stated.weight);
    case AmdProperty::hops:
      return read_positive(cell, stated.hops);
    case AmdProperty::type:
      return read_type(cell, stated);
    case AmdProperty::bandwidth:
      return read_bandwidth(cell, stated);
    case AmdProperty::access:
      return read_access_cell(cell, stated);
  }
  return false;
}

void AmdLinks::set_xgmi(std::size_t a, std::size_t b, BytesPerSecond per_link) {
  Pair& found = pair(a, b);
  if (found.type == Type::unknown) found.type = Type::xgmi;
  found.xgmi_link = per_link;
}

double AmdLinks::smallest_xgmi_weight() const {
  double smallest = 0.0;
  for (const Pair& pair : pairs_) {
    if (pair.type == Type::xgmi && pair.weight > 0 && (smallest == 0 || pair.weight < smallest)) smallest = pair.weight;
  }
  return smallest;
}

std::optional<PathClass> AmdLinks::path_of(const Pair& pair, double unit_weight) const {
  constexpr double kMost = 64;  // no fabric has more hops between two GPUs, nor more links in one bond
  const bool xgmi = pair.type == Type::xgmi || (pair.type == Type::unknown && pair.hops == 1);
  if (xgmi) {
    const double through = unit_weight > 0 && pair.weight > 0 ? std::min(kMost, pair.weight / unit_weight) : 1.0;
    if (through >= 1.5) return PathClass{PathKind::xgmi_relay, static_cast<int>(std::lround(through))};
    const double links = pair.min_mb_per_s > 0 ? std::min(kMost, pair.max_mb_per_s / pair.min_mb_per_s) : 1.0;
    return PathClass{PathKind::xgmi, std::max(1, static_cast<int>(std::lround(links)))};
  }
  if (pair.hops >= 3) return PathClass{PathKind::sys, 0};
  if (pair.hops >= 1) return PathClass{PathKind::node, 0};
  return std::nullopt;
}

void AmdLinks::pass_pair(const Pair& pair, double unit_weight, DevicePair& result) {
  result.path = path_of(pair, unit_weight);
  if (!result.path || result.path->kind != PathKind::xgmi) return;
  const BytesPerSecond of_bond = pair.xgmi_link * result.path->grade;
  const BytesPerSecond as_topology(pair.max_mb_per_s * 1e6);
  result.bandwidth = of_bond.value() > 0 ? of_bond : as_topology;
  if (of_bond.value() > 0 && as_topology.value() > 0 && of_bond != as_topology) {
    warnings_.add(
        fmt::format("{}: the xgmi report gives {} for a pair of GPUs, the NUMA BW table {}; the former is taken",
                    lines_.where(), to_string(of_bond), to_string(as_topology)));
  }
}

/// Says what is assumed of pairs of which no table says how or where they are joined.
void AmdLinks::tell_unknown(const std::vector<std::string>& pairs, std::string_view missing, std::string_view assumed,
                            std::string_view outcome) {
  constexpr std::size_t kShown = 4;
  if (pairs.empty()) return;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kShown, pairs.size()));
  const std::string named =
      fmt::format("{}{}", fmt::join(pairs.begin(), pairs.begin() + shown, ", "), pairs.size() > kShown ? ", ..." : "");
  const std::string count = counted(pairs.size(), "pair");
  warnings_.assume(fmt::format("{} for {} without {} ({})", assumed, count, missing, named));
  warnings_.add(fmt::format("{}: {} without {} ({}): {}", lines_.where(), count, missing, named, outcome));
}

void AmdLinks::pass_to(DeviceMatrix& matrix) {
  const double unit_weight = smallest_xgmi_weight();
  std::vector<std::string> unknown;
  std::vector<std::string> by_numa;
  std::vector<std::string> by_pcie;
  for (std::size_t a = 0; a < labels_.size(); ++a) {
    for (std::size_t b = a + 1; b < labels_.size(); ++b) {
      const Pair& stated = pair(a, b);
      pass_pair(stated, unit_weight, matrix.pair(a, b));
      if (matrix.pair(a, b).path) continue;
      const bool has_numa = matrix.device(a).numa >= 0 && matrix.device(b).numa >= 0;
      const bool is_pcie = stated.type == Type::pcie;
      if (is_pcie && has_numa) continue;  // PCIe without hops: the NUMA domains decide
      (is_pcie    ? by_pcie
       : has_numa ? by_numa
                  : unknown)
          .push_back(fmt::format("{}-{}", matrix.device(a).name, matrix.device(b).name));
      const bool same = has_numa && matrix.device(a).numa == matrix.device(b).numa;
      matrix.pair(a, b).path = PathClass{same ? PathKind::node : PathKind::sys, 0};
    }
  }
  tell_unknown(by_numa, "a link type", "no xGMI", "their NUMA domains show where they meet, if no xGMI joins them");
  tell_unknown(unknown, "a link type", "SYS", "SYS is assumed");
  tell_unknown(by_pcie, "hops or NUMA domains", "SYS", "SYS is assumed");
  read_peers(
      matrix, [&](std::size_t a, std::size_t b) { return !pair(a, b).no_access; }, warnings_, lines_.where());
}

}  // namespace topowise
