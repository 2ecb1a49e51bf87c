// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::cli {

/// The text of a traffic file in the format that the suffix of `path` names: .json (bytes and messages), .csv and .txt
/// (a dense matrix), .mtx (MatrixMarket). `messages` writes message counts into the matrices instead of bytes. Throws
/// Error(usage) for another suffix.
[[nodiscard]] std::string traffic_file(const Traffic& traffic, const std::string& path, bool messages);

}  // namespace topowise::cli
