// SPDX-License-Identifier: BSD-3-Clause
// The validation of the congestion model of Martinasso et al. (SC'16, section VII) on the machine at hand: B and tau
// are measured first, then sets of transfers that begin together are predicted with them, run and compared.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/file.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/benchmark/congestion/model_comparison.hpp>
#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/pair_progress.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/cli/view/probe_view.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/congestion_model_name.hpp>
#include <topowise/graph/congestion_parameters.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/measure.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/report/curve_chart.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

// What `topowise bench congestion` found, for people and for programs.

struct CongestionComparison {
  Topology machine;    ///< the machine of the prediction
  std::string source;  ///< "measured:probe (GPU memory by cuda)"
  std::string date;
  std::size_t gpus = 0;
  CongestionModelName asked_model = CongestionModelName::automatic;
  std::string model;                ///< the models that links of the machine follow, joined by "+"
  CongestionParameters parameters;  ///< parameters that were measured or given
  BytesPerSecond unit;              ///< the rate that a factor of 1 means
  int repetitions = 0;
  std::uint64_t seed = 1;
  std::vector<benchmark::ComparedSet> alone;  ///< one transfer between the two nearest places, by size
  std::vector<benchmark::ComparedSet> sets;
  std::vector<std::string> calibration;  ///< how the parameters were found
  std::vector<std::string> notes;        ///< what a reader should know
};

using Align = Table::Align;
using Layout = JsonWriter::Layout;
using benchmark::ComparedSet;
using benchmark::ComparedTransfer;
using benchmark::Errors;

/// The time of one transfer of this size alone.
Seconds alone(const CongestionComparison& result, Bytes bytes) {
  const auto found = std::ranges::find(result.alone, bytes, &ComparedSet::bytes);
  return found->transfers.front().measured;
}

std::vector<Bytes> sizes_of(const CongestionComparison& result) {
  std::vector<Bytes> sizes;
  for (const ComparedSet& set : result.alone) sizes.push_back(set.bytes);
  return sizes;
}

std::vector<ComparedSet> of_size(const CongestionComparison& result, Bytes bytes) {
  std::vector<ComparedSet> sets;
  for (const ComparedSet& set : result.sets) {
    if (set.bytes == bytes) sets.push_back(set);
  }
  return sets;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}
std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

std::vector<std::string> cells(std::string first, std::size_t sets, std::string measured, const Errors& errors) {
  return {std::move(first),
          std::to_string(sets),
          std::to_string(errors.count),
          std::move(measured),
          percent(errors.within),
          percent(errors.mean_absolute),
          signed_percent(errors.mean),
          signed_percent(errors.least),
          signed_percent(errors.most)};
}

std::string groups_text(const std::vector<ComparedSet>& sets, Seconds reference, const Terminal& terminal) {
  Table table({{"transfers a set", Align::right},
               {"sets", Align::right},
               {"transfers", Align::right},
               {"measured, alone = 1", Align::right},
               {"error within 15 %", Align::right},
               {"mean |error|", Align::right},
               {"mean", Align::right},
               {"least", Align::right},
               {"most", Align::right}});
  const auto range = [&](const std::vector<Seconds>& measured) {
    return reference.value() > 0
               ? fmt::format("{:.2f} .. {:.2f}", measured.front() / reference, measured.back() / reference)
               : std::string();
  };
  for (const benchmark::SizeGroup& group : benchmark::groups_of(sets))
    table.add(cells(std::to_string(group.transfers), group.sets, range(group.measured), group.errors));
  table.add(cells("all", sets.size(), "", benchmark::errors_of(benchmark::all_errors(sets))));
  return table.text(terminal.begin_bold(), terminal.end_bold());
}

std::string histogram_text(const std::vector<double>& errors) {
  constexpr std::size_t kWidth = 50;
  const std::vector<benchmark::ErrorBin> bins = benchmark::histogram_of(errors);
  std::size_t most = 1;
  for (const benchmark::ErrorBin& bin : bins) most = std::max(most, bin.count);
  std::string text = "\ntransfers by error (above 0 the model says too much)\n";
  bool skipped = false;  // an outlier may be far away: one line stands for all empty bins between
  for (const benchmark::ErrorBin& bin : bins) {
    if (bin.count == 0) {
      if (!std::exchange(skipped, true)) text += "      ...\n";
      continue;
    }
    skipped = false;
    text += fmt::format("{:>+5.0f} % .. {:>+4.0f} %  {:<{}} {}\n", 100 * bin.low, 100 * bin.high,
                        std::string((kWidth * bin.count + most - 1) / most, '#'), kWidth, bin.count);
  }
  return text;
}

/// A table with every transfer, for results of few transfers.
std::string transfers_text(const std::vector<ComparedSet>& sets, const Terminal& terminal) {
  Table table({{"set"},
               {"bytes", Align::right},
               {"transfer"},
               {"predicted", Align::right},
               {"measured", Align::right},
               {"spread", Align::right},
               {"error", Align::right}});
  for (const ComparedSet& set : sets) {
    for (const ComparedTransfer& transfer : set.transfers) {
      table.add({set.name, to_string(set.bytes), fmt::format("{}->{}", transfer.from.index(), transfer.to.index()),
                 to_string(transfer.predicted), to_string(transfer.measured), to_string(transfer.spread),
                 signed_percent(transfer.error())});
    }
  }
  return "\n" + table.text(terminal.begin_bold(), terminal.end_bold());
}

/// The throughput of each transfer of the first set, by size, as in the paper's Figure 3.
CurveChart rates_chart(const CongestionComparison& result) {
  CurveChart chart{"throughput", "bytes of a transfer", true, "GB/s", false, {}};
  const ComparedSet& first = result.sets.front();
  for (std::size_t t = 0; t < first.transfers.size(); ++t) {
    const std::string name = fmt::format("{}->{}", first.transfers[t].from.index(), first.transfers[t].to.index());
    Curve measured{name + " measured", {}};
    Curve predicted{name + " predicted", {}, CurveForm::line};
    for (const ComparedSet& set : result.sets) {
      if (set.name != first.name) continue;
      const auto point = [&](Seconds time) {
        const double rate = time.value() > 0 ? (set.bytes / time).value() / 1e9 : 0;
        return CurvePoint{set.bytes.value(), rate, rate, rate};
      };
      measured.points.push_back(point(set.transfers[t].measured));
      predicted.points.push_back(point(set.transfers[t].predicted));
    }
    chart.curves.push_back(std::move(measured));
    chart.curves.push_back(std::move(predicted));
  }
  return chart;
}

void write_errors(JsonWriter& writer, const Errors& errors) {
  writer.key("count").value(errors.count).key("within_15_percent").value(errors.within);
  writer.key("mean_absolute").value(errors.mean_absolute).key("mean").value(errors.mean);
  writer.key("least").value(errors.least).key("most").value(errors.most);
}

void write_size(JsonWriter& writer, const CongestionComparison& result, Bytes bytes) {
  const std::vector<ComparedSet> sets = of_size(result, bytes);
  const std::vector<double> errors = benchmark::all_errors(sets);
  writer.object().key("bytes").value(static_cast<std::uint64_t>(bytes.value()));
  writer.key("alone_s").value(alone(result, bytes).value()).key("errors").object(Layout::row);
  write_errors(writer, benchmark::errors_of(errors));
  writer.end().key("groups").array();
  for (const benchmark::SizeGroup& group : benchmark::groups_of(sets)) {
    writer.object(Layout::row).key("transfers").value(group.transfers).key("sets").value(group.sets);
    writer.key("measured_least_s").value(group.measured.front().value());
    writer.key("measured_most_s").value(group.measured.back().value());
    write_errors(writer, group.errors);
    writer.end();
  }
  writer.end().key("histogram").array();
  for (const benchmark::ErrorBin& bin : benchmark::histogram_of(errors)) {
    writer.object(Layout::row).key("from").value(bin.low).key("to").value(bin.high);
    writer.key("transfers").value(bin.count).end();
  }
  writer.end().key("sets").array();
  for (const ComparedSet& set : sets) {
    writer.object().key("name").value(set.name).key("transfers").array();
    for (const ComparedTransfer& transfer : set.transfers) {
      writer.object(Layout::row).key("source").value(transfer.from.index());
      writer.key("destination").value(transfer.to.index()).key("predicted_s").value(transfer.predicted.value());
      writer.key("measured_s").value(transfer.measured.value()).key("spread_s").value(transfer.spread.value());
      writer.key("error").value(transfer.error()).end();
    }
    writer.end().end();
  }
  writer.end().end();
}

std::string comparison_text(const CongestionComparison& result, const Terminal& terminal) {
  constexpr std::size_t kReadable = 24;
  std::string text = fmt::format("{}: {}, {}, model {}, medians of {}\n", terminal.bold(result.machine.name()),
                                 counted(result.gpus, "GPU"), result.source, result.model,
                                 counted(static_cast<std::uint64_t>(result.repetitions), "repetition"));
  const auto stated = [](const auto& value, auto shown) { return value ? shown(*value) : std::string("not known"); };
  text += fmt::format("B {}, tau {}\n",
                      stated(result.parameters.link_bandwidth, [](BytesPerSecond rate) { return to_string(rate); }),
                      stated(result.parameters.tau, [](double tau) { return fmt::format("{:.3f}", tau); }));
  for (const std::string& line : result.calibration) text += line + "\n";
  for (const Bytes bytes : sizes_of(result)) {
    const std::vector<ComparedSet> sets = of_size(result, bytes);
    const Seconds reference = alone(result, bytes);
    text += fmt::format("\n{} a transfer, alone {}\n", to_string(bytes), to_string(reference));
    if (sets.empty()) continue;
    text += groups_text(sets, reference, terminal);
    const std::vector<double> errors = benchmark::all_errors(sets);
    text += errors.size() <= kReadable ? transfers_text(sets, terminal) : histogram_text(errors);
  }
  return text;
}

std::string comparison_json(const CongestionComparison& result, const std::string& command) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.bench-congestion/1").key("command").value(command);
  writer.key("machine").value(result.machine.name()).key("source").value(result.source).key("date").value(result.date);
  writer.key("gpus").value(result.gpus).key("model").value(result.model);
  writer.key("asked_model").value(to_string(result.asked_model));
  writer.key("unit_bytes_per_s").value(result.unit.value()).key("congestion").object(Layout::row);
  writer.key("link_bandwidth_bytes_per_s").value_or_null(result.parameters.link_bandwidth);
  writer.key("tau").value_or_null(result.parameters.tau);
  writer.end().key("repetitions").value(result.repetitions).key("seed").value(result.seed).key("sizes").array();
  for (const Bytes bytes : sizes_of(result)) write_size(writer, result, bytes);
  writer.end().key("notes").array();
  for (const std::vector<std::string>* notes : {&result.calibration, &result.notes}) {
    for (const std::string& note : *notes) writer.value(note);
  }
  writer.end().end();
  return std::move(writer).finish();
}

/// Charts of the measured times by transfers of a set, and of the errors. For several sizes, a chart of the throughput
/// of each transfer of the first set.
std::vector<CurveChart> comparison_charts(const CongestionComparison& result) {
  std::vector<CurveChart> charts;
  if (result.sets.empty()) return charts;
  if (result.alone.size() > 1) return {rates_chart(result)};
  const Seconds reference = result.alone.front().transfers.front().measured;
  CurveChart times{"measured times", "transfers of the set", false, "time, alone = 1", false, {}, true};
  times.curves.push_back({"a transfer", {}, CurveForm::points});
  constexpr std::size_t kMostTransfers = 12;  // an all-to-all set would leave the others no room
  const std::vector<benchmark::SizeGroup> groups = benchmark::groups_of(result.sets);
  for (const benchmark::SizeGroup& group : groups) {
    if (group.transfers > kMostTransfers && groups.front().transfers <= kMostTransfers) continue;
    std::set<double> shown;  // rounded to two digits: points on one spot are drawn once
    for (const Seconds time : group.measured) shown.insert(std::round(100 * (time / reference)) / 100);
    for (const double time : shown)
      times.curves.back().points.push_back({static_cast<double>(group.transfers), time, time, time});
  }
  CurveChart errors{"errors of the prediction", "error, %", false, "transfers", false, {}, true};
  errors.curves.push_back({"above 0 the model says too much", {}, CurveForm::bars});
  for (const benchmark::ErrorBin& bin : benchmark::histogram_of(benchmark::all_errors(result.sets))) {
    const auto count = static_cast<double>(bin.count);
    errors.curves.back().points.push_back({100 * (bin.low + bin.high) / 2, count, count, count});
  }
  charts.push_back(std::move(times));
  charts.push_back(std::move(errors));
  return charts;
}

/// Comma-separated values with one line for each transfer.
std::string comparison_csv(const CongestionComparison& result) {
  std::string text = "set,transfers,bytes,source,destination,predicted_s,measured_s,spread_s,error\n";
  for (const ComparedSet& set : result.sets) {
    for (const ComparedTransfer& transfer : set.transfers) {
      text += fmt::format("{},{},{:.0f},{},{},{},{},{},{}\n", set.name, set.transfers.size(), set.bytes.value(),
                          transfer.from.index(), transfer.to.index(), transfer.predicted.value(),
                          transfer.measured.value(), transfer.spread.value(), transfer.error());
    }
  }
  return text;
}

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
  request.model = arguments.one_of("--model", parse_congestion_model);
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

/// Prints the progress about once a second, if standard error is a terminal.
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
