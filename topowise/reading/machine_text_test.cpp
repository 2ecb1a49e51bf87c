// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/machine_text.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <tests/corpus.hpp>

#include <topowise/base/file.hpp>

using namespace topowise;

TEST_CASE("machines are told from traffic") {
  CHECK(is_machine_text("{\"schema\": \"topowise.topology/1\", \"places\": []}"));
  CHECK(is_machine_text("<system version=\"1\">"));
  CHECK(is_machine_text("        GPU0    GPU1    GPU2\n"));
  CHECK(is_machine_text("\tGPU0\tGPU1\tCPU Affinity\n"));
  CHECK(is_machine_text("SwitchName=s0 Nodes=n[0-3]\n"));
  CHECK_FALSE(is_machine_text("{\"schema\": \"topowise.traffic/1\", \"ranks\": 4}"));
  CHECK_FALSE(is_machine_text("0 1\n1 0\n"));
  CHECK_FALSE(is_machine_text(""));
}

TEST_CASE("files of real machines are known, and no traffic is") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpus())) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.ends_with("INDEX.md")) continue;
    CAPTURE(path);
    CHECK(is_machine_text(read_file(path)) == (path.find("/qaplib/") == std::string::npos));
  }
}
