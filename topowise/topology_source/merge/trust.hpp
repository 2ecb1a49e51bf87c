// SPDX-License-Identifier: BSD-3-Clause
// How far a source can be trusted about the links between GPUs, by the provenance in Link::source.
#pragma once

#include <string_view>

namespace topowise {

/// Ordered from the least trusted to the most trusted.
enum class Trust : unsigned char {
  placeholder,  ///< a constant that stands for every machine, or bonds whose width is not known
  wiring,       ///< says who is joined with whom, with nominal rates but no widths: rocm-smi, a driver
  preset,       ///< the widths of a machine of this model
  stated,       ///< words of a user, which say no more than that it is so
  backend,      ///< widths that hwloc computed from the driver's rates
  tool,         ///< widths that the vendor's tool or library printed of this machine
  measured,
};

[[nodiscard]] Trust trust_in(std::string_view source);
/// "a measurement", for messages.
[[nodiscard]] std::string_view reason_for(Trust trust);

}  // namespace topowise
