// SPDX-License-Identifier: BSD-3-Clause
// Logs of the calls of NCCL.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/formats.hpp>
#include <topowise/traffic_source/training/job.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topowise;
  try {
    Input file = Input::of_text("fuzz", {reinterpret_cast<const char*>(data), size});
    std::vector<training::Trace> traces;
    training::read_nccl_calls(file, traces);
    std::vector<Diagnostic> warnings;
    (void)training::traffic_of_job("fuzz", std::move(traces), collective::model_named("nccl"), warnings);
  } catch (const Error&) {  // refused
  }
  return 0;
}
