// SPDX-License-Identifier: BSD-3-Clause
// Files of real machines. The files of tests/corpus are part of the project: a test fails where one is missing. The
// tests also read a larger collection if it is there; if not, they say what they did not read.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::test {

/// Files that the tests read, but that are too large for the project or under another licence than the project's.
inline constexpr std::array<std::string_view, 12> kOnlyInLargeCorpus{"hwloc-xml/h200-4x-turin-nvml.xml",
                                                                     "ibnetdiscover/gb200-2rail-ndr.out",
                                                                     "qaplib/esc128.dat",
                                                                     "qaplib/sko100a.dat",
                                                                     "qaplib/tai100a.dat",
                                                                     "qaplib/tai256c.dat",
                                                                     "qaplib/tho150.dat",
                                                                     "qaplib/wil100.dat",
                                                                     "slurm-topology/forest-no-root.conf",
                                                                     "slurm-topology/multi-topology.yaml",
                                                                     "slurm-topology/tree-2level.conf",
                                                                     "slurm-topology/tree-3level-large.conf"};

inline std::filesystem::path corpus() {
  return std::filesystem::path(TOPOWISE_SOURCE_DIR) / "tests" / "corpus";
}

/// The folder of the large corpus, which is not in the repository: TOPOWISE_CORPUS names it; otherwise it is
/// shared/corpus beside the checkout, if there is such a folder. Nothing if there is none; then the tests that need it
/// are skipped.
inline std::optional<std::filesystem::path> large_corpus() {
  const char* named = std::getenv("TOPOWISE_CORPUS");
  std::filesystem::path folder = named != nullptr
                                     ? std::filesystem::path(named)
                                     : std::filesystem::path(TOPOWISE_SOURCE_DIR).parent_path() / "shared" / "corpus";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder;
}

/// The path of a file of the corpus, "nccl-xml/mi300a-4-rccl.xml". If only the large corpus has the file and that is
/// not here: nothing, and a line on stdout. The test fails if a file is missing that should be here.
inline std::optional<std::string> corpus_file(std::string_view file) {
  const bool only_in_large = std::ranges::find(kOnlyInLargeCorpus, file) != kOnlyInLargeCorpus.end();
  const std::optional<std::filesystem::path> folder = only_in_large ? large_corpus() : corpus();
  if (!folder) {
    MESSAGE("not checked: " << file << " (TOPOWISE_CORPUS names the folder of the large corpus)");
    return std::nullopt;
  }
  const std::filesystem::path path = *folder / file;
  REQUIRE_MESSAGE(std::filesystem::is_regular_file(path), path.string() << " is missing");
  return path.string();
}

/// Every file of one kind ("qaplib"), of both corpora, each name once.
inline std::vector<std::filesystem::path> corpus_files(std::string_view kind) {
  std::vector<std::filesystem::path> found;
  const auto add = [&](const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      const auto same_name = [&](const std::filesystem::path& path) {
        return path.filename() == entry.path().filename();
      };
      if (std::ranges::none_of(found, same_name)) found.push_back(entry.path());
    }
  };
  add(corpus());
  REQUIRE_FALSE(found.empty());
  if (const std::optional<std::filesystem::path> large = large_corpus()) add(*large);
  return found;
}

}  // namespace topowise::test
