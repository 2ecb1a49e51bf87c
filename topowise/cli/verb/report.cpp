// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/base/plural.hpp>
#include <topowise/cli/input/map_problem.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/map_view.hpp>
#include <topowise/evaluate.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/report/heat_map.hpp>
#include <topowise/report/level_bars.hpp>
#include <topowise/report/machine_drawing.hpp>
#include <topowise/report/page.hpp>

namespace topowise::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostRanks = 1024;  // a longer table is better read by a program
constexpr std::size_t kFullestLinks = 12;

/// A mapping beside the default.
struct Comparison {
  const MapProblem& problem;
  Mapping identity;
  Mapping mapping;
  std::string how;  ///< the mapping was found
  Evaluation before = evaluate(problem.traffic, problem.topology, identity, problem.metric);
  Evaluation after = evaluate(problem.traffic, problem.topology, mapping, problem.metric);
};

std::string change(double before, double after) {
  return before > 0 ? fmt::format("{:+.1f} %", 100 * (after / before - 1)) : "";
}

template <class Unit>
std::vector<std::string> row(const std::string& name, double before, double after) {
  return {name, to_string(Unit(before)), to_string(Unit(after)), change(before, after)};
}

std::vector<std::string> ratio_row(const std::string& name, double before, double after) {
  return {name, fmt::format("{:.3g}", before), fmt::format("{:.3g}", after), change(before, after)};
}

void add_numbers(const Comparison& comparison, Page& page) {
  const Evaluation& before = comparison.before;
  const Evaluation& after = comparison.after;
  Rows rows{{"", "identity", "mapped", "change"}};
  rows.push_back(row<Bytes>(fmt::format("hop-bytes ({} x bytes)", to_string(comparison.problem.metric)),
                            before.hop_bytes, after.hop_bytes));
  if (before.max_congestion && after.max_congestion)
    rows.push_back(row<Seconds>("max congestion", before.max_congestion->value(), after.max_congestion->value()));
  if (before.predicted_time && after.predicted_time)
    rows.push_back(row<Seconds>("predicted time", before.predicted_time->value(), after.predicted_time->value()));
  rows.push_back(ratio_row("average dilation", before.average_dilation, after.average_dilation));
  rows.push_back(ratio_row("max dilation", before.max_dilation, after.max_dilation));
  page.heading("What the mapping is worth");
  page.paragraph(comparison.how);
  page.table(rows);
  if (!after.unknown.empty()) page.paragraph(after.unknown);
}

void add_levels(const Comparison& comparison, Page& page) {
  const Traffic& traffic = comparison.problem.traffic;
  const Topology& topology = comparison.problem.topology;
  page.heading("Bytes by level");
  page.drawing(level_bars(topology, level_traffic(traffic, topology, comparison.identity),
                          level_traffic(traffic, topology, comparison.mapping)),
               "upper bar: the identity, rank i on place i; lower bar: the mapping");
  page.heading("Who sends to whom");
  page.drawings({heat_map(traffic, topology, comparison.identity, "identity", "before"),
                 heat_map(traffic, topology, comparison.mapping, "mapped", "after")},
                "a row a sending place, a column a receiving place; the darker, the more bytes");
}

/// The links that need longest for their bytes under either mapping; no rows where routes or rates are not known.
Rows fullest_links(const Comparison& comparison) {
  const Topology& topology = comparison.problem.topology;
  const std::vector<Bytes>& before = comparison.before.link_load;
  const std::vector<Bytes>& after = comparison.after.link_load;
  if (before.size() != after.size()) return {};
  struct Loaded {
    std::size_t link;
    double worst;
  };
  std::vector<Loaded> loaded;
  for (std::size_t l = 0; l < before.size(); ++l) {
    const double rate = topology.links()[l].bandwidth.value();
    const double most = std::max(before[l].value(), after[l].value());
    if (most > 0 && rate > 0) loaded.push_back({l, most / rate});
  }
  std::ranges::stable_sort(loaded, std::greater(), &Loaded::worst);
  if (loaded.size() > kFullestLinks) loaded.resize(kFullestLinks);
  if (loaded.empty()) return {};
  Rows rows{{"link", "kind", "rate", "identity", "mapped", "change"}};
  for (const Loaded& entry : loaded) {
    const Link& link = topology.links()[entry.link];
    rows.push_back({fmt::format("{} to {}", topology.vertex(link.from).name, topology.vertex(link.to).name),
                    std::string(to_string(link.kind)), to_string(link.bandwidth), to_string(before[entry.link]),
                    to_string(after[entry.link]), change(before[entry.link].value(), after[entry.link].value())});
  }
  return rows;
}

Rows rank_table(const Comparison& comparison) {
  Rows rows{{"rank", "place", "name", "node", "PCI bus id", "NUMA"}};
  for (std::size_t rank = 0; rank < std::min(comparison.mapping.ranks(), kMostRanks); ++rank)
    rows.push_back(rank_cells(comparison.problem.topology, Rank(rank), comparison.mapping[Rank(rank)]));
  return rows;
}

std::string page_of(const Comparison& comparison) {
  const MapProblem& problem = comparison.problem;
  Page page(fmt::format("{} on {}", counted(problem.traffic.ranks(), "rank"), problem.topology.name()));
  page.paragraph(fmt::format("{} between {}, {}.", to_string(problem.traffic.total_bytes()),
                             counted(problem.traffic.ranks(), "rank"),
                             counted(problem.topology.place_count(), "place")));
  add_numbers(comparison, page);
  add_levels(comparison, page);
  if (problem.topology.place_count() <= kMostDrawnPlaces) {
    page.heading("Where the ranks go");
    page.drawing(machine_drawing(problem.topology, comparison.mapping), "dashed: a place without a rank");
  }
  if (const Rows links = fullest_links(comparison); !links.empty()) {
    page.heading("The fullest links");
    page.table(links);
  }
  page.heading("Every rank");
  page.table(rank_table(comparison));
  if (comparison.mapping.ranks() > kMostRanks)
    page.paragraph(fmt::format("... and {} more ranks.", comparison.mapping.ranks() - kMostRanks));
  return std::move(page).finish();
}

Comparison compare(const Arguments& arguments, MapProblem& problem, const Terminal& terminal) {
  if (const std::string argument = arguments.text("--mapping"); argument != "auto") {
    Mapping mapping = read_mapping(argument, problem, terminal);
    return {problem, ranks_in_order(problem), std::move(mapping), fmt::format("The mapping: {}.", argument)};
  }
  MappingResult result =
      map_ranks(problem, "auto", {.time_limit = arguments.time("--time-limit"), .stop = &InterruptGuard::flag()});
  const std::string proof = result.proven_optimal ? "proven optimal" : "not proven optimal";
  return {problem, ranks_in_order(problem), std::move(result.mapping),
          fmt::format("Found by topowise in {}, {}.", to_string(result.seconds), proof)};
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("--save")) throw usage_error("--save is missing", "--save report.html");
  MapProblem problem = read_map_problem(arguments, terminal);
  const InterruptGuard guard;
  save(arguments, page_of(compare(arguments, problem, terminal)), terminal);
  return status_of_search(terminal);
}

}  // namespace

Verb report_verb() {
  Verb verb{.name = "report",
            .summary = "a mapping and what it is worth, on one self-contained page",
            .description =
                "Draws the machine with its ranks, the traffic by level and by pair of places before and "
                "after, and the fullest links. The page needs no network and no other file.",
            .examples = {"topowise report app.traffic node.json --save report.html",
                         "topowise report app.traffic live --mapping app.mapping --save report.html"}};
  verb.operands = map_operands();
  verb.options = map_options();
  Option mapping = mapping_option();
  mapping.help = "what 'map --save' wrote, or auto, identity, cyclic, random";
  mapping.fallback = "auto";
  verb.options.insert(verb.options.end(),
                      {mapping,
                       {"--time-limit", "TIME", "algorithm", "for a mapping that is made: seconds, or '500ms'", "10s"},
                       written_file("--save", "the HTML file to write")});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
