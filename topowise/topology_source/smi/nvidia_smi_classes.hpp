// SPDX-License-Identifier: BSD-3-Clause
// The classes in the cells of a table of `nvidia-smi topo -m`, or of another vendor's table of that form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/smi/nvidia_smi_table.hpp>
#include <topowise/topology_source/smi/vendor_classes.hpp>

namespace topowise {

inline constexpr SmiTool kNvidiaTool{"nvidia-smi", "nvidia-smi topo -m"};

/// Takes words of NVIDIA's tool as they are. Any other word is what the legend or its vendor's documentation says;
/// a warning says once what it is taken for.
class SmiClasses {
 public:
  SmiClasses(const TextLines& lines, const SmiTable& table, Warnings& warnings)
      : lines_(lines), table_(table), warnings_(warnings) {}

  /// The class that a cell states; nothing if nobody defines it.
  [[nodiscard]] std::optional<PathClass> read(const SmiRow& row, std::string_view word);
  /// True for a word of another vendor, whose links have rates that are not known.
  [[nodiscard]] bool is_of_vendor(std::string_view word) const { return others_.contains(word); }
  /// Refuses the table for a cell whose class nobody defines. `pair`: "GPU0 and GPU1".
  [[noreturn]] void refuse(const SmiRow& row, std::string_view word, const std::string& pair) const;
  /// The program that printed the table, as far as names and classes show it.
  [[nodiscard]] SmiTool tool() const;

 private:
  /// What the legend says of a word; empty if it says nothing.
  [[nodiscard]] std::string_view legend_of(std::string_view word) const;

  const TextLines& lines_;
  const SmiTable& table_;
  Warnings& warnings_;
  std::map<std::string_view, std::optional<PathClass>> others_;  ///< words that are not NVIDIA's
  SmiTool tool_{};
};

}  // namespace topowise
