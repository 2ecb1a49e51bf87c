// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/extremes.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/topics.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/graph/nearest_nics.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/predict/congestion/assumptions.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/topology.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

namespace topowise::cli {
namespace {

// A machine as a user wants to see it.

using Align = Table::Align;

/// A table shows at most so many rows, because nobody reads more; --json has them all.
constexpr std::size_t kMostRows = 256;
/// Machines of at most that many places are examined pair by pair.
constexpr std::size_t kMostForPairs = 1024;

/// For each of the first `rows` places, the NICs of the nearest class: "mlx5_0, mlx5_1 (PIX)".
std::vector<std::string> nic_cells(const Topology& topology, std::size_t rows) {
  const std::vector<VertexId> nics = nics_of(topology);
  std::vector<std::string> result(rows);
  std::vector<Place> places;
  for (std::size_t p = 0; p < rows; ++p) places.emplace_back(p);
  const std::vector<NearestNics> nearest = nearest_nics(topology, places, nics);
  for (std::size_t p = 0; p < nearest.size(); ++p) {
    std::vector<std::string> names;
    for (const std::size_t nic : nearest[p].nics) names.push_back(topology.vertex(nics[nic]).name);
    if (!names.empty()) result[p] = fmt::format("{} ({})", fmt::join(names, ", "), to_string(nearest[p].path));
  }
  return result;
}

/// A range in words: "25 GB/s" or "10 .. 25 GB/s"; empty if the value of a pair is not known.
template <class Quantity>
std::string shown(const Extremes& range) {
  if (!(range.least > 0) || range.most == 0) return {};
  const std::string most = to_string(Quantity(range.most));
  const std::string least = to_string(Quantity(range.least));
  return least == most ? most : least + " .. " + most;
}

std::string cell(const Topology& topology, const std::string& matrix, Place a, Place b) {
  if (matrix == "level") return to_string(topology.path_class(a, b));
  if (a == b) return "-";
  if (matrix == "distance") return fmt::format("{:g}", topology.distance(a, b));
  if (matrix == "hops") return fmt::format("{:g}", topology.pair_cost(Metric::hops, a, b));
  const double value =
      matrix == "latency" ? topology.latency(a, b).value() * 1e6 : topology.bandwidth(a, b).value() / 1e9;
  return value > 0 ? fmt::format("{:.4g}", value) : "?";
}

/// Places with bus id, NUMA domain and nearest NICs.
void show_places(const Topology& topology, Terminal& terminal) {
  const std::size_t rows = std::min(topology.place_count(), kMostRows);
  const std::vector<std::string> nics = nic_cells(topology, rows);
  Table table({{"id", Align::right},
               {"name"},
               {"node"},
               {"PCI bus id"},
               {"NUMA", Align::right},
               {"CPUs"},
               {"ranks", Align::right},
               {"nearest NICs"}});
  const bool shared =
      std::ranges::any_of(topology.places(), [](const PlaceEntry& place) { return place.capacity != 1; });
  for (std::size_t p = 0; p < rows; ++p) {
    const Vertex& vertex = topology.vertex_of(Place(p));
    table.add({std::to_string(p), vertex.name, vertex.node, vertex.pci ? vertex.pci->to_string() : "",
               vertex.numa >= 0 ? std::to_string(vertex.numa) : "", vertex.cpus,
               shared ? std::to_string(topology.place(Place(p)).capacity) : "", nics[p]});
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (topology.place_count() > kMostRows)
    terminal.print("  ... and {} more; --json has them all\n", topology.place_count() - kMostRows);
}

/// "level" shows the class of every pair, as nvidia-smi does; "distance", "latency", "bandwidth" and "hops"
/// (switches on the way) numbers.
void show_matrix(const Topology& topology, const std::string& matrix, Terminal& terminal) {
  const std::size_t n = topology.place_count();
  if (n > kMostRows) {
    terminal.print("a matrix of {} places is too wide to read; --matrix {} --json has it\n", n, matrix);
    return;
  }
  if (matrix == "latency") terminal.print("latency in us\n");
  if (matrix == "bandwidth") terminal.print("bandwidth in GB/s\n");
  std::vector<Table::Column> columns{{""}};
  for (std::size_t b = 0; b < n; ++b) columns.push_back({topology.vertex_of(Place(b)).name, Align::right});
  Table table(std::move(columns));
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<std::string> row{topology.vertex_of(Place(a)).name};
    for (std::size_t b = 0; b < n; ++b) row.push_back(cell(topology, matrix, Place(a), Place(b)));
    table.add(std::move(row));
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

/// The classes of the machine, nearest first, with their range of bandwidth and latency.
void show_levels(const Topology& topology, Terminal& terminal) {
  const std::size_t levels = topology.levels().size();
  std::vector<std::size_t> pairs(levels, 0);
  std::vector<Extremes> distances(levels);
  std::vector<Extremes> bandwidths(levels);
  std::vector<Extremes> latencies(levels);
  const std::size_t n = topology.place_count() <= kMostForPairs ? topology.place_count() : 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Place a(i);
      const Place b(j);
      if (a == b) continue;
      const auto level = static_cast<std::size_t>(topology.level(a, b));
      if (level >= kMostRows) continue;
      if (a < b) ++pairs[level];
      distances[level].add(topology.distance(a, b));
      bandwidths[level].add(topology.bandwidth(a, b).value());
      latencies[level].add(topology.latency(a, b).value());
    }
  }
  Table table({{"level", Align::right},
               {"class"},
               {"distance", Align::right},
               {"pairs", Align::right},
               {"bandwidth", Align::right},
               {"latency", Align::right}});
  for (std::size_t level = 0; level < std::min(levels, kMostRows); ++level) {
    std::string distance = fmt::format("{:g}", topology.level_distances()[level]);
    if (topology.has_pair_matrix(Metric::distance) && n > 0)
      distance = distances[level].least == distances[level].most
                     ? fmt::format("{:g}", distances[level].most)
                     : fmt::format("{:g} .. {:g}", distances[level].least, distances[level].most);
    table.add({std::to_string(level), to_string(topology.levels()[level]), distance,
               n > 0 ? std::to_string(pairs[level]) : "", shown<BytesPerSecond>(bandwidths[level]),
               shown<Seconds>(latencies[level])});
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (levels > kMostRows) terminal.print("  ... and {} more levels; --json has them all\n", levels - kMostRows);
}

/// What the numbers of the pairs rest on, where sources do not state them.
void show_grounds(const Topology& topology, Terminal& terminal) {
  std::vector<Place> places;
  const bool has_numbers = topology.place_count() <= kMostForPairs;
  for (std::size_t p = 0; p < topology.place_count() && has_numbers; ++p) places.emplace_back(p);
  const std::vector<std::string> assumptions = assumptions_of_readers(topology, pairs_among(places));
  if (!assumptions.empty()) terminal.print("\n");
  show_assumptions(assumptions, terminal);
}

/// How the two reach each other, link by link.
void show_route(const Topology& topology, Place a, Place b, Terminal& terminal) {
  const Vertex& from = topology.vertex_of(a);
  const Vertex& to = topology.vertex_of(b);
  if (a == b) {
    terminal.print("{} and itself: distance 0\n", printable(from.name));
    return;
  }
  const double bandwidth = topology.bandwidth(a, b).value();
  const double latency = topology.latency(a, b).value();
  terminal.print("{} -> {}: class {}, level {}, distance {:g}", printable(from.name), printable(to.name),
                 to_string(topology.path_class(a, b)), topology.level(a, b), topology.distance(a, b));
  if (bandwidth > 0) terminal.print(", {}", to_string(BytesPerSecond(bandwidth)));
  if (latency > 0) terminal.print(", {}", to_string(Seconds(latency)));
  terminal.print("\n");
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    if (topology.has_pair_matrix(metric))
      terminal.print("the {} is stated by {}\n", to_string(metric), to_string(topology.pair_matrix_source(metric)));
  }
  if (topology.without_peer_access().contains(std::minmax(a, b)))
    terminal.print("the two cannot read each other's memory: their copies are staged in host memory\n");
  else if (topology.stated_classes().contains(std::minmax(a, b)))
    terminal.print("the class is stated by its source\n");
  const std::vector<LinkId> route = topology.route(a, b);
  if (route.empty()) {
    terminal.print("no links between them are known\n");
    return;
  }
  Table table({{"from"}, {"to"}, {"link"}, {"bandwidth", Align::right}, {"latency", Align::right}, {"source"}});
  for (const LinkId id : route) {
    const Link& link = topology.link(id);
    table.add(
        {topology.vertex(link.from).name, topology.vertex(link.to).name,
         link.width > 1 ? fmt::format("{} x{}", to_string(link.kind), link.width) : std::string(to_string(link.kind)),
         link.bandwidth.value() > 0 ? to_string(link.bandwidth) : "",
         link.latency.value() > 0 ? to_string(link.latency) : "", to_string(link.source)});
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

/// The JSON of the machine, with how the two reach each other.
std::string with_route(std::string json, const Topology& topology, Place a, Place b) {
  const auto positive_or_null = [](JsonWriter& writer, std::string_view key, double number) {
    writer.key(key).value_or_null(number > 0 ? std::optional(number) : std::nullopt);
  };
  JsonWriter writer;
  writer.object(JsonWriter::Layout::row).key("from").value(a.index()).key("to").value(b.index());
  writer.key("class");
  if (a == b)
    writer.null();
  else
    writer.value(to_string(topology.path_class(a, b)));
  writer.key("level").value(a == b ? -1 : static_cast<int>(topology.level(a, b)));
  writer.key("distance").value(a == b ? 0.0 : topology.distance(a, b));
  positive_or_null(writer, "bandwidth_bytes_per_s", a == b ? 0 : topology.bandwidth(a, b).value());
  positive_or_null(writer, "latency_s", a == b ? 0 : topology.latency(a, b).value());
  writer.key("links").array();
  for (const LinkId id : a == b ? std::vector<LinkId>() : topology.route(a, b)) {
    const Link& link = topology.link(id);
    writer.object().key("from").value(link.from.index()).key("to").value(link.to.index());
    writer.key("kind").value(to_string(link.kind)).key("width").value(link.width);
    positive_or_null(writer, "bandwidth_bytes_per_s", link.bandwidth.value());
    positive_or_null(writer, "latency_s", link.latency.value());
    writer.key("source").value(to_string(link.source)).end();
  }
  writer.end().end();
  std::string route = std::move(writer).finish();
  while (!route.empty() && route.back() == '\n') route.pop_back();
  json.resize(json.rfind("\n}"));  // the end of the outermost object
  return json + ",\n  \"explanation\": " + route + "\n}\n";
}

std::vector<std::string> matrix_names() {
  return {"level", "distance", "latency", "bandwidth", "hops"};
}

std::vector<std::string> format_names() {
  return names_of(topology_formats());
}

/// Refuses other arguments beside --list, which shows no machine and would ignore them.
void check_alone(const Arguments& arguments) {
  std::string other = arguments.has_operand(0) ? arguments.operand(0) : "";
  for (const Option& option : arguments.verb().options) {
    if (option.name != "--list" && option.name != "--json" && arguments.has(option.name)) other = option.name;
  }
  if (!other.empty())
    throw usage_error(
        fmt::format("--list lists the presets and takes nothing else but --json, and '{}' is given", printable(other)),
        "topowise topology --list");
}

void list_presets(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("--json")) return show_presets(terminal);
  JsonWriter writer;
  writer.object().key("schema").value("topowise.preset-list/1").key("presets").array();
  for (const Preset& preset : all_presets()) {
    writer.object(JsonWriter::Layout::row).key("name").value(preset.name);
    writer.key("summary").value(preset.help).end();
  }
  writer.end().end();
  terminal.print("{}", std::move(writer).finish());
}

/// The two places of --explain.
std::pair<Place, Place> ends_of_route(const Topology& topology, const Arguments& arguments) {
  const std::vector<std::string> ends = arguments.texts("--explain");
  return {place_named(topology, ends[0], "--explain"), place_named(topology, ends[1], "--explain")};
}

std::string json_of(const Topology& topology, const Arguments& arguments) {
  std::string json = to_json(topology, arguments.text("--matrix"));
  if (!arguments.has("--explain")) return json;
  const auto [from, to] = ends_of_route(topology, arguments);
  return with_route(std::move(json), topology, from, to);
}

void show(const Topology& topology, const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--explain")) {
    const auto [from, to] = ends_of_route(topology, arguments);
    return show_route(topology, from, to, terminal);
  }
  if (arguments.has("--matrix")) {
    show_matrix(topology, arguments.text("--matrix"), terminal);
    if (arguments.text("--matrix") == "bandwidth") show_grounds(topology, terminal);
    return;
  }
  terminal.print("{}: {} {}\n\n", terminal.bold(topology.name()), topology.place_count(),
                 topology.place_count() == 1 ? "place" : "places");
  show_places(topology, terminal);
  constexpr std::size_t kReadable = 64;
  if (topology.place_count() > 1 && topology.place_count() <= kReadable) {
    terminal.print("\n");
    show_matrix(topology, "level", terminal);
  }
  if (topology.place_count() > 1) {
    terminal.print("\n");
    show_levels(topology, terminal);
  }
  show_grounds(topology, terminal);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--list")) {
    check_alone(arguments);
    list_presets(arguments, terminal);
    return ExitStatus::done;
  }
  const Topology topology = load_topology(arguments.operand(0), arguments.text("--format"));
  const bool only_saved = saves_to_output(arguments);
  if (arguments.has("--save")) save(arguments, to_json(topology), terminal);
  if (only_saved) {
    for (const std::string& warning : topology.warnings()) terminal.warn(warning);
  } else if (arguments.has("--json")) {
    terminal.print(json_of(topology, arguments));
  } else {
    show(topology, arguments, terminal);
    for (const std::string& warning : topology.warnings()) terminal.warn(warning);
  }
  return ExitStatus::done;
}

}  // namespace

Verb topology_verb() {
  Verb verb{.name = "topology",
            .summary = "show, convert, join or explain a machine",
            .description =
                "The topology is 'live' (this machine), 'preset:NAME', 'tree:2:2:2' (a hierarchy, outermost "
                "first), 'cluster:FABRIC,NODE' (a network of such nodes), or a file whose format is recognised by its "
                "content; several joined with '+' are one machine. 'topowise help formats' lists what is read, "
                "'topowise help classes' explains PIX, SYS and the like.",
            .examples = {"topowise topology live --save node.json", "topowise topology preset:dgx1-v100",
                         "nvidia-smi topo -m | topowise topology - --matrix level --json"}};
  verb.operands = {{"TOPOLOGY", "the machine: live, preset:NAME, cluster:..., FILE or -", true, Completes::topologies}};
  verb.options = {
      {.name = "--format",
       .value = "NAME",
       .group = "input",
       .help = "force the format of files",
       .choices = format_names,
       .kind = "format"},
      {"--list", "", "input", "list the presets"},
      {.name = "--matrix",
       .value = "KIND",
       .group = "output",
       .help = "a number for every pair of places",
       .choices = matrix_names,
       .kind = "matrix"},
      {"--explain", "A B", "output", "the route between two places (number, name or PCI bus id), link by link"},
      written_file("--save", "write the machine as JSON"),
      json_option()};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
