// SPDX-License-Identifier: BSD-3-Clause
// Real samples that are not part of the project: tests that need them look here, and say so when they are not there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace topowise::test {

/// The folder named by TOPOWISE_CORPUS, else shared/corpus beside the checkout. Nothing if there is none.
inline std::optional<std::filesystem::path> corpus() {
  const char* named = std::getenv("TOPOWISE_CORPUS");
  std::filesystem::path folder = named != nullptr
                                     ? std::filesystem::path(named)
                                     : std::filesystem::path(TOPOWISE_SOURCE_DIR).parent_path() / "shared" / "corpus";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder;
}

}  // namespace topowise::test

/// Leaves a test case, loudly, when the corpus is absent.
#define TOPOWISE_NEEDS_CORPUS()                                                      \
  if (!topowise::test::corpus()) {                                                   \
    MESSAGE("SKIPPED: no corpus of real samples; TOPOWISE_CORPUS names its folder"); \
    return;                                                                          \
  }
