// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/plural.hpp>

#include <fmt/format.h>

namespace topowise {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace topowise
