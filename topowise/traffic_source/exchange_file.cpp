// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/exchange_file.hpp>

#include <filesystem>
#include <system_error>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/input.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {

bool is_exchange_file(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;  // what can be read only once
  try {
    return json_schema(Input(path).text_head()) == "topowise.exchange/1";
  } catch (const Error&) {
    return false;  // a directory, or nothing there: the traffic reader reports it
  }
}

}  // namespace topowise
