// SPDX-License-Identifier: BSD-3-Clause
// The source of the kernels, compiled for the host, and the names in the PTX that clang made of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <tests/lack.hpp>

#include <topowise/device/kernel_code.hpp>
#include <topowise/device/kernel_list.hpp>
#include <topowise/device/kernels.hpp>

using namespace topowise::device;

namespace {

struct AllElements {
  static constexpr unsigned long long first() { return 0; }
  static constexpr unsigned long long step() { return 1; }
};

}  // namespace

TEST_CASE("integers wrap around") {
  using namespace kernel;
  CHECK(Sum::of(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
  CHECK(Prod::of(static_cast<unsigned short>(65535), static_cast<unsigned short>(65535)) == 1);
  CHECK(Prod::of(static_cast<signed char>(-128), static_cast<signed char>(-1)) == -128);
  CHECK(Sum::of(std::numeric_limits<long long>::min(), -1LL) == std::numeric_limits<long long>::max());
}

TEST_CASE("of a number and NaN the first operand remains") {
  const double nan = std::nan("");
  CHECK(kernel::Min::of(1.0, nan) == 1.0);
  CHECK(std::isnan(kernel::Max::of(nan, 1.0)));
}

TEST_CASE("reduce, copy and fill touch what they should") {
  std::array<float, 4> to{1, 2, 3, 4};
  const std::array<float, 4> from{10, 20, 30, 40};
  kernel::reduce<kernel::Sum>(AllElements{}, to.data(), from.data(), 3);
  CHECK(to == std::array<float, 4>{11, 22, 33, 4});
  kernel::copy(AllElements{}, to.data(), from.data(), 2);
  CHECK(to == std::array<float, 4>{10, 20, 33, 4});
  kernel::fill(AllElements{}, to.data(), 5.0F, 1);
  CHECK(to == std::array<float, 4>{5, 20, 33, 4});
}

TEST_CASE("the PTX has every kernel of the list and runs on old drivers") {
  if (kernel_image() == nullptr) {
    topowise::test::skip_without("built without clang, so without kernels");
    return;
  }
  const std::string_view image = kernel_image();
  CHECK(image.find(".target sm_50") != std::string_view::npos);
  const std::size_t version = image.find(".version ");
  REQUIRE(version != std::string_view::npos);
  CHECK(std::stod(std::string(image.substr(version + 9, 3))) <= 6.0);
#define REDUCTION(name, Operation, type) std::string(#name),
#define COPY(name, type) std::string(#name),
#define FILL(name, type) std::string(#name),
#define ROW(name, type) TOPOWISE_KERNELS_OF_TYPE(REDUCTION, COPY, FILL, name, type)
  const std::array names{TOPOWISE_ELEMENT_TYPES(ROW)};
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(image.find(".entry " + name + "(") != std::string_view::npos);
  }
  for (const Operation operation : {Operation::sum, Operation::prod, Operation::min, Operation::max}) {
    const std::string name =
        "topowise_" + std::string(to_string(operation)) + "_" + std::string(to_string(Element::i64));
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}
