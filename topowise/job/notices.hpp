// SPDX-License-Identifier: BSD-3-Clause
// Where lines for the user go while a job starts. This folder knows no terminal.
#pragma once

#include <functional>
#include <string>

#include <topowise/base/error.hpp>

namespace topowise::job {

struct Notices {
  std::function<void(const std::string&)> note;       ///< what was done, one line
  std::function<void(const Diagnostic&)> diagnostic;  ///< what is odd; the job goes on

  void warn(std::string what) const { diagnostic(Diagnostic{{}, {}, std::move(what), {}, {}}); }
};

}  // namespace topowise::job
