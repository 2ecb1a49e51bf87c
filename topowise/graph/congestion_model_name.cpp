// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/congestion_model_name.hpp>

#include <topowise/base/enum_names.hpp>

namespace topowise {
namespace {

constexpr EnumNames<CongestionModelName, 4> kNames{{"auto", "pcie-sc16", "pcie-filled", "max-min"}};

}  // namespace

std::string_view to_string(CongestionModelName name) {
  return kNames[name];
}

std::optional<CongestionModelName> parse_congestion_model(std::string_view text) {
  return kNames.parse(text);
}

std::vector<std::string> congestion_model_names() {
  return kNames.list();
}

}  // namespace topowise
