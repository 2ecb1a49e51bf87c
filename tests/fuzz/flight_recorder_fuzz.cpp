// SPDX-License-Identifier: BSD-3-Clause
// Dumps of PyTorch's FlightRecorder, pickles and JSON.
#include <topowise/traffic_source/training/formats.hpp>

#include "training_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  topowise::fuzz::read_as_trace(topowise::training::read_flight_recorder, data, size);
  return 0;
}
