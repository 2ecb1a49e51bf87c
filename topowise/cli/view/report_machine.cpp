// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <topowise/base/plural.hpp>
#include <topowise/cli/view/report_view.hpp>
#include <topowise/report/machine_drawing.hpp>
#include <topowise/report/wire_drawing.hpp>

namespace topowise::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kFullestWires = 6;
constexpr std::size_t kMostOpenGroups = 2;  ///< if there are more, the reader unfolds them
constexpr std::size_t kMostGroups = 256;
constexpr std::ptrdiff_t kMostSideBySide = 10;  ///< boxes in a row of drawings that are printed side by side
constexpr std::size_t kMostListedGroups = 16;   ///< a longer list is folded as a whole

constexpr std::string_view kCaption =
    "A line is a wire, both directions; the fuller, the thicker and stronger, on the same scale before and after; "
    "thin and grey: nothing. Arcs join two places directly. A dashed box is a place without a rank.";

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string time_or_bytes(const LinkShares& shares, const Topology& topology, std::size_t link, Bytes bytes) {
  if (!shares.in_time || bytes.value() <= 0) return to_string(bytes);
  return fmt::format("{} ({})", to_string(bytes), to_string(bytes / topology.links()[link].bandwidth));
}

void add_fullest(const LinkShares& shares, const Topology& topology, const std::vector<WireShare>& wires, Page& page) {
  Rows rows{{"wire", "kind", "rate", "before", "after", "load before", "load after"}};
  for (const WireShare& wire : fullest(wires, shares, kFullestWires)) {
    const Link& link = topology.links()[wire.link];
    const std::size_t before = wire.fuller_before;
    const std::size_t after = wire.fuller_after;
    rows.push_back({wire_name(topology, wire), std::string(to_string(link.kind)),
                    link.bandwidth.value() > 0 ? to_string(link.bandwidth) : "",
                    time_or_bytes(shares, topology, before, shares.bytes_before[before]),
                    time_or_bytes(shares, topology, after, shares.bytes_after[after]), percent(shares.before[before]),
                    percent(shares.after[after])});
  }
  if (rows.size() > 1) page.table(rows, "The fullest wires before and after; of each wire, the fuller direction");
}

/// Adds a table with one row for each kind of wire.
void add_kinds(const LinkShares& shares, const Topology& topology, const std::vector<WireShare>& wires, Page& page) {
  struct Sum {
    std::size_t wires = 0;
    Bytes before, after;
    double most_before = 0, most_after = 0;
  };
  std::map<LinkKind, Sum> sums;
  for (const WireShare& wire : wires) {
    Sum& sum = sums[topology.links()[wire.link].kind];
    ++sum.wires;
    sum.before += wire.bytes_before;
    sum.after += wire.bytes_after;
    sum.most_before = std::max(sum.most_before, shares.before[wire.fuller_before]);
    sum.most_after = std::max(sum.most_after, shares.after[wire.fuller_after]);
  }
  Rows rows{{"kind", "wires", "bytes before", "bytes after", "fullest before", "fullest after"}};
  for (const auto& [kind, sum] : sums) {
    rows.push_back({std::string(to_string(kind)), std::to_string(sum.wires), to_string(sum.before),
                    to_string(sum.after), percent(sum.most_before), percent(sum.most_after)});
  }
  page.table(rows, "Wires by kind; bytes of both directions. 100 % is the fullest wire of all, before or after.");
}

void draw_places(const Comparison& comparison, Page& page) {
  constexpr std::string_view kPlaces = "Where the ranks go. Dashed: a place without a rank.";
  const Topology& topology = comparison.problem.topology;
  const std::string wide = machine_drawing(topology, comparison.mapping);
  const std::string narrow = machine_drawing(topology, comparison.mapping, DrawingForm::narrow);
  page.drawing(wide, kPlaces, wide == narrow ? "places" : "places broad");
  if (wide != narrow) page.drawing(narrow, kPlaces, "places side");
}

/// Draws the wires. Where a page has many drawings, each has only the form that fits every window, because two forms of
/// each would take megabytes.
void draw(const Comparison& comparison, const WireGraph& graph, const LinkShares& shares, const std::string& name,
          Page& page, bool many = false) {
  const Topology& topology = comparison.problem.topology;
  const auto row = std::ranges::count(graph.boxes, 0, &WireBox::layer);
  const std::string caption =
      fmt::format("{}{}", kCaption, graph.left_out ? " Adapters and switches that carry nothing are left out." : "");
  const auto pair = [&](DrawingForm form) {
    return std::vector{
        wire_drawing(topology, graph, comparison.identity, shares.before, name + ", before", "before", form),
        wire_drawing(topology, graph, comparison.mapping, shares.after, name + ", after", "after", form)};
  };
  if (fits_narrow_window(graph))
    return page.drawings(pair(DrawingForm::wide), caption, row <= kMostSideBySide ? "wires small" : "wires");
  if (many) return page.drawings(pair(DrawingForm::narrow), caption, "wires small");
  // The width of the window decides which of the two forms is shown.
  page.drawings(pair(DrawingForm::wide), caption, "wires broad");
  page.drawings(pair(DrawingForm::narrow), caption, "wires side");
}

std::string ranks_of(const PlaceGroup& group, const Mapping& mapping, std::size_t places) {
  std::vector<bool> here(places);
  for (const Place place : group.places) here[place.index()] = true;
  std::string text;
  std::size_t count = 0;
  for (std::size_t r = 0; r < mapping.ranks(); ++r) {
    const auto has = [&](std::size_t rank) { return rank < mapping.ranks() && here[mapping[Rank(rank)].index()]; };
    if (!has(r)) continue;
    ++count;
    if (r > 0 && has(r - 1)) continue;
    std::size_t last = r;
    while (has(last + 1)) ++last;
    text += (text.empty() ? "" : ", ") + (last == r ? std::to_string(r) : fmt::format("{}–{}", r, last));
  }
  constexpr std::size_t kLongest = 70;
  if (text.size() > kLongest) return counted(count, "rank");
  return count == 0 ? "no rank" : fmt::format("{} {}", count == 1 ? "rank" : "ranks", text);
}

void add_group(const Comparison& comparison, const LinkShares& shares, const PlaceGroup& group, Page& page, bool many) {
  const WireGraph graph = group_wires(comparison.problem.topology, group, shares);
  if (can_draw(graph)) return draw(comparison, graph, shares, group.name, page, many);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < comparison.mapping.ranks(); ++r) {
    const Place place = comparison.mapping[Rank(r)];
    if (std::ranges::find(group.places, place) != group.places.end())
      names.push_back(fmt::format("{} on {}", r, comparison.problem.topology.vertex_of(place).name));
  }
  page.paragraph(fmt::format("Too large to draw its wires. Rank {}.", fmt::join(names, ", ")));
}

void add_groups(const Comparison& comparison, const LinkShares& shares, const std::vector<PlaceGroup>& groups,
                Page& page) {
  if (groups.size() > kMostGroups)
    return page.paragraph(fmt::format("{} groups of places are too many to draw one by one.", groups.size()));
  const bool many = groups.size() > kMostListedGroups;
  if (many) page.begin_fold(fmt::format("All {} groups of places, one by one", groups.size()));
  for (const PlaceGroup& group : groups) {
    page.begin_fold(fmt::format("{}: {}, {}", group.name, counted(group.places.size(), "place"),
                                ranks_of(group, comparison.mapping, comparison.problem.topology.place_count())),
                    groups.size() <= kMostOpenGroups, "each");
    add_group(comparison, shares, group, page, many);
    page.end_fold();
  }
  if (many) page.end_fold();
}

PlaceGroup all_places(const Topology& topology) {
  PlaceGroup all{topology.name(), {}};
  for (std::size_t p = 0; p < topology.place_count(); ++p) all.places.emplace_back(p);
  return all;
}

void add_drawings(const Comparison& comparison, const LinkShares& shares, Page& page) {
  const Topology& topology = comparison.problem.topology;
  const std::vector<PlaceGroup> groups = place_groups(topology);
  const std::string first = node_name(topology, topology.places().front().vertex);
  const bool has_nodes =
      groups.size() > 1 && !first.empty() && std::ranges::any_of(topology.places(), [&](const auto& place) {
        return node_name(topology, place.vertex) != first;
      });
  if (has_nodes) {
    const WireGraph network = network_wires(topology, groups, shares);
    if (can_draw(network)) {
      draw(comparison, network, shares, "Network", page);
    } else if (const WireGraph leaves = leaf_wires(topology, groups, shares); can_draw(leaves)) {
      draw(comparison, leaves, shares,
           fmt::format("Network of {} nodes, those on the same switches as one", groups.size()), page);
    } else {
      page.paragraph(fmt::format("The network between {} nodes is too wide to draw; the tables below have its links.",
                                 groups.size()));
    }
    return add_groups(comparison, shares, groups, page);
  }
  if (topology.place_count() <= kMostBoxesInARow) {
    const WireGraph graph = group_wires(topology, all_places(topology), shares);
    if (can_draw(graph)) return draw(comparison, graph, shares, topology.name(), page);
  }
  if (topology.place_count() <= kMostDrawnPlaces) draw_places(comparison, page);
  if (groups.size() > 1) add_groups(comparison, shares, groups, page);
}

}  // namespace

void add_machine(const Comparison& comparison, Page& page) {
  const Topology& topology = comparison.problem.topology;
  const LinkShares shares = link_shares(topology, comparison.before.link_load, comparison.after.link_load);
  page.heading("The machine and its links");
  if (!shares.known()) {
    if (topology.place_count() <= kMostDrawnPlaces) draw_places(comparison, page);
    return page.paragraph("The routes of this machine are not known, so its links have no load.");
  }
  add_drawings(comparison, shares, page);
  const std::vector<WireShare> wires = wire_shares(topology, shares);
  add_kinds(shares, topology, wires, page);
  add_fullest(shares, topology, wires, page);
}

}  // namespace topowise::cli
