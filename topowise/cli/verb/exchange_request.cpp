// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/exchange_request.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise::cli {
namespace {

using benchmark::Chosen;
using benchmark::ComparedMapping;
using benchmark::Kind;
using benchmark::Places;
using benchmark::ResultTable;
using benchmark::Workload;

constexpr std::string_view kUsualSizes = "4B-16MiB";
constexpr int kUsualRepetitions = 20;
constexpr int kUsualWarmUp = 2;

std::vector<int> parse_weights(const std::string& text) {
  constexpr std::int64_t kMost = 1000;
  std::vector<int> weights;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<std::int64_t> weight = parse_integer(word);
    if (!weight || *weight < 1 || *weight > kMost)
      throw Arguments::wrong("--weight", fmt::format("'{}' is no number from 1 to {}", printable(word), kMost),
                             "--weight 1,3");
    if (std::ranges::find(weights, static_cast<int>(*weight)) == weights.end())
      weights.push_back(static_cast<int>(*weight));
  }
  return weights;
}

/// The mapping that --mapping names. A file is read only once.
const Mapping& named_mapping(ExchangeRequest& request, const Workload& workload, const Places& places,
                             const Terminal& terminal) {
  if (!request.read || is_made_mapping(request.mapping)) {
    MapProblem problem{.traffic = Traffic::from_entries(workload.ranks, {}), .topology = places.machine};
    request.read = read_mapping(request.mapping, problem, terminal);
  }
  if (request.read->ranks() != workload.ranks)
    throw bad_input(fmt::format("'{}' maps {} ranks, but {} has {}", request.mapping, request.read->ranks(),
                                workload.name, workload.ranks));
  return *request.read;
}

/// The time that the model predicts; nothing without a model.
std::optional<double> predicted(PredictedTime* model, const Mapping& mapping) {
  if (model == nullptr) return std::nullopt;
  return (*model)(mapping).value();
}

/// The model for this traffic. Nothing if a link of a route has no bandwidth, which a note tells.
std::optional<PredictedTime> model_of(const Traffic& traffic, const Places& places, std::vector<std::string>& notes) {
  try {
    PredictedTime model(traffic, places.machine);
    (void)model(Mapping(places.place_of));
    return model;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;
    notes.push_back(fmt::format("no time is predicted: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace

ExchangeRequest read_exchange_request(const ExchangeBenchmark& benchmark, const Arguments& arguments) {
  check_delivery(arguments);
  ExchangeRequest request{
      benchmark_sizes(arguments, kUsualSizes),
      parse_weights(arguments.has("--weight") ? arguments.text("--weight") : std::string(benchmark.weights)),
      {count_or(arguments, "--repetitions", 1, kUsualRepetitions), count_or(arguments, "--warm-up", 1, kUsualWarmUp),
       static_cast<int>(arguments.whole("--runs", 1, 1000)), InterruptGuard::interrupted},
      arguments.text("--mapping"),
      std::nullopt};
  const int heaviest = std::ranges::max(request.weights);
  if (request.sizes.back() > mpi::kLargestMessage / static_cast<std::size_t>(heaviest))
    throw Arguments::wrong("--sizes", "a message, times its weight, has 2 GiB - 1 at most", "--sizes 4B-16MiB");
  return request;
}

std::vector<Chosen> chosen_for(const ExchangeBenchmark& benchmark, ExchangeRequest& request, const Workload& workload,
                               int weight, const Places& places, std::vector<std::string>& notes,
                               const Terminal& terminal) {
  const std::span<const benchmark::Selection> all = benchmark.selections();
  if (request.mapping == "auto") return choose(workload, weight, places, all, notes, benchmark.counted);
  std::vector<Chosen> chosen = choose(workload, weight, places, all.first(1), notes);
  if (request.mapping == "identity") return chosen;
  chosen.push_back({request.mapping, named_mapping(request, workload, places, terminal), std::nullopt});
  return chosen;
}

std::vector<ComparedMapping> compared_rows(const Workload& workload, int weight, std::size_t bytes,
                                           const Places& places, const std::vector<Chosen>& chosen,
                                           std::vector<std::string>& notes) {
  const Traffic traffic = workload.traffic(weight, bytes);
  std::optional<PredictedTime> model = model_of(traffic, places, notes);
  std::vector<ComparedMapping> rows;
  for (const Chosen& each : chosen) {
    rows.push_back({.workload = workload.name,
                    .ranks = workload.ranks,
                    .weight = weight,
                    .bytes = bytes,
                    .mapping = each.name,
                    .kind = Kind::predicted,
                    .seconds = {},
                    .predicted_seconds = predicted(model ? &*model : nullptr, each.mapping),
                    .hop_bytes = hop_bytes(traffic, places.machine, each.mapping, Metric::distance),
                    .mapping_seconds = each.seconds});
  }
  return rows;
}

std::string progress_words(const Workload& workload, int weight, std::size_t bytes) {
  return fmt::format("{} ranks, {}, w = {}, {}", workload.ranks, workload.name, weight,
                     size_label(static_cast<double>(bytes)));
}

std::size_t step_count(const ExchangeRequest& request, const std::vector<std::vector<Workload>>& workloads) {
  std::size_t exchanges = 0;
  for (const std::vector<Workload>& each : workloads) exchanges += each.size();
  return exchanges * request.weights.size() * request.sizes.size();
}

ResultTable comparison_table(const ExchangeBenchmark& benchmark, const std::vector<ComparedMapping>& rows,
                             std::vector<std::pair<std::string, benchmark::Cell>> facts,
                             const std::vector<std::string>& notes) {
  ResultTable table = compare_mappings(rows, benchmark.drawn);
  table.name = benchmark.name;
  table.title = benchmark.title;
  table.facts = std::move(facts);
  for (const std::string& note : notes) {
    if (std::ranges::find(table.notes, note) == table.notes.end()) table.notes.push_back(note);
  }
  return table;
}

}  // namespace topowise::cli
