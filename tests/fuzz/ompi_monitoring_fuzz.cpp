// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<topowise::Diagnostic> warnings;
  try {
    (void)topowise::looks_like_ompi_monitoring(text);
    (void)topowise::read_ompi_monitoring("fuzz", text, warnings);
  } catch (const topowise::Error& error) {
    for (const topowise::Diagnostic& diagnostic : error.diagnostics()) (void)diagnostic.render("error");
  }
  return 0;
}
