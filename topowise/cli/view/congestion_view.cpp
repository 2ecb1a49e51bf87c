// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/congestion_view.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <topowise/base/plural.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/table.hpp>

namespace topowise::cli {
namespace {

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

}  // namespace

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

}  // namespace topowise::cli
