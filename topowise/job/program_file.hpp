// SPDX-License-Identifier: BSD-3-Clause
// What the file of a program says about the libraries that can be loaded into it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace topowise::job {

/// The regular file that a command starts, as execvp finds it: a path with '/', or along `search_path`
/// ("/usr/bin:/bin") the first that may be executed. Nothing if there is none.
[[nodiscard]] std::optional<std::string> file_of_command(const std::string& command, const std::string& search_path);

enum class Loader {
  glibc,  ///< or not known: no ELF file of 64 bits, or a script whose interpreter is not musl's
  musl,   ///< does not load a library that needs glibc, and the program does not start then
  none,   ///< the program is linked statically and starts without a loader
};

struct ProgramFile {
  Loader loader = Loader::glibc;
  std::vector<std::string> libraries;  ///< those that the file itself asks for: "libc.so.6"
  std::string interpreter;             ///< of a script, whose loader this is
};

[[nodiscard]] ProgramFile program_file(const std::string& command);

/// Whether a library is the runtime of AddressSanitizer, of GCC or of clang.
[[nodiscard]] bool is_address_sanitizer(const std::string& library);

}  // namespace topowise::job
