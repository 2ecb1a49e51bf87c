// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a message: the sender wrote down where its buffer lies, the receiver where what it received from whom
// was to go. The two are put together pair by pair.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/traffic_source/recorded/file.hpp>

namespace topowise::recorded {

/// Which traffic counts, by the memory at its ends.
enum class Ends : std::uint8_t {
  all,
  from_host,    ///< by the sender's buffer alone
  from_device,  ///< by the sender's buffer alone
  host_host,
  device_device,
  mixed,
};
/// "all", "host", "device", "host-host", "device-device", "mixed".
[[nodiscard]] std::optional<Ends> parse_ends(std::string_view name);
/// Throws Error(usage) for an unknown name.
[[nodiscard]] Ends ends_named(std::string_view name);
[[nodiscard]] std::vector<std::string> ends_names();

/// Where the ranks receive.
class Receivers {
 public:
  void add(const File& file);
  /// The part (0 to 1) of what `source` sent to `destination` from `memory` that `ends` counts. The receiver's side is
  /// a part too, if the pair was received into both kinds of memory; nothing tells then which message went where. A
  /// side that was not recorded is taken to be like the sender's.
  [[nodiscard]] double part(Ends ends, std::int32_t source, std::int32_t destination, profile::Memory memory) const;

 private:
  struct Receives {
    double host = 0;
    double device = 0;
  };
  std::set<std::int32_t> without_driver_;                               ///< receive on the host only
  std::map<std::pair<std::int32_t, std::int32_t>, Receives> receives_;  ///< by (destination, source or kAnySource)
};

/// The same of one end: collectives, and windows, whose other end is taken to be like this one.
[[nodiscard]] bool counts(Ends ends, profile::Memory memory);

}  // namespace topowise::recorded
