// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/input/map_arguments.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/map_view.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/cli/view/spread_view.hpp>
#include <topowise/evaluate.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/predict/objective/wire.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> wire_names() {
  return names_of(wire_formats());
}

BetweenNodes on_the_wire_of(const Arguments& arguments, const MapProblem& problem, const Mapping& mapping) {
  const WireFormat& format = *std::ranges::find(wire_formats(), arguments.text("--wire"), &WireFormat::name);
  return between_nodes(problem.traffic, problem.topology, mapping, format);
}

std::string json(const Evaluation& numbers, const std::optional<BetweenNodes>& wire) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.evaluation/1").key("hop_bytes").value(numbers.hop_bytes);
  writer.key("max_congestion_s").value_or_null(numbers.max_congestion);
  writer.key("average_dilation").value(numbers.average_dilation).key("max_dilation").value(numbers.max_dilation);
  writer.key("predicted_time_s").value_or_null(numbers.predicted_time);
  write_assumptions(writer, numbers.assumptions);
  write_spread(writer, numbers.spread);
  if (wire) writer.key("payload_bytes").value(wire->payload.value()).key("wire_bytes").value(wire->wire.value());
  writer.end();
  return std::move(writer).finish();
}

void show(const MapProblem& problem, const Mapping& mapping, const Evaluation& numbers, Terminal& terminal) {
  terminal.print("hop-bytes         {} ({} x bytes)\n", to_string(Bytes(numbers.hop_bytes)), to_string(problem.metric));
  if (numbers.max_congestion) {
    terminal.print("max congestion    {}", to_string(*numbers.max_congestion));
    if (numbers.fullest_link) {
      const Link& link = problem.topology.link(*numbers.fullest_link);
      terminal.print(" on the {} link from {} to {}", to_string(link.kind),
                     printable(problem.topology.vertex(link.from).name),
                     printable(problem.topology.vertex(link.to).name));
    }
    terminal.print("\n");
  }
  if (numbers.predicted_time)
    terminal.print("predicted time    {} (all messages at once, one a pair)\n", to_string(*numbers.predicted_time));
  terminal.print("average dilation  {:.4g}\nmax dilation      {:.4g}\n", numbers.average_dilation,
                 numbers.max_dilation);
  show_assumptions(numbers.assumptions, terminal);
  terminal.print("\n");
  show_levels(problem, ranks_in_order(problem), mapping, terminal);
  if (const auto rows = spread_rows(numbers.spread); !rows.empty())
    terminal.print("\nparts of the machine that a group of ranks touches\n{}", table_text(rows, terminal));
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  MapProblem problem = read_map_problem(arguments, terminal);
  const std::string argument = arguments.text("--mapping");
  const Mapping mapping = read_mapping(argument, problem, terminal);
  if (mapping.ranks() != problem.traffic.ranks()) {
    throw bad_input(
        fmt::format("'{}' maps {} ranks, but the traffic has {}", argument, mapping.ranks(), problem.traffic.ranks()));
  }
  const Evaluation numbers = evaluate(problem.traffic, problem.topology, mapping, problem.metric);
  if (!numbers.unknown.empty()) terminal.warn(numbers.unknown);
  std::optional<BetweenNodes> wire;
  if (arguments.has("--wire") && problem.topology.network() != nullptr)
    terminal.warn("nothing says which places of this network are on one node, so bytes between nodes are not known");
  else if (arguments.has("--wire"))
    wire = on_the_wire_of(arguments, problem, mapping);
  if (arguments.has("--json")) {
    terminal.print(json(numbers, wire));
    return ExitStatus::done;
  }
  show(problem, mapping, numbers, terminal);
  if (!wire) return ExitStatus::done;
  if (wire->payload == Bytes(0)) {
    terminal.print("\nbetween nodes: nothing, so that there are no headers of {}\n", arguments.text("--wire"));
    return ExitStatus::done;
  }
  const BetweenNodes in_order = on_the_wire_of(arguments, problem, ranks_in_order(problem));
  terminal.print("\nbetween nodes: {} of payload, {} with the headers of {}; in the default order {} and {}\n",
                 to_string(wire->payload), to_string(wire->wire), arguments.text("--wire"), to_string(in_order.payload),
                 to_string(in_order.wire));
  return ExitStatus::done;
}

}  // namespace

Verb evaluate_verb() {
  Verb verb{.name = "evaluate",
            .summary = "every objective of a given mapping",
            .description = {},
            .examples = {"topowise evaluate app.traffic node.json --mapping app.mapping",
                         "topowise evaluate pattern:ring:8 preset:dgx1-v100 --mapping random --seed 7 --json"}};
  verb.operands = map_operands();
  verb.options = map_options();
  verb.options.insert(verb.options.end(),
                      {mapping_option(),
                       {"--wire",
                        "FORMAT",
                        "output",
                        "also show the bytes between nodes with the headers of each frame or packet",
                        {},
                        wire_names,
                        "format",
                        Completes::choices},
                       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
