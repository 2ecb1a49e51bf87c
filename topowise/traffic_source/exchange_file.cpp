// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/exchange_file.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {

bool is_exchange_file(const std::string& path) {
  constexpr std::size_t kHead = 4096;
  if (path == "-" || path.starts_with("pattern:")) return false;
  try {
    return json_schema(read_head(path, kHead)) == "topowise.exchange/1";
  } catch (const Error&) {
    return false;  // a directory, or nothing there: the traffic reader reports it
  }
}

}  // namespace topowise
