// SPDX-License-Identifier: BSD-3-Clause
#include "topology_format.hpp"

#include <topowise/topology_source/node/text_formats.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return topowise::fuzz_format(topowise::kTopographFormat, data, size);
}
