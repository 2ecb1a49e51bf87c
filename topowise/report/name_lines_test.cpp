// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/name_lines.hpp>

#include <doctest/doctest.h>

using namespace topowise;

using Lines = std::vector<std::string>;

TEST_CASE("a name is broken into lines, and no letter is lost") {
  CHECK(name_lines("GPU0", 8) == Lines{"GPU0"});
  CHECK(name_lines("root complex 7", 12) == Lines{"root complex", "7"});
  CHECK(name_lines("PCIe switch 11", 8) == Lines{"PCIe", "switch", "11"});
  CHECK(name_lines("gpu-node-017.cluster", 9) == Lines{"gpu-node-", "017.", "cluster"});
  CHECK(name_lines("NVSwitch", 5) == Lines{"NVSwi", "tch"});
  CHECK(name_lines("n01\u2013n16", 4) == Lines{"n01\u2013", "n16"});
  CHECK(name_lines("\u00e4\u00f6\u00fc\u00e4", 2) == Lines{"\u00e4\u00f6", "\u00fc\u00e4"});
  CHECK(name_lines("", 5) == Lines{""});
}

TEST_CASE("a name that is too long for all lines keeps its number") {
  CHECK(name_lines(std::string(100, 'x') + "136", 4, 2) == Lines{"xxxx", "\u2026136"});
  CHECK(name_lines("abcdef", 1, 1) == Lines{"\u2026"});
  CHECK(name_lines("abcdef", 0, 2) == Lines{"a", "\u2026"});
}
