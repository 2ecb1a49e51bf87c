// SPDX-License-Identifier: BSD-3-Clause
// Tools of other vendors print tables of the form of `nvidia-smi topo -m`, with classes of their own: "MX", "HCCS",
// "MT2", "XL8". A legend below the table says what they are; some are known from the tools' documentation.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/graph/path_class.hpp>

namespace topowise {

/// A program that prints such tables.
struct SmiTool {
  std::string_view name;     ///< "mx-smi"
  std::string_view command;  ///< prints the table
  GpuVendor vendor{};        ///< whose devices it shows; unknown for NVIDIA
};

struct VendorClass {
  PathClass path;
  std::string_view link;  ///< "MetaXLink of MetaX"
  SmiTool tool;
};

/// The class that a word is documented to be; nothing for any other word.
[[nodiscard]] std::optional<VendorClass> documented_class(std::string_view word);

/// True if `pattern`, the word of a legend, stands for `word`: "MT#" for "MT2".
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view word);

/// The class that a legend describes, "Connection traversing MetaXLink"; nothing if its words do not name a place on
/// the host nor a link of the accelerators' own. `word` may hold the number of links.
[[nodiscard]] std::optional<PathClass> described_class(std::string_view word, std::string_view legend);

}  // namespace topowise
