// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/file_words.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise {
namespace {

/// True for "7" or "0-3" with numbers small enough for any launcher.
bool is_cpu_range(std::string_view range) {
  constexpr std::size_t kMostDigits = 6;
  const std::vector<std::string_view> ends = split(range, '-');
  return ends.size() <= 2 && std::ranges::all_of(ends, [](std::string_view end) {
           return !end.empty() && end.size() <= kMostDigits && std::ranges::all_of(end, is_digit);
         });
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kShown = 80;
  return fmt::format("'{}'", printable(name.substr(0, kShown)));
}

}  // namespace

std::string in_comment(std::string_view name) {
  return printable(name);
}

std::string host_word(const Placement& placement, std::size_t number, std::string_view unnamed) {
  const PlacedNode& node = placement.nodes[number];
  if (node.is_invented)
    throw bad_input(fmt::format("no source names the hosts of the machine: {} is made up, and no launcher knows it",
                                in_quotes(node.name)),
                    "cluster:FABRIC,NODE,hosts=LIST names them");
  if (node.is_place())
    throw bad_input("the machine does not name its hosts, and each of its places may be one",
                    "map onto a machine with hosts: cluster:FABRIC,NODE,hosts=LIST");
  if (node.name.empty() && placement.nodes.size() > 1)
    throw bad_input(fmt::format("'{}' names only some of its hosts", placement.topology),
                    "a description that names each: \"node\" of every vertex of its JSON");
  if (node.name.empty()) return std::string(unnamed);
  if (is_host_name(node.name)) return node.name;
  throw bad_input(
      fmt::format("the machine has a node {}, which is no name of a host: no launcher reads it", in_quotes(node.name)),
      "a host name has letters, digits, '.', '-' and '_', and begins with a letter or digit");
}

std::string cpu_word(const PlacedRank& rank) {
  if (std::ranges::all_of(split(rank.cpus, ','), is_cpu_range)) return rank.cpus;
  throw bad_input(
      fmt::format("{} has the processors {}, which are no list", in_quotes(rank.place), in_quotes(rank.cpus)),
      "a list of processors is written 0-3,8");
}

std::vector<std::size_t> cpus_in(std::string_view cpulist) {
  constexpr int kMost = 1 << 16;
  std::set<std::size_t> cpus;
  for (const auto& [first, last] : parse_cpu_list(cpulist).value_or(CpuRanges{})) {
    if (last >= kMost) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(static_cast<std::size_t>(cpu));
  }
  return {cpus.begin(), cpus.end()};
}

std::string cpu_mask(const std::vector<std::size_t>& cpus, std::string_view separator) {
  constexpr std::size_t kBits = 32;
  std::vector<std::uint32_t> words;
  for (const std::size_t cpu : cpus) {
    words.resize(std::max(words.size(), cpu / kBits + 1));
    words[cpu / kBits] |= std::uint32_t{1} << (cpu % kBits);
  }
  std::string mask;
  for (std::size_t i = words.size(); i > 0; --i)
    mask += fmt::format("{}{:08x}", mask.empty() ? "" : separator, words[i - 1]);
  return mask;
}

std::string variable_word(const std::string& value) {
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || std::string_view(",-_/.:").find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(value, fits)) return value;
  throw bad_input(fmt::format("{} is no list of GPUs", in_quotes(value)));
}

}  // namespace topowise
