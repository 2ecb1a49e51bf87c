// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/settings.hpp>

#include <array>
#include <cstdlib>
#include <cstring>

#include <topowise/launch/reorder_variables.hpp>

namespace topowise::interpose::reordering {
namespace {

struct Name {
  const char* text;
  Mode mode;
};
constexpr std::array<Name, 5> kModes{{{"off", Mode::off},
                                      {"report", Mode::report},
                                      {"asked", Mode::asked},
                                      {"always", Mode::always},
                                      {"world", Mode::world}}};

Settings read() noexcept {
  Settings found;
  const char* mode = std::getenv(kReorderVariable);
  if (mode == nullptr) return found;
  found.word = mode;
  found.known = false;
  for (const Name& name : kModes) {
    if (std::strcmp(mode, name.text) != 0) continue;
    found.mode = name.mode;
    found.known = true;
  }
  found.topology = std::getenv(kReorderTopologyVariable);
  found.network = std::getenv(kReorderNetworkVariable);
  if (found.network != nullptr && std::strcmp(found.network, "off") == 0) found.network = nullptr;
  found.metric = std::getenv(kReorderMetricVariable);
  found.profile = std::getenv(kReorderProfileVariable);
  found.loads = std::getenv(kReorderLoadsVariable);
  found.only = std::getenv(kReorderOnlyVariable);
  found.except = std::getenv(kReorderExceptVariable);
  found.include = std::getenv(kReorderIncludeVariable);
  if (const char* seconds = std::getenv(kReorderSecondsVariable)) {
    const double value = std::strtod(seconds, nullptr);
    if (value > 0) found.seconds = value;
  }
  return found;
}

}  // namespace

const Settings& settings() noexcept {
  static const Settings found = read();
  return found;
}

}  // namespace topowise::interpose::reordering
