// SPDX-License-Identifier: BSD-3-Clause
// Code that the fuzz targets of traces share: for any bytes, reading ends in a matrix or in an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/job.hpp>

namespace topowise::fuzz {

/// The input is the trace of rank 3, or of the rank that it names; the reader reads it a second time as the trace of
/// rank 4.
inline void read_as_trace(void (*read)(Input&, training::Trace&), const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    std::vector<training::Trace> traces(2);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      traces[i].where = i == 0 ? "trace.3.et" : "trace.4.et";
      Input file = Input::of_text(traces[i].where, text);
      read(file, traces[i]);
      if (i == 1 && traces[0].rank && traces[0].rank == traces[1].rank) traces.pop_back();
      if (traces.size() < 2) break;
    }
    std::vector<Diagnostic> warnings;
    (void)training::traffic_of_job("fuzz", std::move(traces), collective::model_named("nccl"), warnings);
  } catch (const Error&) {
  }
}

}  // namespace topowise::fuzz
