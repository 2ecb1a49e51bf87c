// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/whole_units.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/exchange_instances.hpp>

using namespace topowise;

TEST_CASE("float only where it is exact") {
  Random random(8);
  CHECK(whole_units(random_instance(8, 8, true, 1.0, 1 << 20, random)).fits_float);  // megabytes are whole units
  CHECK_FALSE(whole_units(random_instance(8, 8, true, 1.0, 0.1, random)).fits_float);
  Instance wide = random_instance(8, 8, true, 1.0, 1.0, random);
  wide.flow[1] = wide.flow[8] = 12345679;
  CHECK_FALSE(whole_units(wide).fits_float);
  Instance steep = random_instance(3, 3, true, 1.0, 1.0, random);
  steep.flow[1] = steep.flow[3] = 16383;
  CHECK(whole_units(steep).fits_float);
  steep.flow[1] = steep.flow[3] = 16385;  // twice this number does not fit into 16 bits
  CHECK_FALSE(whole_units(steep).fits_float);
}
