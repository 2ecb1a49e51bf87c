// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/class_words.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("every class has words, and words have the name that outputs print") {
  for (const ClassWords& words : class_words()) {
    CAPTURE(words.name);
    const bool counted = words.name.ends_with('#');
    std::string name(words.name);
    if (counted) name.back() = '3';
    CHECK(to_string(PathClass{words.kind, counted ? 3 : 0}) == name);
    CHECK_FALSE(words.meaning.empty());
  }
  for (int kind = static_cast<int>(PathKind::nvlink); kind <= static_cast<int>(PathKind::unconnected); ++kind) {
    const PathClass one{static_cast<PathKind>(kind), 1};
    CHECK(classes_in_words(std::vector{one}).size() == 1);
  }
}

TEST_CASE("classes of one kind share a line") {
  const std::vector<PathClass> classes{{PathKind::nvlink, 2},  {PathKind::nvlink, 1},  {PathKind::sys, 0},
                                       {PathKind::network, 1}, {PathKind::network, 2}, {PathKind::network, 3},
                                       {PathKind::network, 5}};
  const std::vector<std::string> lines = classes_in_words(classes);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("NV2, NV1: NVLink"));
  CHECK(lines[1].starts_with("SYS: "));
  CHECK(lines[2].starts_with("NET1 to NET5: between compute nodes"));
}
