// SPDX-License-Identifier: BSD-3-Clause
// Reports that a machine lacks something that a test needs.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace topowise::test {

/// The test continues without `what` and says so in words that tools/test_stages.py lists as not tried. It fails where
/// every test must run, as in `make test`.
inline void skip_without(const std::string& what) {
  const char* required = std::getenv("TOPOWISE_REQUIRE_ALL");
  if (required != nullptr && std::string_view(required) == "1")
    FAIL_CHECK(what);
  else
    MESSAGE("SKIPPED: " << what);
}

}  // namespace topowise::test
