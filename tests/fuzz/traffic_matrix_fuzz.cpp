// SPDX-License-Identifier: BSD-3-Clause
// Every text format of TRAFFIC, and the patterns, whatever the content looks like.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const topowise::TrafficFormat& format : topowise::traffic_formats()) {
    (void)format.recognises(text);
    std::vector<topowise::Diagnostic> warnings;
    try {
      (void)format.read("fuzz", text, topowise::collective::model_named("openmpi"), warnings);
    } catch (const topowise::Error& error) {
      for (const topowise::Diagnostic& diagnostic : error.diagnostics()) (void)diagnostic.render("error");
    }
  }
  // Large patterns are slow, which is no error: only short arguments are tried.
  constexpr std::size_t kShort = 24;
  if (size <= kShort) {
    try {
      (void)topowise::pattern_traffic(std::string(topowise::kPatternPrefix) + std::string(text));
    } catch (const topowise::Error&) {
    }
  }
  return 0;
}
