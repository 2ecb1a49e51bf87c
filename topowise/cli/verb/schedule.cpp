// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/gap_text.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule/enumerate.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>
#include <topowise/schedule/rings.hpp>

namespace topowise::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Answer {
  Order best;
  Seconds makespan;                     ///< without latency, like all times except the next
  std::optional<Seconds> with_latency;  ///< time of the best order with latency, if a route has one
  Seconds lower_bound;
  bool proven = false;
  std::optional<Seconds> worst, median;
  std::vector<Distribution::Bin> histogram;
  double evaluated = 0;
  double total = 0;
  Seconds seconds;
  std::vector<std::string> assumptions;
};

double elapsed(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The number, exact below 1e9, where a person still reads the digits.
std::string digits(double number) {
  if (std::isinf(number)) return "more than 1e308";
  return number < 1e9 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

Answer enumerate(OrderProblem& problem, double time_limit, const Terminal& terminal) {
  const Clock::time_point begin = Clock::now();
  const bool shows_progress = isatty(STDERR_FILENO) == 1;
  double next_note = 1;
  const Enumeration found = enumerate_orders(problem, [&](const EnumerationProgress& progress) {
    const double so_far = elapsed(begin);
    if (shows_progress && so_far >= next_note) {
      next_note = so_far + 1;
      const double rest = progress.evaluated > 0 ? so_far * (progress.total / progress.evaluated - 1) : 0;
      terminal.note(fmt::format("{} of {} orders, best {}, about {:.0f} s to go", digits(progress.evaluated),
                                digits(progress.total), to_string(progress.best), rest));
    }
    return !InterruptGuard::interrupted() && so_far < time_limit;
  });
  Answer answer{.best = found.best_order,
                .makespan = found.best,
                .lower_bound = found.complete ? found.best : bound_of_all_orders(problem),
                .proven = found.complete,
                .worst = found.worst,
                .median = Seconds(found.times.quantile(0.5)),
                .histogram = found.times.histogram(20),
                .evaluated = found.evaluated,
                .total = found.total};
  if (!found.complete)
    terminal.warn(fmt::format("stopped after {} of {} orders", digits(found.evaluated), digits(found.total)));
  return answer;
}

Answer search(OrderProblem& problem, std::uint64_t seed, double time_limit) {
  const Clock::time_point begin = Clock::now();
  SearchLimits limits;
  limits.stop = [&] { return InterruptGuard::interrupted() || elapsed(begin) >= time_limit; };
  const FoundOrder found = best_order(problem, seed, limits);
  return {.best = found.order,
          .makespan = found.makespan,
          .lower_bound = found.lower_bound,
          .proven = found.proven_optimal(),
          .total = problem.order_count()};
}

/// The time that `predict` gives for the best order; nothing where no message has a latency, because it then equals the
/// time of the search.
std::optional<Seconds> time_with_latency(CongestionModel& model, const ExchangeProblem& input, const Exchange& best) {
  const auto has_latency = [&](const Communication& message) {
    const Place from = input.mapping[message.source];
    const Place to = input.mapping[message.destination];
    return from != to && model.latency(model.flow(from, to)).value() > 0;
  };
  if (std::ranges::none_of(best.communications(), has_latency)) return std::nullopt;
  RateMemo memo(model);
  return simulate(memo, best, input.mapping).makespan - best.communications().front().start;
}

std::vector<std::vector<std::size_t>> destinations(const Exchange& exchange, std::size_t ranks) {
  std::vector<std::vector<std::size_t>> found(ranks);
  for (const Communication& message : exchange.communications())
    found[message.source.index()].push_back(message.destination.index());
  return found;
}

/// "steps": of each step the rings, and the messages in no ring.
void write_steps(JsonWriter& writer, const std::vector<std::vector<std::size_t>>& orders) {
  const auto write_ranks = [&](const std::vector<std::size_t>& ranks) {
    writer.array(JsonWriter::Layout::row);
    for (const std::size_t rank : ranks) writer.value(rank);
    writer.end();
  };
  writer.key("steps").array();
  for (const OrderStep& step : steps_of(orders)) {
    writer.object().key("rings").array();
    for (const std::vector<std::size_t>& ring : step.rings) write_ranks(ring);
    writer.end().key("others").array();
    for (const auto& [source, destination] : step.others) write_ranks({source, destination});
    writer.end().end();
  }
  writer.end();
}

std::string json(const Answer& answer, const std::vector<std::vector<std::size_t>>& orders) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.schedule/1").key("best").object();
  writer.key("makespan_s").value(answer.makespan.value()).key("makespan_with_latency_s");
  writer.value(answer.with_latency.value_or(answer.makespan).value()).key("orders").array();
  for (const std::vector<std::size_t>& order : orders) {
    writer.array(JsonWriter::Layout::row);
    for (const std::size_t destination : order) writer.value(destination);
    writer.end();
  }
  writer.end().end();
  const auto write_time = [&](std::string_view key, const std::optional<Seconds>& time) {
    writer.key(key).value_or_null(time);
  };
  write_time("worst_s", answer.worst);
  write_time("median_s", answer.median);
  writer.key("lower_bound_s").value(answer.lower_bound.value()).key("proven_optimal").value(answer.proven);
  write_steps(writer, orders);
  writer.key("orders").value(answer.total).key("evaluated").value(answer.evaluated).key("histogram").array();
  for (const Distribution::Bin& bin : answer.histogram) {
    writer.object(JsonWriter::Layout::row).key("from_s").value(bin.low).key("to_s").value(bin.high);
    writer.key("orders").value(bin.count).end();
  }
  writer.end().key("seconds").value(answer.seconds.value());
  write_assumptions(writer, answer.assumptions);
  writer.end();
  return std::move(writer).finish();
}

/// " (1.25x)": the ratio to the best time; empty if the best order takes no time.
std::string times_best(Seconds time, Seconds best) {
  return best.value() > 0 ? fmt::format(" ({:.2f}x)", time / best) : "";
}

std::string quality(const Answer& answer) {
  if (answer.proven) return "proven";
  if (!(answer.lower_bound.value() > 0)) return "not proven";
  return gap_text(answer.makespan.value(), answer.lower_bound.value(), "order");
}

void show_histogram(const Answer& answer, Terminal& terminal) {
  double most = 0;
  for (const Distribution::Bin& bin : answer.histogram) most = std::max(most, bin.count);
  if (most == 0 || answer.makespan.value() == 0) return;  // no order was tried, or no order takes time
  terminal.print("\norders by time\n");
  for (const Distribution::Bin& bin : answer.histogram) {
    terminal.print("{:>9}  {:<50} {:.0f}\n", to_string(Seconds(bin.low)),
                   std::string(static_cast<std::size_t>(50 * bin.count / most), '#'), bin.count);
  }
}

/// Steps of more ranks fill the screen and show no picture.
constexpr std::size_t kMostInSteps = 64;

void show_steps(const std::vector<std::vector<std::size_t>>& orders, Terminal& terminal) {
  const std::vector<OrderStep> steps = steps_of(orders);
  if (steps.empty() || orders.size() > kMostInSteps) return;
  terminal.print("\n  step  rings, and messages in no ring\n");
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::vector<std::string> parts;
    for (const std::vector<std::size_t>& ring : steps[k].rings)
      parts.push_back(fmt::format("({})", fmt::join(ring, " ")));
    for (const auto& [source, destination] : steps[k].others)
      parts.push_back(fmt::format("{}->{}", source, destination));
    terminal.print("{:>6}  {}\n", k + 1, fmt::join(parts, " "));
  }
}

void show(const Answer& answer, Seconds given, const std::vector<std::vector<std::size_t>>& orders,
          Terminal& terminal) {
  terminal.print("best {} ({}), as given {}{}, {} order{}, found in {}\n", terminal.bold(to_string(answer.makespan)),
                 quality(answer), to_string(given), times_best(given, answer.makespan), digits(answer.total),
                 answer.total == 1 ? "" : "s", to_string(answer.seconds));
  if (answer.with_latency) terminal.print("with the latency of the routes {}\n", to_string(*answer.with_latency));
  if (answer.worst) {
    terminal.print("worst {}{}, median {}{}\n", to_string(*answer.worst), times_best(*answer.worst, answer.makespan),
                   to_string(*answer.median), times_best(*answer.median, answer.makespan));
  }
  show_assumptions(answer.assumptions, terminal);
  if (std::ranges::any_of(orders, [](const auto& order) { return !order.empty(); }))
    terminal.print("\nsource  sends to, in this order\n");
  for (std::size_t source = 0; source < orders.size(); ++source) {
    if (!orders[source].empty()) terminal.print("{:>6}  {}\n", source, fmt::join(orders[source], " "));
  }
  show_steps(orders, terminal);
  show_histogram(answer, terminal);
}

/// Seconds. --enumerate is asked for all orders, so only the user's own limit ends it.
double limit_of(const Arguments& arguments) {
  constexpr double kUsual = 10;
  if (arguments.has("--time-limit")) return arguments.time("--time-limit").value();
  return arguments.has("--enumerate") ? std::numeric_limits<double>::infinity() : kUsual;
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const double time_limit = limit_of(arguments);
  const bool only_saved = saves_to_output(arguments);
  const ExchangeProblem input = read_exchange_problem(arguments, terminal);
  const Clock::time_point begin = Clock::now();
  CongestionModel model(input.topology, input.model, input.parameters);
  OrderProblem problem(model, input.exchange, input.mapping);
  const InterruptGuard guard;
  Answer answer = arguments.has("--enumerate")
                      ? enumerate(problem, time_limit, terminal)
                      : search(problem, static_cast<std::uint64_t>(arguments.whole("--seed")), time_limit);
  answer.seconds = Seconds(elapsed(begin));
  const Exchange best = in_order(input.exchange, problem, answer.best);
  answer.assumptions = assumptions_of(input);
  answer.with_latency = time_with_latency(model, input, best);
  if (arguments.has("--save")) save(arguments, to_json(best), terminal);
  InterruptGuard::search_is_over();
  const auto orders = destinations(best, input.exchange.ranks());
  if (arguments.has("--json")) {
    terminal.print("{}", json(answer, orders));
  } else if (!only_saved) {
    show(answer, Seconds(play_order(problem, problem.given())), orders, terminal);
  }
  return status_of_search(terminal);
}

}  // namespace

Verb schedule_verb() {
  Verb verb{.name = "schedule",
            .summary = "the order of each source's messages that finishes first",
            .description =
                "All messages are ready at the start; each source sends its own one after the other. The best "
                "order is proven by branch and bound where the exchange is small enough, else searched for and "
                "given with a bound. --enumerate tries every order. An interrupt ends the search with the best "
                "so far and exit status 130. Latencies are left out of the search and of its times; the time with them "
                "is printed as well.",
            .examples = {"topowise schedule pattern:halo3d:2x2x2:bytes=300MB preset:cs-storm-t2",
                         "topowise schedule pattern:halo2d:2x4 preset:cs-storm-t2 --enumerate --save best.json"}};
  verb.operands = exchange_operands();
  verb.options = exchange_options();
  verb.options.insert(
      verb.options.end(),
      {{"--enumerate", "", "algorithm", "try every order: best, worst, median, histogram"},
       {"--time-limit", "TIME", "algorithm", "answer by then: seconds, or '500ms' [10s; with --enumerate none]"},
       written_file("--save", "write the exchange in the best order, for 'predict'"),
       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
