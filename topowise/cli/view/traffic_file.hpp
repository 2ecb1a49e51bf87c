// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::cli {

/// The text of a traffic file in the format that the suffix of `path` names: .json and .csv (bytes and messages of each
/// pair), .txt (a dense matrix of bytes), .mtx (MatrixMarket, bytes). `matrix` is what .csv, .txt and .mtx then hold as
/// a matrix: "bytes" or "messages"; empty if the user has asked for none. Throws Error(usage) for another suffix.
[[nodiscard]] std::string traffic_file(const Traffic& traffic, const std::string& path, std::string_view matrix);
/// Whether this file has no place for the numbers of messages that the traffic has.
[[nodiscard]] bool loses_messages(const Traffic& traffic, const std::string& path, std::string_view matrix);

}  // namespace topowise::cli
