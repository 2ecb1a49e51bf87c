// SPDX-License-Identifier: BSD-3-Clause
// What batch systems print of their nodes: a line of titles, then a line for each node or list of nodes, with its
// state.
#include <topowise/topology_source/cluster/job_hosts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>

namespace topowise {
namespace {

using Words = std::vector<std::string_view>;

/// Titles: `sinfo`, `flux resource list`; `sinfo -O nodehost`; `bhosts`; `kubectl get nodes`; `pbsnodes -aS`.
constexpr std::array<std::string_view, 5> kHosts{"nodelist", "hostnames", "host_name", "name", "vnode"};
constexpr std::array<std::string_view, 2> kStates{"state", "status"};

/// States in which a node takes jobs, or has some (sinfo(1), bhosts(1), pbsnodes(8), flux-resource(1)).
constexpr std::string_view kUsable =
    "alloc allocated busy closed closed_busy closed_excl closed_full cloud comp completing dynamic_norm free idle "
    "job-busy job-exclusive mix mixed npc ok perfctrs planned plnd powered_down powering_up ready reserved resv "
    "resv-exclusive up";
/// States in which no new job gets the node.
constexpr std::string_view kAway =
    "blocked boot closed_adm closed_lim closed_lock down drain drained draining drng error exclude fail failg failing "
    "future futr initializing inval maint maintenance no_respond not_responding notready offline pow_dn power_down "
    "powering_down provisioning reboot reboot_issued reboot_requested schedulingdisabled sleep stale state-unknown "
    "unavail unk unknown unreach unresolvable";

bool is_among(std::string_view list, const std::string& word) {
  const Words words = split_blanks(list);
  return std::ranges::find(words, word) != words.end();
}

struct State {
  bool is_known = true;
  std::string away;  ///< why no job gets the node; empty if one may
};

/// "idle", "down*", "IDLE+DRAIN", "Ready,SchedulingDisabled". Slurm's last character says more: '*' that the node does
/// not respond.
State state_of(std::string_view text) {
  State state;
  std::string word;
  const auto end_word = [&] {
    const bool is_silent = word.ends_with('*');
    while (!word.empty() && std::string_view("*~#!%$@^-").find(word.back()) != std::string_view::npos) word.pop_back();
    const bool is_away = is_among(kAway, word);
    state.is_known = state.is_known && (is_away || is_among(kUsable, word));
    if (state.away.empty() && is_away) state.away = word;
    if (state.away.empty() && is_silent) state.away = "not responding";
    word.clear();
  };
  for (const char c : lower(text)) {
    if (c == '+' || c == ',')
      end_word();
    else
      word += c;
  }
  end_word();
  return state;
}

/// Which words of a line are the hosts and their state.
struct Columns {
  std::size_t hosts = 0;
  std::size_t state = 0;
  std::size_t first = 0;  ///< the first line behind the titles
};

std::optional<Columns> titles_of(const TextLines& lines) {
  constexpr std::size_t kMostBefore = 3;  // `sinfo -l` begins with the date
  for (std::size_t l = 0; l < std::min(lines.size(), kMostBefore); ++l) {
    const Words words = split_blanks(lines[l]);
    const auto column = [&](const auto& titles) {
      const auto found = std::ranges::find_if(
          words, [&](std::string_view word) { return std::ranges::find(titles, lower(word)) != titles.end(); });
      return static_cast<std::size_t>(found - words.begin());
    };
    const Columns columns{column(kHosts), column(kStates), l + 1};
    if (columns.hosts < words.size() && columns.state < words.size()) return columns;
  }
  return std::nullopt;
}

/// `sinfo -h -N` and `sinfo -h -N -o "%N %t"` print no titles: each line has two words or four, and the last is a
/// state.
std::optional<Columns> columns_without_titles(const TextLines& lines) {
  std::size_t count = 0;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const Words words = split_blanks(lines[l]);
    if (words.empty()) continue;
    if ((words.size() != 2 && words.size() != 4) || (count > 0 && count != words.size())) return std::nullopt;
    count = words.size();
    if (!state_of(words.back()).is_known) return std::nullopt;
  }
  if (count == 0) return std::nullopt;
  return Columns{0, count - 1, 0};
}

bool is_rule(const Words& words) {
  return std::ranges::all_of(
      words, [](std::string_view word) { return word.find_first_not_of("-=") == std::string_view::npos; });
}

}  // namespace

std::optional<NamedHosts> hosts_of_table(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  std::optional<Columns> columns = titles_of(lines);
  if (!columns) columns = columns_without_titles(lines);
  if (!columns) return std::nullopt;
  NamedHosts found;
  NodesLeftOut left_out;
  NodesLeftOut unknown;
  std::set<std::string> seen;  // a node has a line for each partition that it is in
  for (std::size_t l = columns->first; l < lines.size(); ++l) {
    const Words words = split_blanks(lines[l]);
    if (words.size() <= std::max(columns->hosts, columns->state) || is_rule(words)) continue;
    const State state = state_of(words[columns->state]);
    for (std::string& host : expand_hostlist(lines, l, words[columns->hosts], seen.size())) {
      if (!seen.insert(host).second) continue;
      if (!state.is_known) unknown.add(printable(words[columns->state].substr(0, 80)), printable(host));
      if (state.away.empty())
        found.parts.push_back({.name = std::move(host)});
      else
        left_out.add(state.away, printable(host));
    }
  }
  if (found.parts.empty()) throw bad_input(fmt::format("'{}': {}", where, left_out.why_none()));
  found.warnings = left_out.lines(where);
  for (const std::string& why : unknown.reasons())
    found.warnings.push_back(
        fmt::format("{}: whether nodes in the state '{}' get jobs is not known; they are taken", where, why));
  return found;
}

}  // namespace topowise
