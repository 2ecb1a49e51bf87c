// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program/program.hpp>

#include <doctest/doctest.h>

#include <new>
#include <vector>

#include <topowise/cli/guarded.hpp>
#include <topowise/cli/verb/verbs.hpp>

using namespace topowise;
using namespace topowise::cli;

TEST_CASE("errors keep their status, everything else is a bug of ours") {
  const Terminal terminal;
  CHECK(guarded([] { return ExitStatus::check_failed; }, terminal) == ExitStatus::check_failed);
  CHECK(guarded([]() -> ExitStatus { throw bad_input("x"); }, terminal) == ExitStatus::bad_input);
  CHECK(guarded([]() -> ExitStatus { throw not_available("x"); }, terminal) == ExitStatus::not_available);
  CHECK(guarded([]() -> ExitStatus { throw Error(ExitStatus::internal, "x"); }, terminal) == ExitStatus::internal);
  CHECK(guarded([]() -> ExitStatus { throw std::bad_alloc(); }, terminal) == ExitStatus::not_available);
  CHECK(guarded([]() -> ExitStatus { throw std::logic_error("x"); }, terminal) == ExitStatus::internal);
  CHECK(guarded([]() -> ExitStatus { throw 7; }, terminal) == ExitStatus::internal);
}

TEST_CASE("verbs, help and version") {
  Terminal terminal;
  CHECK(run_program(verbs(), std::vector<std::string>{}, terminal) == ExitStatus::usage);
  CHECK(run_program(verbs(), std::vector<std::string>{"nonsense"}, terminal) == ExitStatus::usage);
  CHECK(run_program(verbs(), std::vector<std::string>{"topology", "--nonsense"}, terminal) == ExitStatus::usage);
}
