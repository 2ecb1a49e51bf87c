// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/probe_request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <topowise/base/text.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/cli/save.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kSizes = "--sizes";
constexpr std::string_view kPairs = "--pairs";
constexpr double kLargestMessage = 16.0 * 1024 * 1024 * 1024;

std::size_t parse_size(std::string_view text) {
  const std::optional<Bytes> bytes = parse_bytes(trim(text));
  if (!bytes || !(bytes->value() >= 1) || bytes->value() > kLargestMessage)
    throw Arguments::wrong(kSizes, fmt::format("'{}' is not a size of 1 B to 16 GiB", printable(text)),
                           "--sizes 1B-64MiB or --sizes 4KiB,1MiB");
  return static_cast<std::size_t>(bytes->value());
}

}  // namespace

std::vector<std::size_t> parse_sizes(std::string_view text) {
  std::set<std::size_t> sizes;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    if (part.empty() || dash == 0 || dash == part.size() - 1)
      throw Arguments::wrong(kSizes, fmt::format("'{}' is neither a size nor a range of sizes", printable(part)),
                             "--sizes 1B-64MiB or --sizes 4KiB,1MiB");
    const std::size_t least = parse_size(part.substr(0, dash));
    const std::size_t most = dash == std::string_view::npos ? least : parse_size(part.substr(dash + 1));
    if (most < least)
      throw Arguments::wrong(kSizes, fmt::format("'{}' ends before it begins", printable(part)), "--sizes 1B-64MiB");
    for (std::size_t size = least; size < most; size *= 2) sizes.insert(size);
    sizes.insert(most);
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<probe::PairOfPlaces> parse_pairs(const Topology& machine, std::string_view text) {
  std::set<probe::PairOfPlaces> pairs;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.rfind('-');
    if (dash == std::string_view::npos)
      throw Arguments::wrong(kPairs, fmt::format("'{}' is not a pair", printable(part)), "--pairs 0-1,GPU2-GPU5");
    const Place a = place_named(machine, part.substr(0, dash), kPairs);
    const Place b = place_named(machine, part.substr(dash + 1), kPairs);
    if (a == b) throw Arguments::wrong(kPairs, fmt::format("'{}' is one place twice", printable(part)));
    pairs.insert(std::minmax(a, b));
  }
  return {pairs.begin(), pairs.end()};
}

void check_destination(const Arguments& arguments) {
  (void)saves_to_output(arguments);
  if (!arguments.has("--save") && !arguments.has("--json"))
    throw usage_error("the result goes nowhere", "--save FILE.json, or --json");
}

probe::Plan probe_plan(const Arguments& arguments, const Topology& machine, const std::vector<Place>& reachable) {
  constexpr std::int64_t kMostRepetitions = 1'000'000;
  probe::Plan plan;
  plan.sizes = parse_sizes(arguments.text(kSizes));
  plan.repetitions = static_cast<int>(arguments.whole("--repetitions", 1, kMostRepetitions));
  plan.warm_up = static_cast<int>(arguments.whole("--warm-up", 0, kMostRepetitions));
  if (arguments.has(kPairs)) {
    plan.pairs = parse_pairs(machine, arguments.text(kPairs));
    for (const auto& [a, b] : plan.pairs) {
      for (const Place place : {a, b}) {
        if (std::ranges::find(reachable, place) == reachable.end())
          throw not_available(fmt::format("{} cannot be reached from this process", machine.vertex_of(place).name),
                              "CUDA_VISIBLE_DEVICES may hide it; 'topowise doctor' says more");
      }
    }
    return plan;
  }
  for (std::size_t a = 0; a < reachable.size(); ++a) {
    for (std::size_t b = a + 1; b < reachable.size(); ++b) plan.pairs.emplace_back(reachable[a], reachable[b]);
  }
  return plan;
}

}  // namespace topowise::cli
