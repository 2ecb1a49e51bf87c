// SPDX-License-Identifier: BSD-3-Clause
// For tests of text formats: reads a fixture, and writes the result in words.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/formats.hpp>

namespace topowise::test {

/// The class of a pair, as text.
inline std::string path(const Topology& machine, std::size_t a, std::size_t b) {
  return to_string(machine.path_class(Place(a), Place(b)));
}

/// Rows of classes, '\n' after each. Also checks that the format claims the text.
inline std::string classes(const TopologyFormat& format, std::string_view text) {
  CHECK(format.recognises(text));
  const Topology machine = format.read("t", text);
  std::string rows;
  for (std::size_t a = 0; a < machine.place_count(); ++a) {
    for (std::size_t b = 0; b < machine.place_count(); ++b) rows += (b > 0 ? " " : "") + path(machine, a, b);
    rows += '\n';
  }
  return rows;
}

/// All warnings, '\n' after each.
inline std::string warnings(const TopologyFormat& format, std::string_view text) {
  std::string all;
  const Topology machine = format.read("t", text);
  for (const std::string& warning : machine.warnings()) all += warning + '\n';
  return all;
}

/// The first diagnostic with which the text is refused; "accepted" if it is not.
inline Diagnostic first_error(const TopologyFormat& format, std::string_view text) {
  try {
    (void)format.read("t", text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front();
  }
  return {.what = "accepted"};
}

/// "LINE:COLUMN what" of the first diagnostic.
inline std::string refusal(const TopologyFormat& format, std::string_view text) {
  const Diagnostic first = first_error(format, text);
  if (first.what == "accepted") return first.what;
  return std::to_string(first.position.line) + ":" + std::to_string(first.position.column) + " " + first.what;
}

}  // namespace topowise::test
