// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/descriptor.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>

using namespace topowise;

namespace {

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

}  // namespace

TEST_CASE("a descriptor is closed once: by its owner, whoever that is by then") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  {
    Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    Descriptor moved(std::move(reading));
    CHECK_FALSE(reading);  // NOLINT: the state of a moved descriptor is defined
    CHECK(moved.number() == ends[0]);
    writing = std::move(moved);
    CHECK_FALSE(is_open(ends[1]));
    CHECK(is_open(ends[0]));
    CHECK(writing.number() == ends[0]);
  }
  CHECK_FALSE(is_open(ends[0]));
}

TEST_CASE("no descriptor: what a failed call returns") {
  Descriptor none(::open("/nonexistent/file", O_RDONLY | O_CLOEXEC));
  CHECK_FALSE(none);
  none.close();
  CHECK(Descriptor().number() == -1);
}
