// SPDX-License-Identifier: BSD-3-Clause
// Every way to Traffic, in one table. What a user may write for TRAFFIC is read here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <topowise/graph/traffic.hpp>

namespace topowise {

/// A file format. Members of the family are pure: text in, Traffic out. (A recorded profile is a directory and read
/// apart.)
struct TrafficFormat {
  std::string_view name;                      ///< for --format: "matrix", "csv", "matrix-market", ...
  std::string_view help;                      ///< one line
  bool (*recognises)(std::string_view head);  ///< looks at the first 64 KiB at most
  Traffic (*read)(const std::string& where, std::string_view text);
};

/// In the order in which content is tried.
[[nodiscard]] std::span<const TrafficFormat> traffic_formats();

/// How collective operations of a recorded profile become pairs; see docs/models/collectives.md.
struct TrafficOptions {
  std::string format;                   ///< forces the format of a file; empty: by content
  std::string collectives = "openmpi";  ///< name of a collective model, or "none" (point-to-point and one-sided only)
  std::string memory = "all";           ///< "all", "host", "device": which buffers count
};

/// TRAFFIC as docs/cli.md defines it: `pattern:NAME:DIMS[:KEY=VALUE...]`, a profile directory, FILE or `-`. Throws
/// Error.
[[nodiscard]] Traffic read_traffic(const std::string& argument, const TrafficOptions& options = {});

}  // namespace topowise
