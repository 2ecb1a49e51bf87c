// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/library_names.hpp>

#include <cstdlib>

namespace topowise::device {

bool is_named_by_user(const LibraryNames& names) {
  const char* other = std::getenv(names.variable);
  return other != nullptr && *other != '\0';
}

std::vector<std::string> names_to_try(const LibraryNames& names) {
  if (is_named_by_user(names)) return {std::getenv(names.variable)};
  std::vector<std::string> usual;
  for (const char* name : names.usual) {
    if (name != nullptr) usual.emplace_back(name);
  }
  return usual;
}

}  // namespace topowise::device
