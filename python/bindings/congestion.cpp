// SPDX-License-Identifier: BSD-3-Clause
// Messages with an order, their prediction and their schedule.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <topowise/json.hpp>
#include <topowise/schedule.hpp>
#include <topowise/schedule/exchange_pattern.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>
#include <topowise/traffic_source/source.hpp>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "names.hpp"

namespace topowise::python {
namespace {

Rank rank_of(std::int64_t number) {
  if (number < 0) throw bad_input(fmt::format("a message names rank {}, but ranks count from 0", number));
  return Rank(static_cast<std::size_t>(number));
}

Exchange exchange_of(const Column<std::int64_t>& sources, const Column<std::int64_t>& destinations,
                     const Column<double>& bytes, const Column<double>& starts) {
  const std::size_t count = sources.size();
  if (destinations.size() != count || bytes.size() != count || starts.size() != count)
    throw bad_input(fmt::format("{} sources, {} destinations, {} numbers of bytes and {} starts are no messages", count,
                                destinations.size(), bytes.size(), starts.size()));
  std::vector<Communication> messages;
  messages.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    messages.push_back({rank_of(sources(i)), rank_of(destinations(i)), Bytes(bytes(i)), Seconds(starts(i))});
  return Exchange(std::move(messages));
}

nb::tuple messages_of(const Exchange& exchange) {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;
  std::vector<double> bytes;
  std::vector<double> starts;
  for (const Communication& message : exchange.communications()) {
    sources.push_back(static_cast<std::int64_t>(message.source.index()));
    destinations.push_back(static_cast<std::int64_t>(message.destination.index()));
    bytes.push_back(message.bytes.value());
    starts.push_back(message.start.value());
  }
  return nb::make_tuple(to_array(std::move(sources)), to_array(std::move(destinations)), to_array(std::move(bytes)),
                        to_array(std::move(starts)));
}

PredictOptions options_of(const std::string& model, std::optional<double> link_bandwidth, std::optional<double> tau) {
  PredictOptions options{.model = choose(kModels, model, parse_congestion_model)};
  if (link_bandwidth) options.parameters.link_bandwidth = BytesPerSecond(*link_bandwidth);
  options.parameters.tau = tau;
  return options;
}

nb::object seconds_of(const std::vector<Seconds>& times) {
  std::vector<double> numbers;
  for (const Seconds time : times) numbers.push_back(time.value());
  return to_array(std::move(numbers));
}

/// (begin, end, makespan, assumptions)
nb::tuple prediction(const Exchange& exchange, const Topology& machine, const Column<std::int64_t>& places,
                     const std::string& model, std::optional<double> link_bandwidth, std::optional<double> tau) {
  const PredictOptions options = options_of(model, link_bandwidth, tau);
  const Mapping mapping = mapping_of(places);
  Prediction played;
  {
    const nb::gil_scoped_release released;
    played = predict(exchange, machine, mapping, options);
  }
  return nb::make_tuple(seconds_of(played.begin), seconds_of(played.end), played.makespan.value(), played.assumptions);
}

/// (exchange, makespan, lower bound, proven optimal, interrupted, assumptions)
nb::tuple best_order(const Exchange& exchange, const Topology& machine, const Column<std::int64_t>& places,
                     const std::string& model, std::optional<double> link_bandwidth, std::optional<double> tau,
                     std::uint64_t seed, std::uint64_t steps, double time_limit) {
  ScheduleOptions options{.congestion = options_of(model, link_bandwidth, tau),
                          .steps = steps,
                          .seed = seed,
                          .time_limit = Seconds(time_limit)};
  const Mapping mapping = mapping_of(places);
  const auto found = interruptible([&](const std::atomic<bool>& stop) {
    options.stop = &stop;
    return schedule(exchange, machine, mapping, options);
  });
  const Schedule& best = found.result;
  return nb::make_tuple(best.exchange, best.makespan.value(), best.lower_bound.value(), best.proven_optimal,
                        found.interrupted, best.assumptions);
}

}  // namespace

void bind_congestion(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Exchange>(module, "Exchange",
                       "Messages in an order, of which each source sends its own one by one. Immutable; made by "
                       "topowise.exchange().")
      .def_prop_ro("ranks", &Exchange::ranks, "One more than the largest rank named.")
      .def("__len__", [](const Exchange& exchange) { return exchange.communications().size(); })
      .def("messages", &messages_of,
           "(source, destination, bytes, start): four arrays with an element a message; start in seconds.")
      .def(
          "to_json", [](const Exchange& exchange) { return to_json(exchange); },
          "Text in the format topowise.exchange/1.")
      .def(
          "save", [](const Exchange& exchange, nb::handle path) { save_exchange(path_of(path), exchange); },
          "path"_a.none(), "Write to_json() to a file, which is replaced at once or not at all.")
      .def("__repr__", [](const Exchange& exchange) {
        return fmt::format("<topowise.Exchange: {} messages of {} ranks>", exchange.communications().size(),
                           exchange.ranks());
      });
  module.def("exchange_from_messages", &exchange_of);
  module.def("one_message_a_pair", &one_message_a_pair);
  // As `topowise predict` reads a pattern: in the order in which programs send it, where that is known.
  module.def("exchange_pattern", [](const std::string& name) -> std::optional<Exchange> {
    if (std::optional<Exchange> star = exchange_pattern(name)) return star;
    if (pattern_order(name).empty()) return std::nullopt;
    return pattern_exchange(name);
  });
  module.def("is_exchange_file", [](const std::filesystem::path& path) { return is_exchange_file(path.string()); });
  module.def("load_exchange", [](const std::filesystem::path& path) { return load_exchange(path.string()); });
  module.def("predict", &prediction, "exchange"_a, "topology"_a, "places"_a, "model"_a, "link_bandwidth"_a.none(),
             "tau"_a.none());
  module.def("schedule", &best_order, "exchange"_a, "topology"_a, "places"_a, "model"_a, "link_bandwidth"_a.none(),
             "tau"_a.none(), "seed"_a, "steps"_a, "time_limit"_a);
}

}  // namespace topowise::python
