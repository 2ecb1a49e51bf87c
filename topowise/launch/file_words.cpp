// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/file_words.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>

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

std::string host_word(const PlacedNode& node, std::string_view unnamed) {
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

std::string variable_word(const std::string& value) {
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || std::string_view(",-_/.:").find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(value, fits)) return value;
  throw bad_input(fmt::format("{} is no list of GPUs", in_quotes(value)));
}

}  // namespace topowise
