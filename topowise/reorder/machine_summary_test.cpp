// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/machine_summary.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("where the machine comes from") {
  const std::vector<std::string> hosts{"a", "a", "a", "a", "b", "b", "b", "b"};
  CHECK(machine_summary(hosts, nullptr, {}) == "2 hosts, taken to be equally far from each other");
  CHECK(machine_summary(std::vector<std::string>(4, "a"), nullptr, {}) == "1 host");
  CHECK(machine_summary(hosts, "fabric.json", {}) == "2 hosts of 'fabric.json'");
  std::vector<NodePart> parts;
  for (std::int16_t process = 0; process < 8; ++process) {
    const auto package = static_cast<std::int16_t>(process % 2);
    parts.push_back({{package, NodePart::kAnywhere, NodePart::kAnywhere, process}});
  }
  CHECK(machine_summary(hosts, nullptr, parts) ==
        "2 hosts, taken to be equally far from each other; ranks are bound to 4 packages");
  for (std::size_t process = 4; process < 8; ++process) parts[process] = {};
  CHECK(machine_summary(hosts, "f", parts) == "2 hosts of 'f'; ranks are bound to 2 packages");
}
