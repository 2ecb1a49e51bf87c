// SPDX-License-Identifier: BSD-3-Clause
// A long computation beside an interpreter that goes on: other Python threads run, and Ctrl-C asks for the best so far.
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

/// Runs `work`, which must not touch Python objects and ends soon once its flag is set, on a thread of its own, while
/// this one looks for signals without holding the interpreter's lock. The first KeyboardInterrupt is answered by the
/// result, or by what `work` throws; a second one, and what any other signal handler raises, is thrown once the work
/// has ended.
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
