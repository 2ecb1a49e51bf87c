// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include <topowise/cli/map_problem.hpp>
#include <topowise/cli/map_view.hpp>
#include <topowise/cli/mapping_argument.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verbs.hpp>
#include <topowise/graph/json_writer.hpp>
#include <topowise/predict/hop_bytes.hpp>
#include <topowise/predict/link_load.hpp>
#include <topowise/predict/predicted_time.hpp>

namespace topowise::cli {
namespace {

struct Numbers {
  double hop_bytes = 0;
  Dilation dilation;
  // Nothing where routes or bandwidths are not known:
  std::optional<MaxCongestion> congestion;
  std::optional<Seconds> predicted;
};

/// A simulation of more messages would take longer than a user waits for a table.
constexpr std::size_t kMostMessages = 20000;

Numbers evaluate_all(const MapProblem& problem, const Mapping& mapping, const Terminal& terminal) {
  Numbers numbers;
  numbers.hop_bytes = hop_bytes(problem.traffic, problem.topology, mapping, problem.metric);
  numbers.dilation = dilation(problem.traffic, problem.topology, mapping, problem.metric);
  try {
    numbers.congestion = max_congestion(problem.topology, link_load(problem.traffic, problem.topology, mapping));
    if (problem.traffic.entries().size() <= kMostMessages)
      numbers.predicted = PredictedTime(problem.traffic, problem.topology)(mapping);
    else
      terminal.note(
          fmt::format("no predicted time for more than {} messages; 'topowise predict' has it", kMostMessages));
  } catch (const Error& error) {
    terminal.warn(
        fmt::format("{} is not known: {}", numbers.congestion ? "the predicted time" : "max congestion", error.what()));
  }
  return numbers;
}

std::string json(const Numbers& numbers) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.evaluation/1").key("hop_bytes").value(numbers.hop_bytes);
  writer.key("max_congestion_s");
  numbers.congestion ? writer.value(numbers.congestion->seconds.value()) : writer.null();
  writer.key("average_dilation").value(numbers.dilation.average).key("max_dilation").value(numbers.dilation.max);
  writer.key("predicted_time_s");
  numbers.predicted ? writer.value(numbers.predicted->value()) : writer.null();
  writer.end();
  return std::move(writer).finish();
}

void show(const MapProblem& problem, const Mapping& mapping, const Numbers& numbers, Terminal& terminal) {
  terminal.print("hop-bytes         {} ({} x bytes)\n", to_string(Bytes(numbers.hop_bytes)), to_string(problem.metric));
  if (numbers.congestion) {
    terminal.print("max congestion    {}", to_string(numbers.congestion->seconds));
    if (numbers.congestion->fullest) {
      const Link& link = problem.topology.link(*numbers.congestion->fullest);
      terminal.print(" on the {} link from {} to {}", to_string(link.kind), problem.topology.vertex(link.from).name,
                     problem.topology.vertex(link.to).name);
    }
    terminal.print("\n");
  }
  if (numbers.predicted)
    terminal.print("predicted time    {} (all messages at once, one a pair)\n", to_string(*numbers.predicted));
  terminal.print("average dilation  {:.4g}\nmax dilation      {:.4g}\n\n", numbers.dilation.average,
                 numbers.dilation.max);
  show_levels(problem, map_ranks(problem, "identity").mapping, mapping, terminal);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const MapProblem problem = read_map_problem(arguments, terminal);
  const std::string argument = arguments.text("--mapping");
  const Mapping mapping = read_mapping(argument, problem);
  if (mapping.ranks() != problem.traffic.ranks()) {
    throw bad_input(
        fmt::format("'{}' maps {} ranks, but the traffic has {}", argument, mapping.ranks(), problem.traffic.ranks()));
  }
  const Numbers numbers = evaluate_all(problem, mapping, terminal);
  if (arguments.has("--json")) {
    terminal.print(json(numbers));
  } else {
    show(problem, mapping, numbers, terminal);
  }
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
  verb.options.insert(verb.options.end(), {mapping_option(), {"--json", "", "output", "print JSON"}});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
