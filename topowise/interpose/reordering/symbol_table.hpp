// SPDX-License-Identifier: BSD-3-Clause
// Names of functions, also of those that a program does not export: the loader knows only exported ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace topowise::interpose::reordering {

struct Symbol {
  std::string name;      ///< demangled, without parameters
  std::uint64_t offset;  ///< of the address in the function
};

/// The function of an ELF file that holds an address, as the file counts addresses. Nothing if the file is stripped,
/// cannot be read, or is not what it should be.
[[nodiscard]] std::optional<Symbol> function_at(const char* path, std::uint64_t address);

}  // namespace topowise::interpose::reordering
