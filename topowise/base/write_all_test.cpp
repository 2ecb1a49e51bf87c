// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/write_all.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>
#include <string>

#include <topowise/base/descriptor.hpp>

using namespace topowise;

TEST_CASE("what the system takes in parts is written whole, and a part that it does not take has its reason") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) == 0);
  const Descriptor output(ends[0]);
  const Descriptor input(ends[1]);
  CHECK(write_all(input.number(), "abc"));
  CHECK(write_all(input.number(), ""));
  std::array<char, 8> read{};
  REQUIRE(::read(output.number(), read.data(), read.size()) == 3);
  CHECK(std::string(read.data(), 3) == "abc");

  const int room = ::fcntl(input.number(), F_GETPIPE_SZ);
  REQUIRE(room > 0);
  errno = 0;
  // The pipe takes all but one byte.
  CHECK_FALSE(write_all(input.number(), std::string(static_cast<std::size_t>(room) + 1, 'x')));
  CHECK(errno == EAGAIN);
  CHECK_FALSE(write_all(-1, "x"));
  CHECK(errno == EBADF);
}
