// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/probe_view.hpp>

#include <ctime>

#include <topowise/base/plural.hpp>
#include <topowise/cli/input/typed_command.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/probe/figure.hpp>
#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

using Align = Table::Align;
using Layout = JsonWriter::Layout;

void write_level_matrix(JsonWriter& writer, const Topology& machine, std::string_view key,
                        const std::vector<double>& by_level) {
  const std::vector<double> values = probe::by_pair(machine, by_level);
  const std::size_t n = machine.place_count();
  writer.key(key).array();
  for (std::size_t a = 0; a < n; ++a) {
    writer.array(Layout::row);
    for (std::size_t b = 0; b < n; ++b) writer.value(values[a * n + b]);
    writer.end();
  }
  writer.end();
}

void write_sizes(JsonWriter& writer, std::string_view key, const std::vector<std::size_t>& sizes) {
  writer.key(key).array(Layout::row);
  for (const std::size_t size : sizes) writer.value(size);
  writer.end();
}

void write_size(JsonWriter& writer, std::size_t bytes, const probe::SizeSamples& samples) {
  const probe::Figure forth = probe::summarise(samples.forth);
  const probe::Figure back = probe::summarise(samples.back);
  const probe::Figure both = probe::summarise(samples.both);
  writer.object(Layout::row).key("bytes").value(bytes);
  writer.key("forth_s").value(forth.median).key("back_s").value(back.median).key("both_ways_s").value(both.median);
  writer.key("bidirectional_bytes_per_s").value(2.0 * static_cast<double>(bytes) / both.median);
  writer.key("spread_s").array().value(forth.spread).value(back.spread).value(both.spread).end();
  writer.key("count").value(forth.count).key("outliers").value(forth.outliers + back.outliers + both.outliers);
  writer.end();
}

void write_metrics(JsonWriter& writer, const ProbeResult& result, const probe::Affinities& worth) {
  writer.key("metrics").object();
  write_sizes(writer, "latency_sizes", worth.latency_sizes);
  write_sizes(writer, "bandwidth_sizes", worth.bandwidth_sizes);
  write_level_matrix(writer, result.machine, "latency", worth.latency);
  write_level_matrix(writer, result.machine, "bandwidth", worth.bandwidth);
  write_level_matrix(writer, result.machine, "distance", worth.distance);
  writer.end();
}

void write_pairs(JsonWriter& writer, const ProbeResult& result) {
  writer.key("pairs").array();
  for (const probe::PairSamples& pair : result.samples.pairs) {
    writer.object().key("first").value(pair.first.index()).key("second").value(pair.second.index());
    writer.key("class").value(to_string(result.machine.path_class(pair.first, pair.second)));
    writer.key("sizes").array();
    for (std::size_t s = 0; s < pair.by_size.size(); ++s) write_size(writer, result.samples.sizes[s], pair.by_size[s]);
    writer.end().end();
  }
  writer.end();
}

void write_congestion(JsonWriter& writer, const CongestionParameters& congestion) {
  writer.key("congestion")
      .object(Layout::row)
      .key("link_bandwidth_bytes_per_s")
      .value_or_null(congestion.link_bandwidth);
  writer.key("tau").value_or_null(congestion.tau);
  writer.end();
}

/// An affinity in words; empty if it is not known.
std::string affinity(double value) {
  return value > 0 ? fmt::format("{:.3g}", value) : "";
}

void show_by_level(const ProbeResult& result, const std::vector<probe::LevelFigures>& levels,
                   const probe::Affinities& worth, Terminal& terminal) {
  Table table({{"level", Align::right},
               {"class"},
               {"pairs", Align::right},
               {"latency", Align::right},
               {"one way", Align::right},
               {"both ways", Align::right},
               {"latency metric", Align::right},
               {"bandwidth metric", Align::right},
               {"distance metric", Align::right}});
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const probe::LevelFigures& figures = levels[level];
    std::vector<std::string> row{std::to_string(level), to_string(result.machine.levels()[level]),
                                 std::to_string(figures.pairs)};
    if (figures.pairs > 0) {
      const auto largest = Bytes(static_cast<double>(result.samples.sizes.back()));
      row.push_back(to_string(Seconds(figures.seconds.front())));
      row.push_back(to_string(largest / Seconds(figures.seconds.back())));
      row.push_back(to_string(BytesPerSecond(figures.bytes_per_second.back())));
    } else {
      row.insert(row.end(), 3, "");
    }
    row.insert(row.end(),
               {affinity(worth.latency[level]), affinity(worth.bandwidth[level]), affinity(worth.distance[level])});
    table.add(std::move(row));
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

}  // namespace

probe::Origin probe_origin(const std::string& what) {
  return {fmt::format("measured:probe ({})", what), date_text(std::time(nullptr))};
}

void show_probe(const ProbeResult& result, Terminal& terminal) {
  const std::vector<probe::LevelFigures> levels = probe::level_figures(result.machine, result.samples);
  const probe::Affinities worth = probe::affinities(levels, result.samples.sizes);
  terminal.print("{}: {}, {}, {} .. {}\n\n", terminal.bold(result.machine.name()),
                 counted(result.samples.pairs.size(), "pair"), result.origin.source,
                 to_string(Bytes(static_cast<double>(result.samples.sizes.front()))),
                 to_string(Bytes(static_cast<double>(result.samples.sizes.back()))));
  show_by_level(result, levels, worth, terminal);
  if (worth.latency_sizes.empty() && worth.bandwidth_sizes.empty())
    terminal.print(
        "\nno size above 2 KiB shows a difference between the levels: by these pairs no mapping is better\n");
  if (!result.calibration.empty()) terminal.print("\n");
  for (const std::string& line : result.calibration) terminal.print("{}\n", line);
  if (const std::optional<double>& tau = result.machine.congestion().tau; tau && !result.calibration.empty())
    terminal.print("tau is {:.3f}\n", *tau);
  for (const std::string& note : result.notes) terminal.warn(note);
}

std::string probe_json(const ProbeResult& result) {
  const std::vector<probe::LevelFigures> levels = probe::level_figures(result.machine, result.samples);
  const probe::Affinities worth = probe::affinities(levels, result.samples.sizes);
  JsonWriter writer;
  writer.object().key("schema").value("topowise.probe/1").key("machine").value(result.machine.name());
  writer.key("source").value(result.origin.source).key("date").value(result.origin.date);
  write_sizes(writer, "sizes", result.samples.sizes);
  writer.key("levels").array();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    writer.object(Layout::row).key("class").value(to_string(result.machine.levels()[level]));
    writer.key("pairs").value(levels[level].pairs).key("latency_metric").value(worth.latency[level]);
    writer.key("bandwidth_metric").value(worth.bandwidth[level]);
    writer.key("distance_metric").value(worth.distance[level]).end();
  }
  writer.end();
  write_metrics(writer, result, worth);
  write_pairs(writer, result);
  write_congestion(writer, result.machine.congestion());
  writer.key("notes").array();
  for (const std::vector<std::string>* notes : {&result.notes, &result.calibration}) {
    for (const std::string& note : *notes) writer.value(note);
  }
  writer.end().end();
  return std::move(writer).finish();
}

void deliver_probe(const Arguments& arguments, const ProbeResult& result, Terminal& terminal) {
  if (arguments.has("--save")) save(arguments, to_json(result.machine), terminal);
  if (arguments.text("--save") == "-") return;
  if (arguments.has("--json"))
    terminal.print("{}", probe_json(result));
  else
    show_probe(result, terminal);
}

}  // namespace topowise::cli
