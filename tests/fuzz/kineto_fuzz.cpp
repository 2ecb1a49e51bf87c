// SPDX-License-Identifier: BSD-3-Clause
// Traces of torch.profiler, also compressed.
#include <topowise/traffic_source/training/formats.hpp>

#include "training_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  topowise::fuzz::read_as_trace(topowise::training::read_kineto, data, size);
  return 0;
}
