// SPDX-License-Identifier: BSD-3-Clause
// The wrapping of a text (container logs, strings, prefixes of lines) is removed, and the first format of the table
// that claims the rest reads it. The bytes also make a synthetic tree and a join.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/merge/merge.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>

namespace {

using namespace topowise;

/// A tree that is large but allowed takes seconds to build, and finds no errors.
bool is_small(std::string_view description) {
  return description.size() < 12;
}

void read_as_file(std::string_view text) {
  const Topology machine = read_topology_text("fuzz", text);
  static const Topology preset = read_preset("mi250x");
  if (machine.place_count() == preset.place_count()) (void)merge(machine, preset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const bool as_tree : {false, true}) {
    try {
      if (!as_tree)
        read_as_file(text);
      else if (is_small(text))
        (void)read_synthetic_tree(text);
    } catch (const topowise::Error&) {
      continue;
    }
  }
  return 0;
}
