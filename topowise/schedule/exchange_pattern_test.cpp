// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/exchange_pattern.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

std::string refusal_of_pattern(const std::string& argument) {
  try {
    (void)exchange_pattern(argument);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    const Diagnostic& first = error.diagnostics().front();
    CHECK(first.where == "EXCHANGE");
    return std::to_string(first.position.column) + ": " + first.what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("scatter and gather have one rank at an end of all messages; other names are not theirs") {
  CHECK(exchange_pattern("pattern:scatter:8")->communications().size() == 7);
  CHECK(exchange_pattern("pattern:gather:5:bytes=1KiB")->communications().size() == 4);
  CHECK_FALSE(exchange_pattern("pattern:ring:8"));
  CHECK_FALSE(exchange_pattern("scatter"));
}

TEST_CASE("a mistake in scatter or gather is shown where it is") {
  CHECK(refusal_of_pattern("pattern:scatter") == "0: pattern 'scatter' needs its number of ranks");
  CHECK(refusal_of_pattern("pattern:scatter:0") == "17: '0' is not a number of ranks from 2 to 9999999");
  CHECK(refusal_of_pattern("pattern:gather:x") == "16: 'x' is not a number of ranks from 2 to 9999999");
  CHECK(refusal_of_pattern("pattern:gather:10000000").find("is not a number of ranks") != std::string::npos);
  CHECK(refusal_of_pattern("pattern:scatter:4:byts=3") ==
        "19: unknown key of pattern 'scatter': 'byts', did you mean 'bytes'?");
  CHECK(refusal_of_pattern("pattern:scatter:4:3") == "19: '3' is not KEY=VALUE");
  CHECK(refusal_of_pattern("pattern:scatter:4:bytes=3x") == "25: '3x' is not a size like 64KiB");
  CHECK(refusal_of_pattern("pattern:scatter:4:bytes=") == "19: '' is not a size like 64KiB");
  CHECK(refusal_of_pattern("pattern:scatter:4:bytes=3:bytes=3") == "27: key 'bytes' is given twice");
}
