// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/trace.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>

namespace topowise::training {

std::size_t Trace::group_named(std::string_view name) {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  if (groups.size() == kMostGroups)
    throw bad_input(fmt::format("'{}' has more than {} groups of ranks", where, kMostGroups));
  groups.push_back({std::string(name), {}, 0, {}, false, {}, false, false});
  named_.emplace(name, groups.size() - 1);
  return groups.size() - 1;
}

void Trace::add_split(std::size_t group, const std::vector<double>& split, double times) {
  add({group, profile::Operation::alltoallv, 0, 0}, times);
  for (std::size_t partner = 0; partner < split.size(); ++partner)
    if (split[partner] > 0) parts[{group, partner}] += {split[partner] * times, times};
}

void Trace::tell_different_members(std::string_view group, const std::vector<std::size_t>& first,
                                   const std::vector<std::size_t>& other) {
  doubts.insert(fmt::format("calls of group '{}' name different members, {} and {}: each call counts with its own",
                            group, list_of_ranks(first), list_of_ranks(other)));
}

std::optional<std::size_t> listed_twice(std::vector<std::size_t> ranks) {
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  return twice == ranks.end() ? std::nullopt : std::optional(*twice);
}

std::optional<std::size_t> rank_in_name(std::string_view path) {
  const std::string name = lower(path.substr(path.rfind('/') + 1));
  const auto number_from = [&](std::size_t begin) -> std::optional<std::size_t> {
    std::size_t end = begin;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::optional<std::int64_t> number = parse_integer(std::string_view(name).substr(begin, end - begin));
    if (!number || static_cast<std::size_t>(*number) >= kMostRanks) return std::nullopt;
    return static_cast<std::size_t>(*number);
  };
  for (std::size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
    std::size_t begin = at + 4;
    if (begin < name.size() && (name[begin] == '_' || name[begin] == '-' || name[begin] == '.')) ++begin;
    if (begin < name.size() && is_digit(name[begin])) return number_from(begin);
  }
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789", last);
  return number_from(before == std::string::npos ? 0 : before + 1);
}

}  // namespace topowise::training
