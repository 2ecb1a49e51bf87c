// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/guarded.hpp>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

namespace topowise::cli {
namespace {

/// A failure that no code of topowise expects.
Error bug(const std::string& what) {
  return {ExitStatus::internal, what,
          "this is a bug of topowise: please report it with the command line and the output of 'topowise --version'"};
}

/// Called where an exception is handled.
Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error.status() == ExitStatus::internal ? bug(error.what()) : error;
  } catch (const std::filesystem::filesystem_error& failure) {
    return bad_input(fmt::format("cannot use '{}': {}", failure.path1().string(), failure.code().message()));
  } catch (const std::bad_alloc&) {
    return not_available("there is not enough memory for this", "a smaller problem, or a larger machine");
  } catch (const std::exception& failure) {
    return bug(failure.what());
  } catch (...) {
    return bug("unknown exception");
  }
}

}  // namespace

ExitStatus guarded(const std::function<ExitStatus()>& work, const Terminal& terminal,
                   const std::function<void()>& before_message) {
  try {
    return work();
  } catch (...) {
    const Error error = current_error();
    before_message();
    terminal.report(error);
    return error.status();
  }
}

}  // namespace topowise::cli
