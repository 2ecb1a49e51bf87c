// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/step_progress.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/written.hpp>

using namespace topowise::cli;
using topowise::fixtures::written;

TEST_CASE("where nothing can be written over, a finished step has a line, and no two lines are close in time") {
  std::chrono::steady_clock::time_point time{};
  Terminal terminal;
  const std::string text = written([&] {
    StepProgress progress(ProgressForm::lines, 4, "measured", terminal, [&] { return time; });
    for (const char* step : {"one", "two", "three", "four"}) {
      progress.begin(step);
      if (step != std::string_view("three")) time += StepProgress::kBetweenLines;
      progress.end(step);
    }
  });
  CHECK(text == "topowise: 1 of 4 measured: one\ntopowise: 2 of 4 measured: two\ntopowise: 4 of 4 measured: four\n");
}

TEST_CASE("a process of a job has lines although its standard error is no terminal, another process has none") {
  const std::string text = written([&] {
    CHECK(progress_form(true) == ProgressForm::lines);
    CHECK(progress_form(false) == ProgressForm::none);
    Terminal terminal;
    std::chrono::steady_clock::time_point time{};
    StepProgress progress(ProgressForm::none, 1, "measured", terminal, [&] { return time += std::chrono::hours(1); });
    progress.begin("one");
    progress.end("one");
  });
  CHECK(text.empty());
}
