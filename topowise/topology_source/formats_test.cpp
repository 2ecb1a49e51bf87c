// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/formats.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include <tests/corpus.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>

using namespace topowise;

TEST_CASE("machines are known from traffic") {
  CHECK(describes_machine("{\"schema\": \"topowise.topology/1\", \"places\": []}"));
  CHECK(describes_machine("<system version=\"1\">"));
  CHECK(describes_machine("        GPU0    GPU1\nGPU0  X  PIX\nGPU1  PIX  X\n"));
  CHECK(describes_machine("SwitchName=s0 Nodes=n[0-3]\n"));
  CHECK(describes_machine("P2P Connectivity Matrix\n     D\\D     0     1\n"));
  CHECK_FALSE(describes_machine("{\"schema\": \"topowise.traffic/1\", \"ranks\": 4}"));
  CHECK_FALSE(describes_machine("{\"traceEvents\": [{\"name\": \"a\"}]}"));
  CHECK_FALSE(describes_machine("source,destination,bytes\n0,1,5\n"));
  CHECK_FALSE(describes_machine("0 1\n1 0\n"));
  CHECK_FALSE(describes_machine(""));
}

TEST_CASE("files of real machines are known, and no traffic is") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpus())) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.ends_with("INDEX.md")) continue;
    CAPTURE(path);
    CHECK(describes_machine(MachineFile(path).head()) == (path.find("/qaplib/") == std::string::npos));
  }
  const std::filesystem::path fixtures = std::filesystem::path(TOPOWISE_SOURCE_DIR) / "tests/fixtures";
  for (const char* folder : {"pytorch", "otf2"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(fixtures / folder)) {
      CAPTURE(entry.path().string());
      if (entry.is_regular_file()) CHECK_FALSE(describes_machine(MachineFile(entry.path().string()).head()));
    }
  }
}

TEST_CASE("a description in a field of JSON is named") {
  const std::string text = "{\"host\": \"n1\", \"topo\": \"\\tGPU0\\tGPU1\\nGPU0\\t X \\tPIX\\nGPU1\\tPIX\\t X \\n\"}";
  CHECK_THROWS_WITH_AS((void)read_topology_text("f", text),
                       "this is JSON that holds the description as a text in one of its fields", Error);
}
