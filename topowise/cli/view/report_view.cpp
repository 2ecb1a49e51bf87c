// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/report_view.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <topowise/base/plural.hpp>
#include <topowise/cli/view/map_view.hpp>
#include <topowise/cli/view/spread_view.hpp>
#include <topowise/report/class_words.hpp>
#include <topowise/report/heat_map.hpp>
#include <topowise/report/level_bars.hpp>

namespace topowise::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostRanks = 1024;    // a longer table is better read by a program
constexpr std::size_t kMostOpenRanks = 32;  // the reader unfolds a longer one
constexpr std::size_t kMostOpenWarnings = 6;

std::string change(double before, double after) {
  return before > 0 && std::isfinite(before) && std::isfinite(after)
             ? fmt::format("{:+.1f} %", 100 * (after / before - 1))
             : "";
}

template <class Unit>
std::vector<std::string> row(const std::string& name, double before, double after) {
  return {name, to_string(Unit(before)), to_string(Unit(after)), change(before, after)};
}

std::vector<std::string> ratio_row(const std::string& name, double before, double after) {
  return {name, fmt::format("{:.3g}", before), fmt::format("{:.3g}", after), change(before, after)};
}

/// How far the mapping can be from the optimum.
std::string bounds(const MapProblem& problem, const MappingResult& result) {
  const std::string_view name = number_name(problem.objective);
  std::string text = result.has_bound()
                         ? fmt::format("Lower bound of {}: {}{}.", name,
                                       cost_text(problem.objective, result.lower_bound), proof_text(problem, result))
                         : fmt::format("No lower bound of {} was found.", name);
  if (result.hop_bytes) text += fmt::format(" Of hop-bytes: {}.", bound_text(*result.hop_bytes));
  return text;
}

void add_numbers(const Comparison& comparison, Page& page) {
  const Evaluation& before = comparison.before;
  const Evaluation& after = comparison.after;
  Rows rows{{"", "before", "after", "change"}};
  rows.push_back(row<Bytes>(fmt::format("hop-bytes ({} x bytes)", to_string(comparison.problem.metric)),
                            before.hop_bytes, after.hop_bytes));
  if (before.max_congestion && after.max_congestion)
    rows.push_back(row<Seconds>("max congestion", before.max_congestion->value(), after.max_congestion->value()));
  if (before.predicted_time && after.predicted_time)
    rows.push_back(row<Seconds>("predicted time", before.predicted_time->value(), after.predicted_time->value()));
  rows.push_back(ratio_row("average dilation", before.average_dilation, after.average_dilation));
  rows.push_back(ratio_row("max dilation", before.max_dilation, after.max_dilation));
  page.heading("What the mapping is worth");
  page.legend("before: the identity, rank i on place i", "after: the mapping");
  page.table(rows, comparison.how);
  if (comparison.bound) page.paragraph(bounds(comparison.problem, *comparison.bound));
  if (!after.unknown.empty()) page.paragraph(after.unknown);
  page.paragraph(
      "Hop-bytes: the sum, over pairs of ranks, of bytes x what a byte costs between their places. Dilation: that cost "
      "of one byte, on average and at worst. Lower is better in every row.",
      "soft");
}

void add_levels(const Comparison& comparison, Page& page) {
  const Traffic& traffic = comparison.problem.traffic;
  const Topology& topology = comparison.problem.topology;
  page.heading("Bytes by level");
  page.drawing(level_bars(topology, level_traffic(traffic, topology, comparison.identity),
                          level_traffic(traffic, topology, comparison.mapping)),
               "Nearest first. Upper bar: before; lower bar: after.", "bars");
  page.list(classes_in_words(topology.levels()));
}

void add_spread(const Comparison& comparison, Page& page) {
  const auto rows = spread_rows(comparison.before.spread, comparison.after.spread);
  if (rows.empty()) return;
  page.heading("How far groups are spread");
  page.table(rows, "Parts of the machine that a group of ranks touches, before and after");
}

void add_pairs(const Comparison& comparison, Page& page) {
  const Traffic& traffic = comparison.problem.traffic;
  const Topology& topology = comparison.problem.topology;
  page.heading("Who sends to whom");
  const std::vector<PlaceGroup> groups = place_groups(topology);
  const HeatCells before = heat_cells(traffic, topology, comparison.identity, groups);
  const HeatCells after = heat_cells(traffic, topology, comparison.mapping, groups);
  const double most = std::max(before.most, after.most);
  std::string caption = "The stronger the colour, the more bytes; the scale is the same before and after.";
  if (before.run > 0)
    caption += fmt::format(" Lines part blocks of {} that are nearer to each other than to others.",
                           counted(before.run, "place"));
  else if (groups.size() > 1 && before.group > 0)
    caption += fmt::format(" Lines part {}, {} to {}.", counted(groups.size(), "group") + " of places",
                           groups.front().name, groups.back().name);
  if (before.merged > 1) {
    caption += fmt::format(" {} are merged into {} x {} cells of {} each.", counted(before.places, "place"),
                           before.cells, before.cells, counted(before.merged, "place"));
  }
  page.drawings({heat_map(before, most, "Before", "before"), heat_map(after, most, "After", "after")}, caption, "pair");
}

void add_ranks(const Comparison& comparison, Page& page) {
  Rows rows{{"rank", "place", "name", "node", "PCI bus id", "NUMA"}};
  const std::size_t shown = std::min(comparison.mapping.ranks(), kMostRanks);
  for (std::size_t rank = 0; rank < shown; ++rank)
    rows.push_back(rank_cells(comparison.problem.topology, Rank(rank), comparison.mapping[Rank(rank)]));
  for (std::size_t c = rows.front().size(); c-- > 0;) {  // a column without any value is left out
    if (std::any_of(rows.begin() + 1, rows.end(), [&](const auto& cells) { return !cells[c].empty(); })) continue;
    for (auto& cells : rows) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(c));
  }
  page.heading("Every rank");
  page.begin_fold(counted(comparison.mapping.ranks(), "rank") + " and their places", shown <= kMostOpenRanks);
  page.table(rows, "The place of every rank after mapping");
  if (comparison.mapping.ranks() > kMostRanks)
    page.paragraph(fmt::format("... and {} more ranks.", comparison.mapping.ranks() - kMostRanks));
  page.end_fold();
}

void add_origin(const Comparison& comparison, const Origin& origin, Page& page) {
  const Topology& topology = comparison.problem.topology;
  std::set<std::string> sources;
  for (const Link& link : topology.links()) {
    sources.insert(to_string(link.source));
  }
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    if (const std::string source = to_string(topology.pair_matrix_source(metric)); !source.empty())
      sources.insert(fmt::format("{} of pairs: {}", to_string(metric), source));
  }
  sources.erase("");
  page.heading("Where this is from");
  Rows rows{{"what", "value"}};
  rows.push_back({"command", origin.command});
  rows.push_back({"traffic", origin.traffic});
  rows.push_back({"machine", fmt::format("{} ({})", origin.machine, topology.name())});
  if (!sources.empty()) rows.push_back({"links are from", fmt::format("{}", fmt::join(sources, ", "))});
  rows.push_back({"seed", std::to_string(comparison.problem.seed)});
  rows.push_back({"program", "topowise " TOPOWISE_VERSION});
  rows.push_back({"date", origin.date});
  const std::size_t shown = std::min(origin.warnings.size(), kMostOpenWarnings);
  for (std::size_t w = 0; w < shown; ++w) rows.push_back({"warning", origin.warnings[w]});
  page.table(rows, "Inputs, and what they warned of");
  if (shown == origin.warnings.size()) return;
  Rows more{{"further warnings"}};
  for (std::size_t w = shown; w < origin.warnings.size(); ++w) more.push_back({origin.warnings[w]});
  page.begin_fold(fmt::format("{} of {} warnings", more.size() - 1, origin.warnings.size()));
  page.table(more, "What else the inputs warned of");
  page.end_fold();
}

}  // namespace

std::string report_page(const Comparison& comparison, const Origin& origin) {
  const MapProblem& problem = comparison.problem;
  Page page(fmt::format("{} on {}", counted(problem.traffic.ranks(), "rank"), problem.topology.name()));
  page.paragraph(fmt::format("{} between {}, {}. topowise " TOPOWISE_VERSION ", {}.",
                             to_string(problem.traffic.total_bytes()), counted(problem.traffic.ranks(), "rank"),
                             counted(problem.topology.place_count(), "place"), origin.date));
  page.paragraph(worth(comparison), "worth");
  if (const std::string lines = worth_grounds(comparison); !lines.empty()) page.paragraph(lines);
  page.begin_columns();
  add_numbers(comparison, page);
  page.next_column();
  add_levels(comparison, page);
  page.end_columns();
  add_spread(comparison, page);
  add_pairs(comparison, page);
  add_machine(comparison, page);
  if (!is_nothing_to_apply(comparison)) add_launchers(comparison, origin, page);
  page.begin_columns();
  add_ranks(comparison, page);
  page.next_column();
  add_origin(comparison, origin, page);
  page.end_columns();
  return std::move(page).finish();
}

}  // namespace topowise::cli
