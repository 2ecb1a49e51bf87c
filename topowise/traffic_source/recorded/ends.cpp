// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/ends.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <topowise/base/enum_names.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise::recorded {
namespace {

using profile::Memory;

constexpr EnumNames<Ends, 6> kNames{{"all", "host", "device", "host-host", "device-device", "mixed"}};

}  // namespace

std::optional<Ends> parse_ends(std::string_view name) {
  return kNames.parse(name);
}

Ends ends_named(std::string_view name) {
  if (const std::optional<Ends> ends = parse_ends(name)) return *ends;
  const std::vector<std::string> names = ends_names();
  throw usage_error(unknown_name("memory", name, names), fmt::format("--memory {}", fmt::join(names, "|")));
}

std::vector<std::string> ends_names() {
  return kNames.list();
}

void Receivers::add(const File& file) {
  if (file.header.gpu_driver == 0) without_driver_.insert(file.header.rank);
  for (const profile::PeerRow& row : file.peers) {
    if (row.channel != profile::Channel::receive) continue;
    Receives& receives = receives_[{file.header.rank, row.peer}];
    (row.memory == Memory::device ? receives.device : receives.host) += static_cast<double>(row.messages);
  }
}

double Receivers::part(Ends ends, std::int32_t source, std::int32_t destination, Memory memory) const {
  if (ends == Ends::all || ends == Ends::from_host || ends == Ends::from_device) return counts(ends, memory) ? 1 : 0;
  Receives seen;
  for (const std::int32_t from : {source, profile::kAnySource}) {
    const auto found = receives_.find({destination, from});
    if (found == receives_.end()) continue;
    seen.host += found->second.host;
    seen.device += found->second.device;
  }
  const bool from_device = memory == Memory::device;
  const double all = seen.host + seen.device;
  const bool unknown_end_on_gpu = from_device && !without_driver_.contains(destination);
  const double into_device = all > 0 ? seen.device / all : unknown_end_on_gpu ? 1 : 0;
  if (ends == Ends::host_host) return from_device ? 0 : 1 - into_device;
  if (ends == Ends::device_device) return from_device ? into_device : 0;
  return from_device ? 1 - into_device : into_device;
}

bool counts(Ends ends, Memory memory) {
  const bool device = memory == Memory::device;
  switch (ends) {
    case Ends::all:
      return true;
    case Ends::from_host:
    case Ends::host_host:
      return !device;
    case Ends::from_device:
    case Ends::device_device:
      return device;
    case Ends::mixed:
      return false;
  }
  return false;
}

}  // namespace topowise::recorded
