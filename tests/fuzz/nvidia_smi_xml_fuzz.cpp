// SPDX-License-Identifier: BSD-3-Clause
// Texts that add to a machine: nvidia-smi -q -x, and the table of topo -p2p.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    (void)topowise::read_smi_p2p("fuzz", text);
    (void)topowise::read_nvidia_smi_xml("fuzz", text);
  } catch (const topowise::Error&) {  // refused
  }
  return 0;
}
