// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/rank_messages.hpp>

#include <algorithm>
#include <map>

#include <topowise/base/error.hpp>

namespace topowise::benchmark {
namespace {

/// Bytes to which the beginning of every message is aligned: enough for any copy engine.
constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::size_t RankMessages::most_out() const {
  std::size_t most = 0;
  for (const Part& part : out) most = std::max(most, part.bytes);
  return most;
}

std::size_t RankMessages::all_in() const {
  std::size_t all = 0;
  for (const Part& part : in) all = std::max(all, part.offset + part.bytes);
  return all;
}

std::vector<RankMessages> rank_messages(const Traffic& traffic, const std::vector<int>& process_of) {
  std::vector<RankMessages> all(process_of.size());
  std::vector<std::size_t> used(process_of.size(), 0);
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source == entry.destination) continue;
    const int from = process_of[entry.source.index()];
    const int to = process_of[entry.destination.index()];
    const auto bytes = static_cast<std::size_t>(entry.bytes.value());
    std::size_t& offset = used[static_cast<std::size_t>(to)];
    all[static_cast<std::size_t>(from)].out.push_back({to, bytes, offset});
    all[static_cast<std::size_t>(to)].in.push_back({from, bytes, offset});
    offset += aligned(bytes);
  }
  return all;
}

std::vector<int> processes_of(const Mapping& mapping, const std::vector<Place>& place_of) {
  std::map<Place, std::vector<int>> standing;  // each list has the lowest process last
  for (std::size_t p = place_of.size(); p-- > 0;) standing[place_of[p]].push_back(static_cast<int>(p));
  std::vector<int> found;
  for (const Place place : mapping.places()) {
    std::vector<int>& left = standing[place];
    if (left.empty())
      throw bad_input("the mapping puts more ranks on place " + std::to_string(place.index()) +
                      " than processes of the job stand there");
    found.push_back(left.back());
    left.pop_back();
  }
  return found;
}

}  // namespace topowise::benchmark
