// SPDX-License-Identifier: BSD-3-Clause
// Our own formats: every file that is read must be written in a form that reads back as the same.
#include <cstdlib>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>

namespace {

template <class Value>
void there_and_back(Value (*read)(const std::string&, std::string_view), std::string_view text) {
  try {
    const std::string once = topowise::to_json(read("fuzz", text));
    if (topowise::to_json(read("again", once)) != once) std::abort();
  } catch (const topowise::Error& error) {
    if (error.diagnostics().front().where == "again") std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)topowise::json_schema(text);
  there_and_back(topowise::topology_from_json, text);
  there_and_back(topowise::traffic_from_json, text);
  there_and_back(topowise::mapping_from_json, text);
  there_and_back(topowise::exchange_from_json, text);
  return 0;
}
