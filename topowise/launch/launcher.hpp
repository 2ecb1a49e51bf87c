// SPDX-License-Identifier: BSD-3-Clause
// The table of all ways to put a mapping into effect by a launcher's own means.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// What of a mapping a launcher's text can hold.
enum class Holds : unsigned char {
  all,    ///< hosts and GPUs
  hosts,  ///< hosts, also processors; the GPUs are left to the program
  gpus,   ///< GPUs, also processors; the hosts are left to the launcher
  order,  ///< the order of the ranks on the nodes' slots, sorted by GPU: it counts on local rank k using GPU k
};

/// The input of a launcher. Its functions have no side effects: they take a Placement and return text. One of the first
/// two functions is set.
struct Launcher {
  std::string_view name;  ///< as on the command line
  std::string_view help;  ///< one line
  std::string_view use;   ///< the command that reads the text
  Holds holds;
  std::string (*text)(const Placement&);  ///< null if the text is about the machine, not the mapping
  std::string (*machine_text)(const Placement&, const Topology&) = nullptr;
  /// What the user must know about the text; empty if nothing.
  std::string (*note)(const Placement&) = nullptr;
};

/// Sorted by name.
[[nodiscard]] std::span<const Launcher> launchers();

/// Throws Error(usage) for an unknown name.
[[nodiscard]] const Launcher& launcher_named(std::string_view name);

/// Throws Error: unknown name (usage), a mapping that the launcher cannot express (bad input).
/// `topology` is the machine of the placement.
[[nodiscard]] std::string launcher_text(std::string_view name, const Placement& placement, const Topology& topology);

/// Two ranks of one node whose places the launcher's text does not tell apart: with their places exchanged it is the
/// same text. Nothing if there are none, if all ranks are on the places that launchers give them by default (local rank
/// k of a node on its place k), or if the launcher's command reads the mapping itself.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> ranks_not_told_apart(std::string_view name,
                                                                                      const Mapping& mapping,
                                                                                      const Topology& topology);

/// The first rank that is not on the host to which a launcher brings it that fills one host after the other with the
/// same number of ranks. Nothing if there is none.
[[nodiscard]] std::optional<std::size_t> rank_off_host(const Placement& placement);

/// The first rank that uses another GPU than its own if it takes the GPU of its local rank.
[[nodiscard]] std::optional<std::size_t> rank_off_gpu(const Placement& placement);

/// The first rank that would use another GPU than its own, where the launcher's text counts on local rank k using GPU k
/// of its node: the node has ranks on some of its GPUs alone, or several on one.
[[nodiscard]] std::optional<std::size_t> rank_off_count(std::string_view name, const Placement& placement);

/// Throws an error of launcher_text() if that would refuse every mapping onto `usable`; needs no mapping. A mapping
/// that passes this check may still be refused because of the ranks that share a node.
void check_launcher(std::string_view name, const Topology& topology, std::span<const Place> usable);

/// The index in `places` of the first place that no rank can have, wherever the other ranks are.
[[nodiscard]] std::optional<std::size_t> refused_place(std::string_view name, const Topology& topology,
                                                       std::span<const Place> places);

/// Throws the error of launcher_text() if that would refuse every mapping that fills `slots`, which names each place as
/// often as it holds ranks.
void check_filled(std::string_view name, const Topology& topology, std::span<const Place> slots);

}  // namespace topowise
