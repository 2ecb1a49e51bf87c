// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/guarded.hpp>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

namespace topowise::cli {
namespace {

/// Reports a failure that no code of topowise expects.
ExitStatus report_bug(const std::string& what, const Terminal& terminal) {
  terminal.report(Error(ExitStatus::internal, what,
                        "this is a bug of topowise: please report it with the command line and the output of "
                        "'topowise --version'"));
  return ExitStatus::internal;
}

}  // namespace

ExitStatus guarded(const std::function<ExitStatus()>& work, const Terminal& terminal) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.status() == ExitStatus::internal) return report_bug(error.what(), terminal);
    terminal.report(error);
    return error.status();
  } catch (const std::filesystem::filesystem_error& failure) {
    terminal.report(bad_input(fmt::format("cannot use '{}': {}", failure.path1().string(), failure.code().message())));
    return ExitStatus::bad_input;
  } catch (const std::bad_alloc&) {
    terminal.report(not_available("there is not enough memory for this", "a smaller problem, or a larger machine"));
    return ExitStatus::not_available;
  } catch (const std::exception& failure) {
    return report_bug(failure.what(), terminal);
  } catch (...) {
    return report_bug("unknown exception", terminal);
  }
}

}  // namespace topowise::cli
