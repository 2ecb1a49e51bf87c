// SPDX-License-Identifier: BSD-3-Clause
// Every way to put a mapping into effect by a launcher's own means, in one table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// A launcher's input. Members of the family are pure: Placement in, text out. One of the two functions is there.
struct Launcher {
  std::string_view name;                  ///< as on the command line
  std::string_view help;                  ///< one line
  std::string_view use;                   ///< the command that reads the text
  std::string (*text)(const Placement&);  ///< null: what it reads is about the machine, not the mapping
  std::string (*machine_text)(const Placement&, const Topology&) = nullptr;
};

/// Sorted by name.
[[nodiscard]] std::span<const Launcher> launchers();

/// Throws Error(usage) for an unknown name.
[[nodiscard]] const Launcher& launcher_named(std::string_view name);

/// Throws Error: unknown name (usage), a mapping that the launcher cannot express (bad input).
/// `topology` is the machine of the placement.
[[nodiscard]] std::string launcher_text(std::string_view name, const Placement& placement, const Topology& topology);

/// Throws what `launcher_text` would for every mapping onto `usable`, without a mapping. A mapping that fills the
/// launcher's form may still be refused, for where its ranks stand together.
void check_launcher(std::string_view name, const Topology& topology, std::span<const Place> usable);

/// The number in `places` of the first one that no rank can have, whatever the others have.
[[nodiscard]] std::optional<std::size_t> refused_place(std::string_view name, const Topology& topology,
                                                       std::span<const Place> places);

/// Throws what `launcher_text` would for every mapping that fills `slots`: each place as often as it holds ranks.
void check_filled(std::string_view name, const Topology& topology, std::span<const Place> slots);

}  // namespace topowise
