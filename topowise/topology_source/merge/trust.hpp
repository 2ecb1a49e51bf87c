// SPDX-License-Identifier: BSD-3-Clause
// How far a source can be trusted with the links between GPUs, by the provenance that stands in Link::source.
#pragma once

#include <string_view>

namespace topowise {

/// From the least to the most.
enum class Trust : unsigned char {
  placeholder,  ///< a constant that stands for every machine, or bonds whose width is not known
  wiring,       ///< who is joined with whom, with nominal rates and no widths: rocm-smi, a driver
  preset,       ///< the widths of a machine of this model
  backend,      ///< widths that hwloc computed from the driver's
  tool,         ///< widths that the vendor's tool or library printed of this machine
  measured,
};

[[nodiscard]] Trust trust_in(std::string_view source);
/// "a measurement", for messages.
[[nodiscard]] std::string_view reason_for(Trust trust);

}  // namespace topowise
