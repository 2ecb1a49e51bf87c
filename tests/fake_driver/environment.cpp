// SPDX-License-Identifier: BSD-3-Clause
#include "environment.hpp"

#include <cmath>
#include <cstdlib>

#include <topowise/base/text.hpp>

namespace topowise::fake {

std::string text_variable(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : otherwise;
}

double number_variable(const char* name, double otherwise) {
  const std::optional<double> value = parse_double(text_variable(name));
  return value && std::isfinite(*value) && *value >= 0 ? *value : otherwise;
}

bool flag_variable(const char* name) {
  const std::string text = text_variable(name);
  return !text.empty() && text != "0";
}

[[gnu::weak]] const char* node_variable() {  // hip.cpp has its own
  return "TOPOWISE_FAKE_NODE";
}

[[gnu::weak]] bool is_ready_by_itself() {  // hip.cpp has its own
  return false;
}

const Environment& environment() {
  static const Environment read_once;
  return read_once;
}

}  // namespace topowise::fake
