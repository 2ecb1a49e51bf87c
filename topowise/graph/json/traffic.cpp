// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/value.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise {
namespace {

/// Far beyond any machine; stops a typing error in a number from claiming all memory.
constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 24;

/// Every entry or message takes at least so many bytes of text, so a list of something else reserves no memory.
constexpr std::size_t kShortestEntry = 24;

Rank read_rank(const JsonNode& node, std::size_t ranks) {
  const std::uint64_t rank = node.whole();
  if (rank >= ranks) throw node.wrong(fmt::format("rank {} does not exist, 'ranks' is {}", rank, ranks));
  return Rank(rank);
}

void write_matrix(JsonWriter& writer, const Traffic& traffic, bool messages) {
  constexpr std::size_t kLargestDense = 4096;
  if (traffic.ranks() > kLargestDense)
    throw bad_input(fmt::format("a matrix is written for at most {} ranks, not for {}", kLargestDense, traffic.ranks()),
                    "--json without --matrix lists what is not zero");
  writer.key("matrix").array();
  for (std::size_t source = 0; source < traffic.ranks(); ++source) {
    std::vector<double> row(traffic.ranks(), 0);
    for (const TrafficEntry& entry : traffic.sent_by(Rank(source)))
      row[entry.destination.index()] = messages ? static_cast<double>(entry.messages) : entry.bytes.value();
    writer.array(JsonWriter::Layout::row);
    for (const double value : row) writer.value(value);
    writer.end();
  }
  writer.end();
}

}  // namespace

std::string to_json(const Traffic& traffic, std::string_view matrix) {
  if (!matrix.empty() && matrix != "bytes" && matrix != "messages")
    throw usage_error(fmt::format("unknown matrix '{}'", matrix), "--matrix bytes or messages");
  JsonWriter writer;
  writer.object().key("schema").value("topowise.traffic/1").key("ranks").value(traffic.ranks());
  writer.key("entries").array();
  for (const TrafficEntry& entry : traffic.entries()) {
    writer.object(JsonWriter::Layout::row).key("source").value(entry.source.index());
    writer.key("destination").value(entry.destination.index()).key("bytes").value(entry.bytes.value());
    writer.key("messages").value(entry.messages).end();
  }
  writer.end().key("total_bytes").value(traffic.total_bytes().value());
  if (!matrix.empty()) write_matrix(writer, traffic, matrix == "messages");
  writer.end();
  return std::move(writer).finish();
}

Traffic traffic_from_json(const std::string& where, std::string_view text) {
  const JsonDocument document = parse_json(where, text);
  const JsonNode root(document);
  check_schema(root, "topowise.traffic/1");
  const JsonNode count = root.member("ranks");
  const std::uint64_t ranks = count.whole(kMostRanks);
  if (ranks == 0) throw count.wrong("traffic needs at least one rank");
  std::vector<TrafficEntry> entries;
  const JsonNode list = root.member("entries");
  entries.reserve(std::min(list.size(), text.size() / kShortestEntry));
  for_each_element(list, [&](const JsonNode& node, std::size_t) {
    TrafficEntry entry{read_rank(node.member("source"), ranks), read_rank(node.member("destination"), ranks),
                       Bytes(node.member("bytes").amount()), 0};
    if (const auto messages = node.find("messages")) entry.messages = messages->whole();
    entries.push_back(entry);
  });
  return Traffic::from_entries(ranks, std::move(entries));
}

std::string to_json(const Exchange& exchange) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.exchange/1").key("communications").array();
  for (const Communication& message : exchange.communications()) {
    writer.object(JsonWriter::Layout::row).key("source").value(message.source.index());
    writer.key("destination").value(message.destination.index()).key("bytes").value(message.bytes.value());
    writer.key("start_s").value(message.start.value()).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

Exchange exchange_from_json(const std::string& where, std::string_view text) {
  const JsonDocument document = parse_json(where, text);
  const JsonNode root(document);
  check_schema(root, "topowise.exchange/1");
  std::vector<Communication> communications;
  const JsonNode list = root.member("communications");
  communications.reserve(std::min(list.size(), text.size() / kShortestEntry));
  for_each_element(list, [&](const JsonNode& node, std::size_t) {
    const auto start = node.find("start_s");
    const Communication message{Rank(node.member("source").whole(kMostRanks - 1)),
                                Rank(node.member("destination").whole(kMostRanks - 1)),
                                Bytes(node.member("bytes").amount()), Seconds(start ? start->amount() : 0.0)};
    if (message.source == message.destination)
      throw node.wrong(fmt::format("rank {} sends to itself", message.source.index()));
    communications.push_back(message);
  });
  return Exchange(std::move(communications));
}

}  // namespace topowise
