// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/allreduce_forms.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>

#include <topowise/collective/amortisation.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/tuning.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/report/curve_chart.hpp>

namespace topowise::cli {
namespace {

constexpr double kMicro = 1e6;

std::string_view name_of(const collective::AlgorithmTimes& times) {
  return collective::algorithms()[times.algorithm].name;
}

using Calls = std::optional<std::uint64_t>;

/// How many calls pay for the initialisation of an algorithm at one size; nothing if no number of calls does, or if no
/// baseline was measured.
Calls amortised(const collective::Measurement& measured, const collective::AlgorithmTimes& times, std::size_t size) {
  const auto baseline = std::ranges::find(measured.algorithms, kBaseline, name_of);
  if (baseline == measured.algorithms.end()) return std::nullopt;
  return calls_to_amortise(times, *baseline, size);
}

std::string words(const Calls& calls) {
  return calls ? std::to_string(*calls) : std::string("never");
}

using Share = std::optional<double>;

Share share_of(const AllreduceTimes& all, const collective::SizeTimes& times) {
  return collective::share_of_memory_bound(all.measured, all.options.ranks, times);
}

/// A cell of the table; empty where the memory was not measured.
std::string share_cell(const Share& share) {
  return share ? fmt::format(" {:>11.1f}%", *share * 100) : std::string();
}

std::string json(const AllreduceTimes& all) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.bench-allreduce/1").key("device").value(all.measured.device);
  writer.key("gpus").value(all.measured.gpus).key("ranks").value(all.options.ranks);
  writer.key("repetitions").value(all.options.repetitions).key("memory_bytes_per_s");
  if (all.measured.memory.value() > 0)
    writer.value(all.measured.memory.value());
  else
    writer.null();
  writer.key("algorithms").array();
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    writer.object().key("name").value(name_of(times)).key("available").value(times.used);
    if (!times.used) writer.key("why").text_or_null(times.why_not);
    writer.key("initialisation_s").value(times.initialisation.value()).key("sizes").array();
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      writer.object(JsonWriter::Layout::row).key("bytes").value(one.bytes).key("mean_s").value(one.mean.value());
      writer.key("min_s").value(one.least.value()).key("max_s").value(one.most.value());
      writer.key("right").value(one.right);
      writer.key("amortised_calls").value_or_null(amortised(all.measured, times, size));
      writer.key("bound_share").value_or_null(share_of(all, one)).end();
    }
    writer.end().end();
  }
  writer.end().key("fastest").array();
  for (const collective::Tuning::Size& size : fastest(all.options, all.measured).sizes) {
    writer.object(JsonWriter::Layout::row).key("bytes").value(size.bytes);
    writer.key("algorithm").value(collective::algorithms()[size.algorithm].name).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

std::string csv(const AllreduceTimes& all) {
  std::string text = "algorithm,bytes,mean_s,min_s,max_s,right";
  text += all.amortise ? ",initialisation_s,amortised_calls\n" : "\n";
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      text += fmt::format("{},{},{},{},{},{}", name_of(times), one.bytes, one.mean.value(), one.least.value(),
                          one.most.value(), one.right ? "true" : "false");
      if (all.amortise)
        text += fmt::format(",{},{}", times.initialisation.value(), words(amortised(all.measured, times, size)));
      text += '\n';
    }
  }
  return text;
}

/// Figure 3 of the paper as a table: one column for each algorithm.
std::string amortisation_table(const AllreduceTimes& all) {
  std::vector<const collective::AlgorithmTimes*> columns;
  for (const collective::AlgorithmTimes& times : all.measured.algorithms)
    if (times.used && name_of(times) != kBaseline) columns.push_back(&times);
  std::string text = fmt::format(
      "\ncalls after which the initialisation has paid, beside {} that begins for free\n{:>12}", kBaseline, "bytes");
  for (const collective::AlgorithmTimes* times : columns) text += fmt::format(" {:>14}", name_of(*times));
  for (std::size_t size = 0; size < all.options.sizes.size(); ++size) {
    text += fmt::format("\n{:>12}", all.options.sizes[size]);
    for (const collective::AlgorithmTimes* times : columns)
      text += fmt::format(" {:>14}", words(amortised(all.measured, *times, size)));
  }
  return text + "\n";
}

std::string fastest_table(const AllreduceTimes& all) {
  std::string text = fmt::format("\n{:>12} fastest\n", "bytes");
  for (const collective::Tuning::Size& size : fastest(all.options, all.measured).sizes)
    text += fmt::format("{:>12} {}\n", size.bytes, collective::algorithms()[size.algorithm].name);
  return text;
}

std::string title(const AllreduceTimes& all) {
  return fmt::format("{} ranks on {} x {}, {} calls a size", all.options.ranks, all.measured.gpus, all.measured.device,
                     all.options.repetitions);
}

/// A line for algorithms that are not available for one reason: at the first of them, so that each reason has one.
std::string lack_text(const AllreduceTimes& all, const collective::AlgorithmTimes& first, const Terminal& terminal) {
  std::vector<std::string> names;
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    if (times.used || times.why_not != first.why_not) continue;
    if (names.empty() && &times != &first) return {};
    names.emplace_back(terminal.bold(name_of(times)));
  }
  return fmt::format("\n{}: not available here{}{}\n", fmt::join(names, ", "), first.why_not.empty() ? "" : ": ",
                     first.why_not);
}

std::string table(const AllreduceTimes& all, const Terminal& terminal) {
  std::string text = title(all) + ", microseconds\n";
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    if (!times.used) {
      text += lack_text(all, times, terminal);
      continue;
    }
    text += fmt::format("\n{}, first call {:.0f}\n{:>12} {:>12} {:>12} {:>12}{}\n", terminal.bold(name_of(times)),
                        times.initialisation.value() * kMicro, "bytes", "mean", "min", "max",
                        all.measured.memory.value() > 0 ? "     of bound" : "");
    for (const collective::SizeTimes& one : times.timings)
      text += fmt::format("{:>12} {:>12.2f} {:>12.2f} {:>12.2f}{}{}\n", one.bytes, one.mean.value() * kMicro,
                          one.least.value() * kMicro, one.most.value() * kMicro, share_cell(share_of(all, one)),
                          one.right ? "" : "   WRONG RESULT");
  }
  return text;
}

/// The paper's figure 2, and with --amortise its figure 3.
std::vector<CurveChart> charts(const AllreduceTimes& all) {
  CurveChart mean{.title = "time of a call", .x_name = "vector", .y_name = "microseconds", .y_is_logarithmic = true};
  CurveChart calls{.title = "calls that pay for the initialisation",
                   .x_name = "vector",
                   .y_name = "calls",
                   .y_is_logarithmic = true};
  for (const collective::AlgorithmTimes& times : all.measured.algorithms) {
    Curve curve{.name = std::string(name_of(times))};
    Curve paid{.name = curve.name};
    for (std::size_t size = 0; size < times.timings.size(); ++size) {
      const collective::SizeTimes& one = times.timings[size];
      const auto x = static_cast<double>(one.bytes);
      if (one.mean.value() > 0)
        curve.points.push_back({x, one.mean.value() * kMicro, one.least.value() * kMicro, one.most.value() * kMicro});
      const Calls after = amortised(all.measured, times, size);
      const auto y = static_cast<double>(after.value_or(0));
      if (y > 0) paid.points.push_back({x, y, y, y});
    }
    if (!curve.points.empty()) mean.curves.push_back(std::move(curve));
    if (!paid.points.empty()) calls.curves.push_back(std::move(paid));
  }
  std::vector<CurveChart> drawn;
  if (!mean.curves.empty()) drawn.push_back(std::move(mean));
  if (all.amortise && !calls.curves.empty()) drawn.push_back(std::move(calls));
  return drawn;
}

}  // namespace

ResultForms allreduce_forms(const AllreduceTimes& times, const Terminal& terminal) {
  ResultForms forms{.name = "allreduce",
                    .title = title(times),
                    .text = table(times, terminal),
                    .json = json(times),
                    .csv = csv(times),
                    .charts = charts(times)};
  if (times.amortise) forms.text += amortisation_table(times);
  if (times.tune) forms.text += fastest_table(times);
  if (times.measured.device.starts_with("SIMULATED"))
    forms.notes.emplace_back("the GPUs are simulated: these times say nothing about a GPU");
  return forms;
}

}  // namespace topowise::cli
