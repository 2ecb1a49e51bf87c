// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/job_hosts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>

namespace topowise {
namespace {

constexpr std::size_t kLargestHostfile = std::size_t{64} << 20;

std::vector<std::string> hosts_of_list(const std::string& where, std::string_view expression) {
  const TextLines lines(where, expression);
  std::vector<std::string> hosts;
  for (std::size_t l = 0; l < lines.size(); ++l) {  // `scontrol show hostnames` prints each host on its own line
    for (const std::string_view part : split_blanks(lines[l])) {
      std::vector<std::string> more = expand_hostlist(lines, l, part, hosts.size());
      std::ranges::move(more, std::back_inserter(hosts));
    }
  }
  if (hosts.empty()) throw bad_input(fmt::format("{} names no host", where));
  return hosts;
}

std::vector<std::string> hosts_of_words(std::string_view words) {
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  for (const std::string_view word : split_blanks(words)) {
    if (seen.emplace(word).second) hosts.emplace_back(word);
  }
  return hosts;
}

/// The host in `n01:8` or `[fe80::1]:8`. In an address without brackets all colons belong to the address.
std::string_view without_slots(std::string_view word) {
  if (word.starts_with('[') && word.find(']') != std::string_view::npos) return word.substr(1, word.find(']') - 1);
  const std::size_t colon = word.find(':');
  return colon == word.rfind(':') ? word.substr(0, colon) : word;
}

}  // namespace

std::vector<std::string> hosts_of_file(const std::string& where, std::string_view text) {
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  const TextLines lines(where, text);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::vector<std::string_view> words = split_blanks(lines[l].substr(0, lines[l].find('#')));
    if (words.empty()) continue;
    const std::string host(without_slots(words.front()));
    if (host.empty()) throw Error(ExitStatus::bad_input, {lines.at(l, words.front(), "this line names no host")});
    if (seen.insert(host).second) hosts.push_back(host);
  }
  if (hosts.empty()) throw bad_input(fmt::format("'{}' names no host", where));
  return hosts;
}

std::vector<std::string> hosts_of_job(
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  for (const char* variable : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (const auto list = environment(variable); list && !list->empty()) return hosts_of_list(variable, *list);
  }
  for (const char* variable : {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "COBALT_NODEFILE"}) {
    if (const auto file = environment(variable); file && !file->empty())
      return hosts_of_file(*file, read_text(*file, kLargestHostfile));
  }
  if (const auto list = environment("LSB_HOSTS"); list && !list->empty()) return hosts_of_words(*list);
  throw not_available(
      "hosts=job: no batch system tells the hosts of this job (SLURM_JOB_NODELIST, PBS_NODEFILE, LSB_DJOB_HOSTFILE)",
      "hosts=n[01-16], or hosts=@HOSTFILE");
}

std::vector<std::string> named_hosts(const std::string& words) {
  if (words == "job") {
    return hosts_of_job([](const std::string& name) {
      const char* value = std::getenv(name.c_str());
      return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    });
  }
  if (words.starts_with('@')) return hosts_of_file(words.substr(1), read_text(words.substr(1), kLargestHostfile));
  try {
    return hosts_of_list("hosts", words);
  } catch (const Error& error) {
    throw Error(ExitStatus::usage, error.diagnostics());  // the user typed it as a part of `cluster:`, like nic=RATE
  }
}

}  // namespace topowise
