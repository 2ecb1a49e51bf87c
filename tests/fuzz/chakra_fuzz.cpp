// SPDX-License-Identifier: BSD-3-Clause
// Chakra traces: the wire format, and its content.
#include <topowise/traffic_source/training/formats.hpp>

#include "training_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  topowise::fuzz::read_as_trace(topowise::training::read_chakra, data, size);
  return 0;
}
