// SPDX-License-Identifier: BSD-3-Clause
// The output of otf2-print for a trace.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <topowise/traffic_source/recorded/otf2_print.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<topowise::Diagnostic> warnings;
  try {
    (void)topowise::looks_like_otf2_print(text);
    (void)topowise::read_otf2_print("fuzz", text, topowise::collective::models().front(), warnings);
  } catch (const topowise::Error& error) {
    for (const topowise::Diagnostic& diagnostic : error.diagnostics()) (void)diagnostic.render("error");
  }
  for (const topowise::Diagnostic& warning : warnings) (void)warning.render("warning");
  return 0;
}
