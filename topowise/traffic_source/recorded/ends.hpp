// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a message. The sender recorded where its buffer lies; the receiver recorded where the data that it
// received from each rank was to go. Both are put together pair by pair.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise::recorded {

/// The traffic that counts, by the memory at its ends.
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

/// The kinds of memory into which the ranks receive.
class Receivers {
 public:
  void add(const File& file);
  /// The part (0 to 1) of what `source` sent to `destination` from `memory` that counts for `ends`. If the pair was
  /// received into both kinds of memory, only a part counts at the receiver's side, because nothing says which message
  /// went where. A side that was not recorded is taken to be like the sender's.
  [[nodiscard]] double part(Ends ends, std::int32_t source, std::int32_t destination, profile::Memory memory) const;

 private:
  struct Receives {
    double host = 0;
    double device = 0;
  };
  std::set<std::int32_t> without_driver_;                               ///< ranks that receive only on the host
  std::map<std::pair<std::int32_t, std::int32_t>, Receives> receives_;  ///< by (destination, source or kAnySource)
};

/// True if one end's memory counts for `ends`: for collectives, and for windows, whose other end is taken to be like
/// this one.
[[nodiscard]] bool counts(Ends ends, profile::Memory memory);

}  // namespace topowise::recorded
