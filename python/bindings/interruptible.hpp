// SPDX-License-Identifier: BSD-3-Clause
// Runs a long computation while the Python interpreter goes on: other Python threads run, and Ctrl-C asks for the best
// result so far.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <utility>

namespace topowise::python {

/// What the computation gave, and whether a KeyboardInterrupt ended it.
template <class Result>
struct Interruptible {
  Result result;
  bool interrupted = false;
};

/// Runs `work` on a thread of its own. `work` must not touch Python objects, and must end soon after its flag is set.
/// Meanwhile this thread looks for signals, and waits without holding the interpreter's lock. After the first
/// KeyboardInterrupt it returns the result, or throws what `work` throws. A second KeyboardInterrupt, and whatever
/// another signal handler raises, is thrown after the work has ended.
template <class Work>
auto interruptible(Work work) {
  namespace nb = nanobind;
  std::atomic<bool> stop = false;
  bool interrupted = false;
  std::optional<nb::python_error> raised;
  auto pending = std::async(std::launch::async, [&] { return work(stop); });
  const auto ready = [&] {
    const nb::gil_scoped_release released;
    return pending.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  while (!ready()) {
    if (PyErr_CheckSignals() == 0) continue;
    const bool keyboard = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
    if (nb::python_error error; !keyboard || interrupted) raised.emplace(std::move(error));
    interrupted = true;
    stop = true;
  }
  pending.wait();
  if (raised) throw std::move(*raised);
  auto result = pending.get();
  return Interruptible<decltype(result)>{std::move(result), interrupted};
}

}  // namespace topowise::python
