// SPDX-License-Identifier: BSD-3-Clause
// The tables of the file formats that hold traffic: whole texts, and traces of one process each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/reading/format.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/formats.hpp>

namespace topowise {

/// A format whose text is read as a whole. `model` says which pairs a collective call is made of, for formats that
/// have calls. What is odd but can be read goes to `warnings`.
using TrafficFormat = Format<Traffic(const std::string& where, std::string_view text, const collective::Model& model,
                                     std::vector<Diagnostic>& warnings)>;

/// The formats, in the order in which they are tried on a content that is no trace. (A recorded profile is a directory,
/// and is not in this table.)
[[nodiscard]] std::span<const TrafficFormat> traffic_formats();

/// A format of either table; the other pointer is null.
struct AnyTrafficFormat {
  const training::TraceFormat* trace = nullptr;
  const TrafficFormat* text = nullptr;
};

/// The format of that name. Throws Error(usage).
[[nodiscard]] AnyTrafficFormat traffic_format(std::string_view name);
/// The format that claims the beginning of a text: traces come first, because anything in braces could be our own JSON.
/// Throws Error(bad_input) if none does.
[[nodiscard]] AnyTrafficFormat claiming_traffic_format(const std::string& where, std::string_view head);

/// Throws Error(bad_input) for devices, noise and binary files, before more is read in a format that is forced.
void check_text(const std::string& where, std::string_view head, const TrafficFormat& format);

/// Names and help of all formats, traces first.
struct TrafficFormatHelp {
  std::string_view name;
  std::string_view help;
};
[[nodiscard]] std::vector<TrafficFormatHelp> traffic_format_help();

}  // namespace topowise
