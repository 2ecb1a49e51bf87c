// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/exchange_file.hpp>

#include <filesystem>
#include <system_error>

#include <topowise/base/encoding.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {

bool is_exchange_file(const std::string& path) {
  constexpr std::size_t kHead = 4096;
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;  // what can be read only once
  try {
    return json_schema(as_utf8_lines(read_head(path, kHead))) == "topowise.exchange/1";
  } catch (const Error&) {
    return false;  // a directory, or nothing there: the traffic reader reports it
  }
}

}  // namespace topowise
