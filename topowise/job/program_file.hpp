// SPDX-License-Identifier: BSD-3-Clause
// What the file of a program says about the libraries that can be loaded into it.
#pragma once

#include <string>
#include <vector>

namespace topowise::job {

enum class Loader {
  glibc,  ///< or not known: no ELF file of 64 bits, such as a script
  musl,   ///< does not load a library that needs glibc, and the program does not start then
  none,   ///< the program is linked statically and starts without a loader
};

struct ProgramFile {
  Loader loader = Loader::glibc;
  std::vector<std::string> libraries;  ///< those that the file itself asks for: "libc.so.6"
};

/// `command` is found as execvp finds it.
[[nodiscard]] ProgramFile program_file(const std::string& command);

/// Whether a library is the runtime of AddressSanitizer, of GCC or of clang.
[[nodiscard]] bool is_address_sanitizer(const std::string& library);

}  // namespace topowise::job
