// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/id.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>

namespace topowise {

void throw_no_such_id(std::size_t value) {
  throw bad_input(fmt::format("there is no rank, place, vertex or link {}: the largest number of one is {}", value,
                              std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace topowise
