// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/topics.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/topology_view.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

namespace topowise::cli {
namespace {

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
  for (const Preset& preset : presets()) {
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
  if (arguments.has("--matrix")) return show_matrix(topology, arguments.text("--matrix"), terminal);
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
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--list")) {
    check_alone(arguments);
    list_presets(arguments, terminal);
    return ExitStatus::done;
  }
  const Topology topology = read_topology(arguments.operand(0), arguments.text("--format"));
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
      {"--format", "NAME", "input", "force the format of files", {}, format_names, "format", Completes::choices},
      {"--list", "", "input", "list the presets"},
      {"--matrix",
       "KIND",
       "output",
       "a number for every pair of places",
       {},
       matrix_names,
       "matrix",
       Completes::choices},
      {"--explain", "A B", "output", "the route between two places (number, name or PCI bus id), link by link"},
      written_file("--save", "write the machine as JSON"),
      json_option()};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
