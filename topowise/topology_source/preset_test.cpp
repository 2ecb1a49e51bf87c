// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/preset.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

/// "PIX 8, PXB 16": unordered pairs of each class, nearest first.
std::string census(const Topology& machine) {
  std::map<PathClass, int> pairs;
  for (std::size_t a = 0; a < machine.place_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.place_count(); ++b) ++pairs[machine.path_class(Place(a), Place(b))];
  }
  std::string text;
  for (const auto& [path, count] : pairs)
    text += (text.empty() ? "" : ", ") + to_string(path) + " " + std::to_string(count);
  return text;
}

struct Expected {
  std::string_view name;
  std::size_t places;
  std::string_view pairs;
};

constexpr Expected kExpected[] = {
    {"cs-storm-t1", 8, "PIX 4, PXB 24"},
    {"cs-storm-t2", 8, "PIX 4, PXB 8, PHB 16"},
    {"dgx1-p100", 8, "NV1 16, SYS 12"},
    {"dgx1-v100", 8, "NV2 8, NV1 8, SYS 12"},
    {"helios-k80", 16, "PIX 8, PXB 16, PHB 32, SYS 64"},
    {"k80-4boards", 8, "PIX 4, PXB 8, SYS 16"},
};

}  // namespace

TEST_CASE("every preset has the pairs that its source prints") {
  CHECK(presets().size() == std::size(kExpected));
  for (const Expected& expected : kExpected) {
    CAPTURE(expected.name);
    const Topology machine = read_preset(expected.name);
    CHECK(machine.name() == expected.name);
    CHECK(machine.place_count() == expected.places);
    CHECK(census(machine) == expected.pairs);
    CHECK(machine.warnings().empty());
  }
}

TEST_CASE("an unknown preset suggests a known one") {
  CHECK_THROWS_WITH_AS(read_preset("helios-k8"), "unknown preset 'helios-k8', did you mean 'helios-k80'?", Error);
}
