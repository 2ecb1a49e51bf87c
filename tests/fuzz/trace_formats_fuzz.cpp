// SPDX-License-Identifier: BSD-3-Clause
// Every format of traces, whatever the content looks like.
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
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const training::TraceFormat& format : training::trace_formats()) {
    (void)format.recognises(text);
    std::vector<Diagnostic> warnings;
    try {
      Input file = Input::of_text("trace.3.et", text);
      std::vector<training::Trace> traces;
      format.read(file, traces);
      (void)training::traffic_of_job("fuzz", std::move(traces), collective::model_named(format.model), warnings);
    } catch (const Error& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) (void)diagnostic.render("error");
    }
    for (const Diagnostic& warning : warnings) (void)warning.render("warning");
  }
  return 0;
}
