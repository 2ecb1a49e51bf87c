// SPDX-License-Identifier: BSD-3-Clause
// One row of a table of file formats: of machines, of traffic, of traces. A table is ordered: formats with an
// unmistakable beginning come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// Largest description of one compute node. The largest seen have a few megabytes.
inline constexpr std::size_t kLargestNode = std::size_t{64} << 20;
/// Largest description of a cluster, and largest log that holds the description of a node.
inline constexpr std::size_t kLargestCluster = std::size_t{1} << 30;

template <class Read>
struct Format;

/// The functions of a format are pure: what was read in, a value out.
template <class Result, class... Arguments>
struct Format<Result(Arguments...)> {
  std::string_view name;                      ///< for --format: "nvidia-smi", "csv", ...
  std::string_view help;                      ///< one line
  bool (*recognises)(std::string_view head);  ///< looks at the first 64 KiB at most
  Result (*read)(Arguments...);
  std::size_t largest = kLargestNode;  ///< bytes of a text that is read as a whole, unpacked
};

/// A file format that describes a machine. `where` names the text in messages.
using TopologyFormat = Format<Topology(const std::string& where, std::string_view text)>;

/// The first row that claims the beginning of a text; nullptr if none does.
template <class Rows>
[[nodiscard]] auto format_of(const Rows& formats, std::string_view head) {
  const auto found = std::ranges::find_if(formats, [&](const auto& format) { return format.recognises(head); });
  return found == std::ranges::end(formats) ? nullptr : &*found;
}

/// The row of that name; nullptr if there is none.
template <class Rows>
[[nodiscard]] auto format_named(const Rows& formats, std::string_view name) {
  const auto found = std::ranges::find_if(formats, [&](const auto& format) { return format.name == name; });
  return found == std::ranges::end(formats) ? nullptr : &*found;
}

/// The error for a name that no table has. `kind` is "topology format".
[[nodiscard]] inline Error unknown_format(std::string_view kind, std::string_view name,
                                          const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& each : names) all += (all.empty() ? "" : "|") + each;
  return usage_error(unknown_name(std::string(kind), name, names), "--format " + all);
}

/// The error for an input that is no text of the family that is wanted.
[[nodiscard]] inline Error wrong_input(const std::string& where, std::string what, std::string hint = {}) {
  return {ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, std::move(hint)}}};
}

}  // namespace topowise
