// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/exchange_argument.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/input/traffic_options.hpp>
#include <topowise/graph/traffic/message_order.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/predict/congestion/assumptions.hpp>
#include <topowise/predict/congestion/link_model.hpp>
#include <topowise/schedule/exchange_pattern.hpp>
#include <topowise/topology.hpp>

namespace topowise::cli {
namespace {

constexpr std::int64_t kMostRanks = 10'000'000;

std::optional<Rank> parse_rank(std::string_view text) {
  const std::optional<std::int64_t> number = parse_integer(trim(text));
  if (!number || *number < 0 || *number >= kMostRanks) return std::nullopt;
  return Rank(static_cast<std::size_t>(*number));
}

/// Reads SOURCE->DESTINATION:SIZE[@START]. Without a result, `wrong` says why.
std::optional<Communication> parse_message(std::string_view text, std::string& wrong) {
  const std::size_t arrow = text.find("->");
  const std::size_t colon = text.find(':');
  wrong = fmt::format("'{}' is no message", printable(text));
  if (arrow == std::string_view::npos || colon == std::string_view::npos || colon < arrow) return std::nullopt;
  const std::size_t at = std::min(text.find('@', colon), text.size());
  const std::string_view size = text.substr(colon + 1, at - colon - 1);
  const std::string_view begin = text.substr(std::min(at + 1, text.size()));
  const auto source = parse_rank(text.substr(0, arrow));
  const auto destination = parse_rank(text.substr(arrow + 2, colon - arrow - 2));
  const auto bytes = parse_bytes(size);
  const auto start = at == text.size() ? std::optional(Seconds()) : parse_seconds(begin);
  const auto because = [&](std::string_view part, std::string_view what) {
    wrong += fmt::format(": '{}' is no {}", printable(part), what);
  };
  if (!source) because(text.substr(0, arrow), "rank");
  if (!destination) because(text.substr(arrow + 2, colon - arrow - 2), "rank");
  if (!bytes || *bytes < Bytes()) because(size, "size of a message");
  if (!start || *start < Seconds()) because(begin, "time");
  if (!source || !destination || !bytes || *bytes < Bytes() || !start || *start < Seconds()) return std::nullopt;
  return Communication{*source, *destination, *bytes, *start};
}

struct NamedOrder {
  std::string_view name;
  MessageOrder order;
  std::string_view words;  ///< of `given`: as the exchange says
};
constexpr std::array<NamedOrder, 4> kOrders{{{"given", MessageOrder::given, ""},
                                             {"destination", MessageOrder::destination, "by destination"},
                                             {"rotation", MessageOrder::rotation, "rank + 1, rank + 2, ..."},
                                             {"pairs", MessageOrder::pairs, "rank XOR 1, rank XOR 2, ..."}}};

std::vector<std::string> order_names() {
  return names_of(kOrders);
}

ExchangeReading read_exchange(const Arguments& arguments, const std::string& argument, const Terminal& terminal) {
  if (std::optional<Exchange> star = exchange_pattern(argument)) return {*std::move(star), {}, {}};
  return exchange_of(arguments, argument, terminal);
}

/// The exchange in the order of --order.
ExchangeReading ordered(const Arguments& arguments, ExchangeReading reading) {
  const NamedOrder& wanted = *std::ranges::find(kOrders, arguments.text("--order"), &NamedOrder::name);
  if (wanted.order == MessageOrder::given) return reading;
  return {in_message_order(reading.exchange, wanted.order), {}, std::string(wanted.words)};
}

/// The traffic of the whole exchange. Without entries if the exchange is only a part of what a program sends.
Traffic traffic_in_all(const Arguments& arguments, const Exchange& exchange, std::size_t ranks) {
  std::vector<TrafficEntry> entries;
  if (arguments.has("--messages") || arguments.has("--phases")) return Traffic::from_entries(ranks, {});
  for (const Communication& message : exchange.communications())
    entries.push_back({message.source, message.destination, message.bytes, 1});
  return Traffic::from_entries(ranks, std::move(entries));
}

/// A rank on the command line is a matter of usage, one in a file of input.
[[noreturn]] void refuse_rank(const Arguments& arguments, std::size_t rank, std::string_view where, std::size_t room) {
  const std::string what =
      fmt::format("the messages name rank {}, but '{}' has room for ranks 0 to {}", rank, printable(where), room - 1);
  if (arguments.has("--messages")) throw usage_error(what);
  throw bad_input(what);
}

Mapping mapping_of(const Arguments& arguments, const Exchange& exchange, const Topology& topology,
                   const Terminal& terminal) {
  const std::size_t ranks = std::max<std::size_t>(1, exchange.ranks());
  const std::string argument = arguments.text("--mapping");
  const bool made = is_made_mapping(argument);
  if (made && ranks > topology.capacity()) refuse_rank(arguments, ranks - 1, topology.name(), topology.capacity());
  MapProblem problem{.traffic = Traffic::from_entries(ranks, {}), .topology = topology};
  problem.seed = static_cast<std::uint64_t>(arguments.whole("--seed"));
  if (!made) problem.traffic = traffic_in_all(arguments, exchange, arguments.has("--messages") ? 1 : ranks);
  Mapping mapping = read_mapping(argument, problem, terminal);
  if (mapping.ranks() < ranks) refuse_rank(arguments, ranks - 1, argument, mapping.ranks());
  return mapping;
}

}  // namespace

CongestionParameters congestion_parameters(const Arguments& arguments) {
  CongestionParameters parameters;
  if (arguments.has("--link-bandwidth")) {
    const std::string text = arguments.text("--link-bandwidth");
    parameters.link_bandwidth = parse_bandwidth(text);
    // Beside a faster link the others would count as links that carry nothing.
    constexpr BytesPerSecond kSlowest(1), kFastest(1e15);
    if (!parameters.link_bandwidth || *parameters.link_bandwidth < kSlowest || *parameters.link_bandwidth > kFastest)
      throw Arguments::wrong("--link-bandwidth",
                             fmt::format("'{}' is not a bandwidth from 1 B/s to 1000 TB/s", printable(text)),
                             "--link-bandwidth 11.6GiB/s");
  }
  if (arguments.has("--tau")) {
    const std::string text = arguments.text("--tau");
    parameters.tau = parse_double(text);
    if (!parameters.tau || !(*parameters.tau >= 0 && *parameters.tau < 0.5))
      throw Arguments::wrong("--tau", fmt::format("'{}' is no number in [0, 0.5)", text), "--tau 0.17355");
  }
  return parameters;
}

Exchange parse_messages(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, ',', ' ');
  std::vector<Communication> messages;
  Diagnostics wrong;
  for (const std::string_view word : split_blanks(blanks)) {
    std::string what;
    if (const std::optional<Communication> message = parse_message(word, what)) {
      messages.push_back(*message);
    } else {
      wrong.add({.where = "--messages", .what = std::move(what), .hint = "--messages '0->2:300MB 1->4:300MB@0.5ms'"});
    }
  }
  if (!wrong.empty()) throw Error(ExitStatus::usage, wrong.all());
  if (messages.empty()) throw Arguments::wrong("--messages", "there is no message", "--messages '0->2:300MB'");
  try {
    return Exchange(std::move(messages));
  } catch (const Error& error) {  // a rank that sends to itself
    throw Arguments::wrong("--messages", error.diagnostics().front().what, "--messages '0->2:300MB 1->4:300MB@0.5ms'");
  }
}

std::vector<Operand> exchange_operands() {
  return {{"EXCHANGE", "messages: a file, pattern:NAME:DIMS, a traffic, or left out with --messages", false,
           Completes::traffics},
          {"TOPOLOGY", "the machine: live, preset:NAME, cluster:..., FILE or -", false, Completes::topologies}};
}

Option congestion_model_option() {
  return {.name = "--model",
          .value = "NAME",
          .group = "model",
          .help = "how messages share links",
          .fallback = "auto",
          .choices = congestion_model_names,
          .kind = "model"};
}

std::vector<Option> exchange_options() {
  std::vector<Option> options = traffic_options("input");
  options.insert(
      options.end(),
      {{"--messages", "LIST", "input", "messages instead of EXCHANGE: '0->2:300MB 1->4:300MB@0.5ms'"},
       {"--order", "ORDER", "input",
        "in which order a rank sends messages that are ready at once; given: as listed, of a pattern as programs "
        "send them, of a traffic by destination",
        "given", order_names, "order", Completes::choices},
       mapping_option(),
       {"--seed", "N", "input", "the same seed gives the same result", "1"},
       congestion_model_option(),
       {"--link-bandwidth", "RATE", "model", "of every PCIe link, and of links whose rate is not known (11.6GiB/s)"},
       {"--tau", "T", "model", "what crossing a root complex costs, a share of the bandwidth", "0.17355"}});
  return options;
}

ExchangeProblem exchange_problem(const Arguments& arguments, Exchange exchange, const std::string& machine,
                                 const Terminal& terminal) {
  const CongestionParameters parameters = congestion_parameters(arguments);
  const CongestionModelName model = arguments.one_of("--model", parse_congestion_model);
  Topology topology = load_topology(machine);
  for (const std::string& warning : topology.warnings()) terminal.warn(warning);
  Mapping mapping = mapping_of(arguments, exchange, topology, terminal);
  return {std::move(exchange), std::move(topology), std::move(mapping), model, parameters, {}};
}

std::vector<std::string> assumptions_of(const ExchangeProblem& problem, const Mapping* other) {
  PairsOfPlaces pairs = pairs_that_talk(problem.exchange, problem.mapping);
  if (other != nullptr) {
    const PairsOfPlaces more = pairs_that_talk(problem.exchange, *other);
    pairs.insert(pairs.end(), more.begin(), more.end());
  }
  return topowise::assumptions_of(problem.topology, pairs, problem.parameters);
}

ExchangeProblem read_exchange_problem(const Arguments& arguments, const Terminal& terminal) {
  (void)congestion_parameters(arguments);  // wrong options are reported before large files are read
  const bool listed = arguments.has("--messages");
  if (arguments.has_operand(1) == listed || !arguments.has_operand(0)) {
    throw usage_error(listed ? "with --messages the only argument is TOPOLOGY" : "it takes EXCHANGE and TOPOLOGY",
                      arguments.verb().usage());
  }
  const std::string first = arguments.operand(0);
  ExchangeReading reading =
      ordered(arguments, listed ? ExchangeReading{parse_messages(arguments.text("--messages")), {}}
                                : read_exchange(arguments, first, terminal));
  ExchangeProblem problem =
      exchange_problem(arguments, std::move(reading.exchange), listed ? first : arguments.operand(1), terminal);
  problem.order = std::move(reading.order);
  return problem;
}

}  // namespace topowise::cli
