// SPDX-License-Identifier: BSD-3-Clause
// The table of the file formats that describe machines, and the files and texts that they read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <topowise/base/input.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/reading/foreign_input.hpp>
#include <topowise/reading/format.hpp>

namespace topowise {

// Recognises files that are often taken for a description of a machine but are none, and says how to get a right one.

/// What a wrong input is, by the beginning of its text; nothing if it is no known wrong input.
[[nodiscard]] std::optional<ForeignInput> foreign_input(std::string_view head);

/// The formats, in the order in which they are tried on a content.
[[nodiscard]] std::span<const TopologyFormat> topology_formats();
/// The format of that name. Throws Error(usage).
[[nodiscard]] const TopologyFormat& topology_format(std::string_view name);

/// True if the beginning of a text is plainly that of a machine's description, and not of a matrix, which may as well
/// be traffic.
[[nodiscard]] bool describes_machine(std::string_view head);

/// A file that describes a machine or a part of one. It is opened once, and so are its head and its whole cleaned: of
/// what a quote, a parallel shell, a log or a page has put around the text.
class MachineFile {
 public:
  /// Throws as Input does.
  explicit MachineFile(const std::string& path) : input_(path) {}

  [[nodiscard]] const std::string& where() const { return input_.where(); }
  [[nodiscard]] const std::string& head();
  /// Throws Error(bad_input) for more than `limit` bytes.
  [[nodiscard]] const std::string& text(std::size_t limit = kLargestNode);
  /// What text() has read; empty before.
  [[nodiscard]] std::string_view read_text() const { return text_ ? std::string_view(*text_) : std::string_view(); }

 private:
  Input input_;
  std::optional<std::string> head_;
  std::optional<std::string> text_;
};

/// The format of a file: the one that is called `format`, or if that is empty the one that claims the head. Throws
/// Error(bad_input) for what no format claims and for what is no text, before more than the head is read.
[[nodiscard]] const TopologyFormat& format_of(MachineFile& file, std::string_view format);

/// Reads the content of a file. `where` names it in messages.
[[nodiscard]] Topology read_topology_text(const std::string& where, std::string_view text,
                                          std::string_view format = {});

}  // namespace topowise
