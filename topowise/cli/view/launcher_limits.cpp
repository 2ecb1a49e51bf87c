// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/launcher_limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

/// What puts all of a mapping into effect.
std::string_view remedy_for(const PlacedRank& rank) {
  if (rank.gpu)
    return "with it 'topowise run --mapping FILE -- ./app' (--save FILE) or --emit shell gives each rank its GPU";
  if (!rank.cpus.empty())
    return "with it 'topowise run --mapping FILE -- ./app' (--save FILE) binds each rank to its core";
  return "a description with hosts and processors (hwloc's XML, live) keeps all of it";
}

bool is_word(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-';
}

}  // namespace

std::string with_word(std::string text, std::string_view word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    text.replace(at, word.size(), value);
    at += value.size() - 1;
  }
  return text;
}

std::string with_mapping_file(std::string text, const std::string& file) {
  const auto needs_no_quotes = [](char c) { return is_word(c) || c == '.' || c == '/'; };
  // A host may be called MAPPING.
  return std::ranges::all_of(file, needs_no_quotes)
             ? with_word(std::move(text), "--mapping MAPPING", "--mapping " + file)
             : text;
}

std::string off_host_text(const Placement& placement) {
  const std::optional<std::size_t> rank = rank_off_host(placement);
  if (!rank) return {};
  return fmt::format("rank {} is mapped to {}, where a launcher that fills one host after the other does not put it",
                     *rank, printable(placement.nodes[placement.ranks[*rank].node].name));
}

std::vector<std::string> limits_of(const Launcher& launcher, const Mapping& mapping, const Topology& topology,
                                   const Placement& placement) {
  const auto name = [&](std::size_t rank) {
    const Place place = mapping.places()[rank];
    const std::string& known = topology.vertex_of(place).name;
    return known.empty() ? fmt::format("place {}", place.index()) : printable(known);
  };
  std::vector<std::string> limits;
  if (const auto found = ranks_not_told_apart(launcher.name, mapping, topology))
    limits.push_back(
        fmt::format("this file holds a part of the mapping alone: rank {} on {} and rank {} on {} could change places "
                    "in it; {}",
                    found->first, name(found->first), found->second, name(found->second),
                    remedy_for(placement.ranks[found->first])));
  if (const auto found = rank_off_gpu(placement); found && limits.empty() && launcher.holds == Holds::hosts)
    limits.push_back(
        fmt::format("this file chooses no GPU: rank {} is mapped to {}, and a program that takes the GPU of its local "
                    "rank takes another one; {}",
                    *found, name(*found), remedy_for(placement.ranks[*found])));
  if (const auto found = rank_off_count(launcher.name, placement))
    limits.push_back(
        fmt::format("this file counts on local rank k using the k-th GPU of its node that the job sees, and "
                    "rank {} is on {}, which is another one if the job sees all; {}",
                    *found, name(*found), remedy_for(placement.ranks[*found])));
  if (const std::string hosts = launcher.holds == Holds::gpus ? off_host_text(placement) : ""; !hosts.empty())
    limits.push_back(
        fmt::format("this file leaves the hosts to the launcher, and {}; a list of hosts does (--emit slurm-hostfile, "
                    "openmpi-rankfile, mpich-hostfile ...)",
                    hosts));
  return limits;
}

}  // namespace topowise::cli
