// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/sharing_offer.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace topowise;
using namespace topowise::job;

TEST_CASE("a handle comes back as it was") {
  device::IpcHandle handle{};
  for (unsigned i = 0; i < sizeof handle.bytes; ++i) handle.bytes[i] = static_cast<unsigned char>(7 * i + 250);
  const auto back = handle_from_text(to_text(handle));
  REQUIRE(back);
  CHECK(std::ranges::equal(back->bytes, handle.bytes));
}

TEST_CASE("a text that is no handle is none, whatever a rank sends") {
  const std::string whole = to_text(device::IpcHandle{});
  std::string letters = whole;
  letters.back() = 'g';
  std::string blank = whole;
  blank[blank.size() - 2] = ' ';
  for (const std::string& text : {std::string(), std::string("handle "), std::string("handle zz"), whole + "0",
                                  whole.substr(0, whole.size() - 1), letters, blank, std::string("nonsense")}) {
    CAPTURE(text);
    CHECK_FALSE(handle_from_text(text));
  }
}

TEST_CASE("refusals carry their reason") {
  CHECK(refusal_in(refusal_text("no peer")) == "no peer");
  CHECK_FALSE(refusal_in("handle 00"));
}
