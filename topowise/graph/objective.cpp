// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/objective.hpp>

#include <topowise/base/enum_names.hpp>

namespace topowise {
namespace {

constexpr EnumNames<Objective, 4> kNames{{"hop-bytes", "max-congestion", "predicted-time", "mix"}};

}  // namespace

std::string_view to_string(Objective objective) {
  return kNames[objective];
}

std::optional<Objective> parse_objective(std::string_view text) {
  return kNames.parse(text);
}

std::vector<std::string> objective_names() {
  return kNames.list();
}

}  // namespace topowise
