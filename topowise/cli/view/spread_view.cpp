// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/spread_view.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// "1", "3.50, most 4 (at least 2)".
std::string touched_text(const PartsTouched& touched) {
  const auto most = static_cast<double>(touched.most);
  std::string text = touched.mean == most ? fmt::format("{}", touched.most)
                                          : fmt::format("{:.2f}, most {}", touched.mean, touched.most);
  if (touched.most > touched.least_possible) text += fmt::format(" (at least {})", touched.least_possible);
  return text;
}

std::vector<std::string> heads(std::span<const GroupSpread> spread) {
  std::vector<std::string> row{"groups", "number", "ranks", "bytes"};
  for (const PartsTouched& touched : spread.front().touched) row.push_back(touched.part);
  return row;
}

std::vector<std::string> begin_row(const GroupSpread& kind) {
  return {kind.kind, std::to_string(kind.groups), std::to_string(kind.largest), to_string(kind.bytes)};
}

}  // namespace

Rows spread_rows(std::span<const GroupSpread> spread) {
  if (spread.empty() || spread.front().touched.empty()) return {};
  Rows rows{heads(spread)};
  for (const GroupSpread& kind : spread) {
    std::vector<std::string> row = begin_row(kind);
    for (const PartsTouched& touched : kind.touched) row.push_back(touched_text(touched));
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows spread_rows(std::span<const GroupSpread> before, std::span<const GroupSpread> after) {
  if (before.empty() || before.front().touched.empty()) return {};
  Rows rows{heads(before)};
  for (std::size_t k = 0; k < before.size(); ++k) {
    std::vector<std::string> row = begin_row(before[k]);
    for (std::size_t t = 0; t < before[k].touched.size(); ++t) {
      const std::string old = touched_text(before[k].touched[t]);
      const std::string now = touched_text(after[k].touched[t]);
      row.push_back(old == now ? now : fmt::format("{} -> {}", old, now));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void write_spread(JsonWriter& writer, std::span<const GroupSpread> spread) {
  if (spread.empty()) return;
  writer.key("spread").array();
  for (const GroupSpread& kind : spread) {
    writer.object(JsonWriter::Layout::row).key("groups").value(kind.kind).key("number").value(kind.groups);
    writer.key("ranks").value(kind.largest).key("bytes").value(kind.bytes.value()).key("touched").array();
    for (const PartsTouched& touched : kind.touched) {
      writer.object().key("part").value(touched.part).key("mean").value(touched.mean);
      writer.key("most").value(touched.most).key("least_possible").value(touched.least_possible).end();
    }
    writer.end().end();
  }
  writer.end();
}

std::string table_text(const Rows& rows, const Terminal& terminal) {
  std::vector<Table::Column> columns;
  for (const std::string& head : rows.front())
    columns.push_back({head, columns.empty() ? Table::Align::left : Table::Align::right});
  Table table(std::move(columns));
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  return table.text(terminal.begin_bold(), terminal.end_bold());
}

Rows group_rows(const Traffic& traffic) {
  if (traffic.groups().empty()) return {};
  double total = 0;
  for (const RankGroups& kind : traffic.groups()) total += kind.bytes.value();
  Rows rows{{"groups", "number", "ranks", "bytes", "share"}};
  for (const RankGroups& kind : traffic.groups()) {
    const auto largest = std::ranges::max(kind.groups, {}, &std::vector<std::uint32_t>::size).size();
    rows.push_back({kind.kind, std::to_string(kind.groups.size()), std::to_string(largest), to_string(kind.bytes),
                    total > 0 ? fmt::format("{:.1f}%", 100 * kind.bytes.value() / total) : ""});
  }
  return rows;
}

}  // namespace topowise::cli
