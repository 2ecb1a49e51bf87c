// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/wire.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("headers of frames and packets") {
  const Traffic traffic = Traffic::from_entries(3, {{Rank(0), Rank(1), Bytes(800), 100},
                                                    {Rank(1), Rank(2), Bytes(1448 * 10), 1},
                                                    {Rank(2), Rank(0), Bytes(1449), 1},
                                                    {Rank(2), Rank(1), Bytes(0), 7}});
  const WireFormat& tcp = wire_formats()[0];
  const Traffic wire = on_the_wire(traffic, tcp);
  CHECK(wire.bytes(Rank(0), Rank(1)) == Bytes(800 + 100 * 66));  // messages of 8 bytes: a frame each
  CHECK(wire.bytes(Rank(1), Rank(2)) == Bytes(1448 * 10 + 10 * 66));
  CHECK(wire.bytes(Rank(2), Rank(0)) == Bytes(1449 + 2 * 66));
  CHECK(wire.bytes(Rank(2), Rank(1)) == Bytes(7 * 66));
  const WireFormat& infiniband = wire_formats()[1];
  CHECK(on_the_wire(traffic, infiniband).bytes(Rank(1), Rank(2)) == Bytes(1448 * 10 + 4 * 30));
  CHECK(on_the_wire(traffic, infiniband).bytes(Rank(0), Rank(1)) == Bytes(800 + 100 * 30));
}
