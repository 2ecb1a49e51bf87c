// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/topology.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSchema = "topowise.mapping/1";

void write_members(JsonWriter& writer, const MappingResult& result) {
  writer.key("schema").value(kSchema).key("ranks").value(result.mapping.ranks());
  writer.key("places").array(JsonWriter::Layout::row);
  for (const Place place : result.mapping.places()) writer.value(place.index());
  writer.end().key("mapper").value(result.mapper).key("objective").value(result.objective);
  if (!result.weights.empty()) writer.key("weights").value(result.weights);
  writer.key("metric").value(result.metric).key("cost").value(result.cost);
  writer.key("identity_cost").value(result.identity_cost).key("gain").value(result.gain());
  writer.key("lower_bound");
  result.bound_sought || result.has_bound() ? writer.value(result.lower_bound) : writer.null();
  writer.key("proven_optimal").value(result.proven_optimal);
  if (result.proven_optimal && result.proof_tolerance > 0) writer.key("proof_tolerance").value(result.proof_tolerance);
  writer.key("seconds").value(result.seconds.value()).key("seed").value(result.seed);
  if (!result.objective_reason.empty()) writer.key("objective_reason").value(result.objective_reason);
  if (result.hop_bytes) {
    writer.key("hop_bytes").object(JsonWriter::Layout::row).key("cost").value(result.hop_bytes->cost);
    writer.key("identity_cost").value(result.hop_bytes->identity_cost);
    writer.key("lower_bound").value(result.hop_bytes->lower_bound).end();
  }
  if (result.spared) {
    writer.key("spared").object(JsonWriter::Layout::row).key("cost").value(result.spared->cost);
    writer.key("hop_bytes").value(result.spared->hop_bytes).end();
  }
  if (!result.assumptions.empty()) {
    writer.key("assumptions").array();
    for (const std::string& assumption : result.assumptions) writer.value(assumption);
    writer.end();
  }
  if (!result.contradiction.empty()) writer.key("contradiction").value(result.contradiction);
  if (result.made_for.traffic.empty() && result.made_for.topology.empty()) return;
  writer.key("made_for").object(JsonWriter::Layout::row).key("traffic").text_or_null(result.made_for.traffic);
  writer.key("topology").text_or_null(result.made_for.topology).end();
}

/// A cost is null where it is infinite: the mapping uses a pair of places that nothing connects.
double read_cost(const JsonNode& root, std::string_view key) {
  for (const std::string& present : root.keys()) {
    if (present != key) continue;
    const JsonNode cost = root.member(key);
    return cost.is_null() ? std::numeric_limits<double>::infinity() : cost.amount();
  }
  return 0;
}

}  // namespace

std::string to_json(const MappingResult& result) {
  JsonWriter writer;
  writer.object();
  write_members(writer, result);
  writer.end();
  return std::move(writer).finish();
}

std::string to_json(const MappingResult& result, const Topology& topology) {
  JsonWriter writer;
  writer.object();
  write_members(writer, result);
  writer.key("topology");
  write_topology(writer, topology, {});
  writer.end();
  return std::move(writer).finish();
}

MappingResult mapping_from_json(const std::string& where, std::string_view text) {
  const JsonDocument document = parse_json(where, text);
  const JsonNode root(document);
  check_schema(root, kSchema);
  std::vector<Place> places;
  const JsonNode list = root.member("places");
  for_each_element(list, [&](const JsonNode& place, std::size_t) {
    places.emplace_back(place.whole(std::numeric_limits<std::uint32_t>::max()));
  });
  if (const auto ranks = root.find("ranks"); ranks && ranks->whole() != places.size())
    throw list.wrong(fmt::format("{} places for {} ranks", places.size(), ranks->whole()));
  MappingResult result{.mapping = Mapping(std::move(places))};
  if (const auto mapper = root.find("mapper")) result.mapper = mapper->text();
  if (const auto objective = root.find("objective")) result.objective = objective->text();
  if (const auto weights = root.find("weights")) result.weights = weights->text();
  if (const auto metric = root.find("metric")) result.metric = metric->text();
  result.cost = read_cost(root, "cost");
  result.identity_cost = read_cost(root, "identity_cost");
  result.lower_bound = read_cost(root, "lower_bound");
  result.bound_sought = std::isfinite(result.lower_bound);
  if (!result.bound_sought) result.lower_bound = 0;
  if (const auto proven = root.find("proven_optimal")) result.proven_optimal = proven->truth();
  if (const auto tolerance = root.find("proof_tolerance")) result.proof_tolerance = tolerance->amount();
  if (const auto seconds = root.find("seconds")) result.seconds = Seconds(seconds->amount());
  if (const auto seed = root.find("seed")) result.seed = seed->whole();
  if (const auto reason = root.find("objective_reason")) result.objective_reason = reason->text();
  if (const auto list_of = root.find("assumptions"))
    for_each_element(*list_of, [&](const JsonNode& each, std::size_t) { result.assumptions.push_back(each.text()); });
  if (const auto contradiction = root.find("contradiction")) result.contradiction = contradiction->text();
  if (const auto hops = root.find("hop_bytes"))
    result.hop_bytes = HopBytes{.cost = read_cost(*hops, "cost"),
                                .identity_cost = read_cost(*hops, "identity_cost"),
                                .lower_bound = read_cost(*hops, "lower_bound")};
  if (const auto spared = root.find("spared"))
    result.spared = SparedMapping{.cost = read_cost(*spared, "cost"), .hop_bytes = read_cost(*spared, "hop_bytes")};
  if (const auto made_for = root.find("made_for")) {
    if (const auto traffic = made_for->find("traffic")) result.made_for.traffic = traffic->text();
    if (const auto topology = made_for->find("topology")) result.made_for.topology = topology->text();
  }
  return result;
}

std::optional<Topology> mapped_topology_from_json(const std::string& where, std::string_view text) {
  const JsonDocument document = parse_json(where, text);
  const JsonNode root(document);
  check_schema(root, kSchema);
  const auto topology = root.find("topology");
  if (!topology) return std::nullopt;
  return topology_from_node(*topology);
}

}  // namespace topowise
