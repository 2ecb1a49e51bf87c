// SPDX-License-Identifier: BSD-3-Clause
// Files in, files out.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/exchange.hpp>
#include <topowise/json.hpp>
#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise {
namespace {

Traffic keep_warnings(TrafficReading reading, std::vector<Diagnostic>* warnings) {
  if (warnings != nullptr) warnings->insert(warnings->end(), reading.warnings.begin(), reading.warnings.end());
  return std::move(reading.traffic);
}

}  // namespace

Topology load_topology(const std::string& source, std::string_view format) try {
  return read_topology(source, format);
} catch (const Error& error) {
  if (error.status() != ExitStatus::bad_input || !format.empty()) throw;
  std::string parts = source;  // of cluster: and of joins
  std::ranges::replace_if(
      parts, [](char c) { return c == ',' || c == '+' || c == '='; }, '\n');
  for (const std::string_view part : split(parts, '\n')) {
    const std::string kind = kind_of_traffic(std::string(part));
    if (!kind.empty())
      throw bad_input(fmt::format("'{}' is {}, where a machine is asked for", printable(part), kind),
                      "TRAFFIC comes first, then TOPOLOGY");
  }
  throw;
}

Topology topology_from_text(const std::string& where, std::string_view text, std::string_view format) {
  return read_topology_text(where, text, format);
}

void save_topology(const std::string& path, const Topology& machine) {
  write_file(path, to_json(machine));
}

std::vector<std::string> preset_names() {
  return names_of(all_presets());
}

Traffic load_traffic(const std::string& source, const LoadTrafficOptions& options, std::vector<Diagnostic>* warnings) {
  TrafficOptions reading{.format = options.format,
                         .collectives = options.collectives,
                         .memory = options.memory,
                         .is_machine = describes_machine};
  if (options.stop != nullptr) {
    reading.progress = [stop = options.stop](const std::string& where, std::size_t /*done*/, std::size_t /*size*/) {
      if (*stop) throw Error(ExitStatus::interrupted, where + ": interrupted");
    };
  }
  return keep_warnings(read_traffic_with_warnings(source, reading), warnings);
}

Traffic traffic_from_text(const std::string& where, std::string_view text, std::string_view format) {
  TrafficOptions reading;
  reading.format = format;
  reading.is_machine = describes_machine;
  return keep_warnings(read_traffic_text(where, text, reading), nullptr);
}

void save_traffic(const std::string& path, const Traffic& traffic) {
  write_file(path, to_json(traffic));
}

Exchange load_exchange(const std::string& path) {
  return exchange_from_json(input_name(path), read_text(path));
}

void save_exchange(const std::string& path, const Exchange& exchange) {
  write_file(path, to_json(exchange));
}

MappingResult load_mapping(const std::string& path) {
  return mapping_from_json(input_name(path), read_text(path));
}

void save_mapping(const std::string& path, const MappingResult& result, const Topology& machine) {
  write_file(path, to_json(result, machine));
}

}  // namespace topowise
