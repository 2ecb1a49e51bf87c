// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/units.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("sizes: powers of ten and of two") {
  CHECK(parse_bytes("300MB") == Bytes(3e8));
  CHECK(parse_bytes("1.5 KiB") == Bytes(1536));
  CHECK(parse_bytes("17") == Bytes(17));
  CHECK(parse_bytes("2e3B") == Bytes(2000));
  CHECK_FALSE(parse_bytes("12 parsecs"));
  CHECK_FALSE(parse_bytes(""));
  CHECK_FALSE(parse_bytes("MB"));
}

TEST_CASE("rates and times") {
  CHECK(parse_bandwidth("25 GB/s") == BytesPerSecond(25e9));
  CHECK(parse_seconds("0.5ms")->value() == doctest::Approx(0.0005));
  CHECK_FALSE(parse_seconds("nan"));
}

TEST_CASE("dimensions compose") {
  CHECK(Bytes(100) / BytesPerSecond(50) == Seconds(2));
  CHECK(Bytes(6) / Bytes(3) == 2.0);
}

TEST_CASE("output carries the unit") {
  CHECK(to_string(Bytes(1048576)) == "1.05 MB");
  CHECK(to_string(BytesPerSecond(25e9)) == "25 GB/s");
  CHECK(to_string(Seconds(3.2e-6)) == "3.2 us");
  CHECK(to_string(Bytes(0)) == "0 B");
  CHECK(to_string(Bytes(2.96e15)) == "2.96 PB");
  CHECK(to_string(Bytes(7e18)) == "7 EB");
  CHECK(parse_bytes("1.5 PiB") == Bytes(1.5 * 1125899906842624.0));
}
