// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/hash.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("FNV-1a gives the published values") {
  const auto hash = [](std::string_view text) {
    Fnv1a state;
    state.add(text);
    return state.value();
  };
  CHECK(hash("") == 0xcbf29ce484222325ULL);
  CHECK(hash("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(hash("foobar") == 0x85944171f73967e8ULL);
  Fnv1a number;
  number.add_number(0x6f6f66, 3);  // "foo", the lowest byte first
  number.add("bar");
  CHECK(number.value() == hash("foobar"));
}
