// SPDX-License-Identifier: BSD-3-Clause
// The validation of the congestion model of Martinasso et al. (SC'16, section VII) on the machine at hand: B and tau
// are measured first, then sets of transfers that begin together are predicted with them, run and compared.
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <topowise/base/file.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/benchmark/congestion/comparison.hpp>
#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/input/typed_command.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/pair_progress.hpp>
#include <topowise/cli/view/congestion_view.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/cli/view/probe_view.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/probe/measure.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

using benchmark::ComparedSet;
using benchmark::TransferSet;
using benchmark::TransferSets;

constexpr std::size_t kMostGpus = 64;
constexpr std::size_t kMostTransfers = 1024;
constexpr std::int64_t kMostSets = 10'000'000;

struct Request {
  std::vector<std::size_t> sizes;
  int repetitions = 0, warm_up = 0;
  std::size_t gpus = kMostGpus;
  std::size_t sets = 0, most_transfers = 0;
  std::uint64_t seed = 1;
  bool small_sets = false;
  std::optional<Exchange> messages;  ///< the messages that replace all other sets
  CongestionModelName model = CongestionModelName::automatic;
  CongestionParameters given;
};

/// Reads one set from "0->3 1->2" or from a file of `schedule --save`. Its transfers have the sizes of --sizes.
Exchange one_set(const std::string& text) {
  const bool is_file = text.find("->") == std::string::npos && text.find_first_not_of(" ,") != std::string::npos;
  std::string with_sizes;
  for (const std::string_view word : split_blanks(is_file ? std::string_view() : std::string_view(text))) {
    if (word.find(':') != std::string_view::npos)
      throw Arguments::wrong("--messages", fmt::format("'{}' has a size", printable(word)),
                             "--messages '0->3 1->2' --sizes 300MiB");
    with_sizes += fmt::format("{}:1B ", word);
  }
  Exchange exchange = is_file ? exchange_from_json(input_name(text), read_text(text)) : parse_messages(with_sizes);
  std::vector<std::pair<Rank, Rank>> pairs;
  for (const Communication& message : exchange.communications()) {
    const std::pair pair(message.source, message.destination);
    if (std::ranges::find(pairs, pair) != pairs.end())
      throw Arguments::wrong(
          "--messages", fmt::format("'{}->{}' is listed twice", message.source.index(), message.destination.index()));
    if (message.start != exchange.communications().front().start)
      throw Arguments::wrong("--messages", "the messages start at different times", "topowise predict plays such ones");
    pairs.push_back(pair);
  }
  return exchange;
}

Request read_request(const Arguments& arguments) {
  constexpr int kMostRepetitions = 1'000'000;
  const auto count = [&](std::string_view option, int least, int fallback) {
    return arguments.has(option) ? static_cast<int>(arguments.whole(option, least, kMostRepetitions)) : fallback;
  };
  Request request;
  request.sizes = benchmark_sizes(arguments, "300MiB");
  request.repetitions = count("--repetitions", 1, 5);
  request.warm_up = count("--warm-up", 0, 1);
  if (arguments.has("--gpus")) request.gpus = static_cast<std::size_t>(arguments.whole("--gpus", 2, kMostGpus));
  request.sets = static_cast<std::size_t>(arguments.whole("--sets", 0, kMostSets));
  request.most_transfers = static_cast<std::size_t>(arguments.whole("--transfers", 1, kMostTransfers));
  request.seed = static_cast<std::uint64_t>(arguments.whole("--seed"));
  request.small_sets = arguments.has("--small-sets");
  request.model = *parse_congestion_model(arguments.text("--model"));
  request.given = congestion_parameters(arguments);
  if (!arguments.has("--messages")) return request;
  for (const std::string_view option : {"--sets", "--transfers", "--small-sets", "--seed"}) {
    if (arguments.has(option))
      throw usage_error(fmt::format("{}: there is one set, that of --messages", option), "leave one out");
  }
  request.messages = one_set(arguments.text("--messages"));
  return request;
}

/// Measures B and the rates of other links as `probe --calibrate` does, and tau as the paper does where that is
/// possible.
probe::Calibration calibrate(const Request& request, const Topology& machine, const std::vector<Place>& places,
                             probe::GpuMemory& memory, const Terminal& terminal) {
  if (request.given.link_bandwidth && request.given.tau) return {};
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const std::size_t bytes = std::min(request.sizes.back(), kLargest);
  probe::Plan plan{.sizes = {bytes}, .pairs = {}, .repetitions = request.repetitions, .warm_up = request.warm_up};
  if (bytes > 1) plan.sizes.insert(plan.sizes.begin(), bytes / 2);
  for (const auto& [a, b] : probe::tournament(places.size()))
    plan.pairs.push_back(std::minmax(places[a.index()], places[b.index()]));
  const probe::Samples samples = [&] {
    PairProgress progress(progress_form(false), plan, terminal);
    return probe::measure(machine, memory, plan, [&](std::size_t pairs) { progress.measured(pairs); });
  }();
  probe::Calibration found = probe::calibrate(machine, samples, memory, plan.repetitions);
  if (const std::optional<double> tau = probe::tau_of_messages_alone(machine, samples)) {
    found.parameters.tau = tau;
    found.notes.push_back(fmt::format("tau is {:.3f}, by transfers alone", *tau));
  }
  return found;
}

/// All sets except the random ones.
std::vector<TransferSet> fixed_sets(const Request& request, TransferSets& maker, const std::vector<Place>& places) {
  if (request.messages) {
    TransferSet set{"given", {}};
    for (const Communication& message : request.messages->communications()) {
      for (const Rank rank : {message.source, message.destination}) {
        if (std::ranges::find(places, Place(rank.index())) == places.end())
          throw usage_error(fmt::format("--messages: GPU {} is not among the {} that are used", rank.index(),
                                        counted(places.size(), "GPU")));
      }
      set.transfers.emplace_back(message.source.index(), message.destination.index());
    }
    return {set};
  }
  std::vector<TransferSet> sets = maker.collectives();
  const auto append = [&](std::vector<TransferSet> more) { std::ranges::move(more, std::back_inserter(sets)); };
  constexpr std::size_t kFew = 4;
  if (request.small_sets && places.size() >= kFew) {
    append(maker.all_among(std::span(places).first(kFew), request.most_transfers, "near"));
    std::vector<Place> spread;
    for (std::size_t i = 0; i < kFew; ++i) spread.push_back(places[i * places.size() / kFew]);
    append(maker.all_among(spread, request.most_transfers, "spread"));
  }
  return sets;
}

/// Tells the progress about once a second, if standard error is a terminal.
class Progress {
 public:
  Progress(std::size_t total, const Terminal& terminal)
      : total_(total), terminal_(terminal), shown_(isatty(STDERR_FILENO) == 1) {}
  void step() {
    ++done_;
    if (!shown_ || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    terminal_.note(fmt::format("{} of {} measured", done_, counted(total_, "set")));
  }

 private:
  std::size_t total_, done_ = 0;
  const Terminal& terminal_;
  bool shown_;
  std::chrono::steady_clock::time_point next_{};
};

void measure_sets(const Request& request, const std::vector<TransferSet>& fixed, TransferSets& maker,
                  CongestionModel& model, probe::GpuTransfers& transfers, CongestionComparison& result,
                  const Terminal& terminal) {
  const auto compared = [&](const TransferSet& set, std::size_t size) {
    return benchmark::compare_prediction(model, set, Bytes(static_cast<double>(size)),
                                         [&](std::span<const probe::JointTransfer> list) {
                                           return transfers.run(list, request.repetitions, request.warm_up);
                                         });
  };
  const std::size_t random_sets = request.messages ? 0 : request.sets;
  Progress progress(fixed.size() + random_sets, terminal);
  const auto measure = [&](const TransferSet& set) {
    for (const std::size_t size : request.sizes) result.sets.push_back(compared(set, size));
    progress.step();
  };
  for (const std::size_t size : request.sizes) result.alone.push_back(compared(maker.alone(), size));
  for (const TransferSet& set : fixed) {
    if (InterruptGuard::interrupted()) return;
    measure(set);
  }
  for (std::size_t i = 0; i < random_sets && !InterruptGuard::interrupted(); ++i) {
    const std::optional<TransferSet> set = maker.random(request.most_transfers);
    if (!set) {
      result.notes.push_back(fmt::format("only {} could be found that differ", counted(i, "random set")));
      return;
    }
    measure(*set);
  }
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  check_delivery(arguments);
  const Request request = read_request(arguments);
  const Topology machine = read_topology(arguments.has("--topology") ? arguments.text("--topology") : "live:node");
  for (const std::string& warning : machine.warnings()) terminal.warn(warning);
  probe::GpuMemory memory(device::open_driver(), machine, request.gpus);
  const std::vector<Place> places = memory.places();
  TransferSets maker(machine, places, request.seed);
  const std::vector<TransferSet> fixed = fixed_sets(request, maker, places);
  const InterruptGuard guard;
  const probe::Origin origin = probe_origin(memory.description());
  const probe::Calibration calibration = calibrate(request, machine, places, memory, terminal);
  const Topology calibrated = probe::with_calibration(machine, calibration, origin.source);
  CongestionModel model(calibrated, request.model, request.given);
  CongestionComparison result{.machine = calibrated,
                              .source = origin.source,
                              .date = origin.date,
                              .gpus = places.size(),
                              .asked_model = request.model,
                              .model = models_used(model),
                              .parameters = calibrated.congestion(),
                              .unit = model.unit(),
                              .repetitions = request.repetitions,
                              .seed = request.seed,
                              .alone = {},
                              .sets = {},
                              .calibration = calibration.notes,
                              .notes = {}};
  if (request.given.link_bandwidth) result.parameters.link_bandwidth = request.given.link_bandwidth;
  if (request.given.tau) result.parameters.tau = request.given.tau;
  probe::GpuTransfers transfers(memory, request.sizes.back());
  measure_sets(request, fixed, maker, model, transfers, result, terminal);
  for (std::string& note : memory.notes()) result.notes.push_back(std::move(note));
  for (std::string& note : transfers.notes()) result.notes.push_back(std::move(note));
  if (probe::is_simulated(memory.driver())) result.notes.push_back(simulated_note());
  InterruptGuard::search_is_over();
  deliver(arguments,
          {.name = "congestion",
           .title = "Transfers at once, predicted and measured",
           .text = comparison_text(result, terminal),
           .json = comparison_json(result, benchmark_command(arguments, 1)),
           .csv = comparison_csv(result),
           .charts = comparison_charts(result),
           .notes = result.notes},
          1, terminal);
  return status_of_search(terminal);
}

}  // namespace

Benchmark congestion_benchmark() {
  std::vector<Option> options{
      topology_option(),
      gpus_option(),
      sizes_option(),
      {"--sets", "N", "measurement", "random sets of transfers, no two of them alike on this machine", "100"},
      {"--transfers", "N", "measurement", "of a random or small set, at most", "7"},
      {"--small-sets", "", "measurement", "also every set among four neighbours, and among four GPUs far apart"},
      {"--messages", "LIST", "measurement",
       "this set instead, in the sizes of --sizes: '0->3 1->2', or a file of 'schedule --save'"},
      repetitions_option(),
      warm_up_option(),
      {"--seed", "N", "measurement", "the same seed gives the same sets", "1"}};
  options.insert(options.end(), {congestion_model_option(), link_bandwidth_option(), tau_option()});
  for (const Option& option : delivery_options()) options.push_back(option);
  return {.name = "congestion",
          .summary = "transfers between GPUs that begin together, predicted and measured",
          .figures = "SC'16, figures 3 and 6",
          .options = std::move(options),
          .alone = "one process drives all GPUs",
          .run = run};
}

}  // namespace topowise::cli
